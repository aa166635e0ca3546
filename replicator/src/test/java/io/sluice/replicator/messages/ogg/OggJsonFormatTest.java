package io.sluice.replicator.messages.ogg;

import static io.sluice.replicator.messages.Shown.changes;
import static io.sluice.replicator.messages.Shown.message;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.sluice.replicator.messages.BadMessageException;
import io.sluice.replicator.messages.BadMessageException.Reason;
import io.sluice.replicator.messages.ResourceText;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class OggJsonFormatTest {

  private final OggJsonFormat format = new OggJsonFormat(null);

  private static String event(String operation, String rest) {
    return "{\"table\":\"S.T\",\"op_type\":\"" + operation + "\"" + rest + "}";
  }

  private List<String> read(String json) throws BadMessageException {
    return changes(format, message(null, json));
  }

  private void assertBad(OggJsonFormat reader, String json, Reason reason, String why) {
    BadMessageException bad =
        catchThrowableOfType(BadMessageException.class, () -> changes(reader, message(null, json)));
    assertThat(bad).as(json).isNotNull().hasMessageContaining(why);
    assertThat(bad.reason()).isEqualTo(reason);
  }

  @Test
  void readsAWholeUpdateWhoseAfterLacksWhatDidNotChange() throws Exception {
    assertThat(read(ResourceText.of("ogg/update.json")))
        .containsExactly(
            "UPSERT [ID=7, NAME='kettle', PRICE=decimal 12.50, NOTE='long']"
                + " before [ID=7, NAME='kettle', PRICE=decimal 12.00, NOTE='long']"
                + " of SHOP.PRODUCTS key [ID]");
  }

  @Test
  void readsTheTimeAtTheSourceIfItsZoneIsKnown() throws Exception {
    assertThat(
            changes(
                    new OggJsonFormat(ZoneId.of("+01:00")),
                    message(null, ResourceText.of("ogg/update.json")))
                .get(0))
        .endsWith("key [ID] at 1772353800766000");
  }

  @Test
  void readsAnInsertAndADelete() throws Exception {
    assertThat(read(event("I", ",\"before\":null,\"after\":{\"ID\":1}")))
        .containsExactly("UPSERT [ID=1] of S.T");
    assertThat(read(event("D", ",\"before\":{\"ID\":1,\"N\":\"x\"},\"after\":null")))
        .containsExactly("DELETE [ID=1, N='x'] of S.T");
  }

  @Test
  void readsAnUpdateThatMovesTheKeyAndOneWithoutBefore() throws Exception {
    assertThat(read(event("U", ",\"before\":{\"ID\":1},\"after\":{\"ID\":2,\"N\":\"x\"}")))
        .containsExactly("UPSERT [ID=2, N='x'] before [ID=1] of S.T");
    assertThat(read(event("U", ",\"after\":{\"ID\":2}"))).containsExactly("UPSERT [ID=2] of S.T");
  }

  @Test
  void saysWhetherTheRowWasThereBefore() throws Exception {
    List<Boolean> updates = new ArrayList<>();
    for (String operation : List.of("I", "U")) {
      format.read(
          message(null, event(operation, ",\"after\":{\"ID\":1}")),
          change -> updates.add(change.isUpdate()));
    }
    assertThat(updates).containsExactly(false, true);
  }

  @Test
  void keepsANullThatAfterHas() throws Exception {
    assertThat(read(event("U", ",\"before\":{\"N\":\"x\"},\"after\":{\"ID\":2,\"N\":null}")))
        .containsExactly("UPSERT [ID=2, N=NULL] before [N='x'] of S.T");
  }

  @Test
  void readsATruncate() throws Exception {
    assertThat(read(event("T", ",\"before\":null,\"after\":null")))
        .containsExactly("TRUNCATE [] of S.T");
  }

  @Test
  void takesTablesNamesApart() throws Exception {
    assertThat(read("{\"table\":\"C.S.T\",\"op_type\":\"T\"}"))
        .containsExactly("TRUNCATE [] of S.T");
    assertThat(read("{\"table\":\"T\",\"op_type\":\"T\"}"))
        .containsExactly("TRUNCATE [] of null.T");
    assertThat(read("{\"op_type\":\"T\"}")).containsExactly("TRUNCATE []");
  }

  @Test
  void readsNothingFromATombstoneOrAnEmptyValue() throws Exception {
    assertThat(changes(format, message("k", null))).isEmpty();
    assertThat(read("")).isEmpty();
  }

  @Test
  void refusesOperationsThatLackAPart() {
    assertBad(format, "{}", Reason.INCOMPLETE, "no \"op_type\"");
    assertBad(format, event("I", ""), Reason.INCOMPLETE, "not json_row");
    assertBad(format, event("U", ",\"before\":{\"ID\":1}"), Reason.INCOMPLETE, "no \"after\"");
    assertBad(format, event("D", ",\"after\":{\"ID\":1}"), Reason.INCOMPLETE, "no \"before\"");
    assertBad(format, event("X", ",\"after\":{}"), Reason.INCOMPLETE, "none of I, U, D and T");
  }

  @Test
  void refusesWhatIsNoJsonOfItsShape() {
    assertBad(format, "x", Reason.MALFORMED, "No JSON");
    assertBad(format, event("I", ",\"after\":[]"), Reason.MALFORMED, "an object");
    assertBad(format, event("I", ",\"after\":{},\"after\":{}"), Reason.MALFORMED, "occurs twice");
    assertBad(format, event("I", ",\"primary_keys\":{}"), Reason.MALFORMED, "an array");
    assertBad(
        new OggJsonFormat(ZoneId.of("UTC")),
        event("I", ",\"op_ts\":\"yesterday\",\"after\":{}"),
        Reason.MALFORMED,
        "op_ts \"yesterday\" is no time");
  }
}
