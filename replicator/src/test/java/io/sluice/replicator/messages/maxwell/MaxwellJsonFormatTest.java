package io.sluice.replicator.messages.maxwell;

import static io.sluice.replicator.messages.Shown.changes;
import static io.sluice.replicator.messages.Shown.message;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.sluice.replicator.messages.BadMessageException;
import io.sluice.replicator.messages.BadMessageException.Reason;
import io.sluice.replicator.messages.ResourceText;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class MaxwellJsonFormatTest {

  private final MaxwellJsonFormat format = new MaxwellJsonFormat();

  private static String event(String type, String rest) {
    return "{\"database\":\"shop\",\"table\":\"t\",\"type\":\"" + type + "\"" + rest + "}";
  }

  private List<String> read(String json) throws BadMessageException {
    return changes(format, message(null, json));
  }

  private void assertBad(String json, Reason reason, String why) {
    BadMessageException bad = catchThrowableOfType(BadMessageException.class, () -> read(json));
    assertThat(bad).as(json).isNotNull().hasMessageContaining(why);
    assertThat(bad.reason()).isEqualTo(reason);
  }

  @Test
  void readsAWholeUpdate() throws Exception {
    assertThat(read(ResourceText.of("maxwell/update.json")))
        .containsExactly(
            "UPSERT [id=7, code='k', price=decimal 12.50, sold='2026-03-01 09:30:00.25',"
                + " photo='AEH/', tags=nested [\"a\",\"c\"], extra=nested {\"a\":1}, note=NULL]"
                + " before [price=decimal 12.00, note='x']"
                + " of shop.products key [id, code] at 1772357400000000");
  }

  @Test
  void readsInsertsAndRowsOfABootstrap() throws Exception {
    for (String type : List.of("insert", "bootstrap-insert")) {
      assertThat(read(event(type, ",\"ts\":1,\"data\":{\"id\":1}")))
          .containsExactly("UPSERT [id=1] of shop.t at 1000000");
    }
  }

  @Test
  void readsADeleteAsTheRowThatWas() throws Exception {
    assertThat(read(event("delete", ",\"data\":{\"id\":1,\"n\":\"x\"}")))
        .containsExactly("DELETE [id=1, n='x'] of shop.t");
  }

  @Test
  void readsAnUpdateWithoutOld() throws Exception {
    assertThat(read(event("update", ",\"data\":{\"id\":1}")))
        .containsExactly("UPSERT [id=1] of shop.t");
    assertThat(read(event("update", ",\"old\":null,\"data\":{\"id\":1}")))
        .containsExactly("UPSERT [id=1] of shop.t");
  }

  @Test
  void saysWhetherTheRowWasThereBefore() throws Exception {
    List<Boolean> updates = new ArrayList<>();
    for (String type : List.of("insert", "update")) {
      format.read(
          message(null, event(type, ",\"data\":{\"id\":1}")),
          change -> updates.add(change.isUpdate()));
    }
    assertThat(updates).containsExactly(false, true);
  }

  @Test
  void ignoresPrimaryKeyValuesAndTheTransaction() throws Exception {
    assertThat(
            read(
                event(
                    "insert",
                    ",\"xid\":1,\"commit\":true,\"xoffset\":2,\"primary_key\":[1],"
                        + "\"position\":\"a:1\",\"gtid\":\"x\",\"server_id\":1,\"thread_id\":2,"
                        + "\"schema_id\":3,\"query\":\"q\",\"data\":{\"id\":1}")))
        .containsExactly("UPSERT [id=1] of shop.t");
  }

  @Test
  void readsNothingFromDdlAndABootstrapsEnds() throws Exception {
    for (String type :
        List.of(
            "bootstrap-start",
            "bootstrap-complete",
            "table-create",
            "table-alter",
            "table-drop",
            "database-create",
            "database-alter",
            "database-drop")) {
      assertThat(
              read(event(type, ",\"old\":{\"columns\":[]},\"def\":{},\"data\":{},\"sql\":\"s\"")))
          .as(type)
          .isEmpty();
    }
  }

  @Test
  void readsNothingFromATombstoneOrAnEmptyValue() throws Exception {
    assertThat(changes(format, message("k", null))).isEmpty();
    assertThat(read("")).isEmpty();
  }

  @Test
  void refusesEventsThatLackAPart() {
    assertBad("{\"data\":{}}", Reason.INCOMPLETE, "no \"type\"");
    assertBad(event("insert", ""), Reason.INCOMPLETE, "no \"data\"");
    assertBad(event("delete", ",\"data\":null"), Reason.INCOMPLETE, "no \"data\"");
    assertBad(event("upsert", ",\"data\":{}"), Reason.INCOMPLETE, "none of Maxwell's");
    assertBad(event("insert", ",\"data\":\"c2VjcmV0\""), Reason.INCOMPLETE, "is it encrypted?");
  }

  @Test
  void refusesWhatIsNoJsonOfItsShape() {
    assertBad("nonsense", Reason.MALFORMED, "No JSON");
    assertBad(event("insert", ",\"ts\":\"x\",\"data\":{}"), Reason.MALFORMED, "a value should be");
    assertBad(event("insert", ",\"data\":{},\"data\":{}"), Reason.MALFORMED, "occurs twice");
    assertBad(
        event("insert", ",\"data\":{},\"primary_key_columns\":\"id\""),
        Reason.MALFORMED,
        "an array");
    assertBad(event("insert", ",\"data\":{\"a\":1,\"a\":2}"), Reason.MALFORMED, "occurs twice");
  }
}
