package io.sluice.replicator.messages.json;

import static io.sluice.replicator.messages.Shown.changes;
import static io.sluice.replicator.messages.Shown.message;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.replicator.messages.BadMessageException;
import io.sluice.replicator.messages.BadMessageException.Reason;
import io.sluice.replicator.messages.ConnectOrigin;
import io.sluice.replicator.messages.MessageColumns;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class DebeziumJsonFormatTest {

  private static final String SOURCE =
      "\"source\":{\"version\":\"3.5.0.Final\",\"connector\":\"mysql\",\"name\":\"shop\","
          + "\"ts_ms\":1700000000123,\"snapshot\":\"false\",\"db\":\"shop\",\"sequence\":null,"
          + "\"ts_us\":1700000000123456,\"ts_ns\":1700000000123456000,\"table\":\"orders\","
          + "\"server_id\":1,\"gtid\":null,\"file\":\"b.1\",\"pos\":4,\"row\":0,\"thread\":7,"
          + "\"query\":null}";
  private static final String TAIL =
      "," + SOURCE + ",\"transaction\":null,\"ts_ms\":1700000000200,\"ts_us\":1,\"ts_ns\":2";
  private static final String OF = " of shop.orders key [id] at 1700000000123456";
  private static final String KEY = "{\"id\":1}";

  private final DebeziumJsonFormat format =
      new DebeziumJsonFormat(Tombstones.SKIP, ConnectOrigin.PLAIN);

  private List<String> read(@Nullable String key, @Nullable String value)
      throws BadMessageException {
    return changes(format, message(key, value));
  }

  @Test
  void insertAndSnapshotReadAreRows() throws BadMessageException {
    for (String op : List.of("c", "r")) {
      String event =
          "{\"before\":null,\"after\":{\"id\":1,\"n\":\"x\"}" + TAIL + ",\"op\":\"" + op + "\"}";
      assertThat(read(KEY, event)).containsExactly("UPSERT [id=1, n='x']" + OF);
    }
  }

  @Test
  void updateKeepsBefore() throws BadMessageException {
    assertThat(
            read(
                KEY,
                "{\"op\":\"u\",\"before\":{\"id\":1,\"n\":\"x\"},\"after\":{\"id\":1,\"n\":null}"
                    + TAIL
                    + "}"))
        .containsExactly("UPSERT [id=1, n=NULL] before [id=1, n='x']" + OF);
  }

  @Test
  void updateWithoutBefore() throws BadMessageException {
    for (String before : List.of("", "\"before\":null,")) {
      assertThat(read(KEY, "{" + before + "\"after\":{\"id\":1}" + TAIL + ",\"op\":\"u\"}"))
          .containsExactly("UPSERT [id=1]" + OF);
    }
  }

  /** Also as the first message of a topic. */
  @Test
  void deleteIsItsBefore() throws BadMessageException {
    assertThat(
            read(
                KEY, "{\"before\":{\"id\":1,\"n\":\"x\"},\"after\":null" + TAIL + ",\"op\":\"d\"}"))
        .containsExactly("DELETE [id=1, n='x']" + OF);
  }

  @Test
  void deleteWithoutBeforeIsItsKey() throws BadMessageException {
    assertThat(read(KEY, "{\"before\":null,\"after\":null" + TAIL + ",\"op\":\"d\"}"))
        .containsExactly("DELETE [id=1]" + OF);
    assertThat(read(KEY, "{\"op\":\"d\"" + TAIL + "}")).containsExactly("DELETE [id=1]" + OF);
    assertThatThrownBy(() -> read(null, "{\"op\":\"d\"" + TAIL + "}"))
        .hasMessageContaining("which row is gone");
  }

  @Test
  void truncateHasNoRow() throws BadMessageException {
    assertThat(read(null, "{\"op\":\"t\"" + TAIL + "}"))
        .containsExactly("TRUNCATE [] of shop.orders at 1700000000123456");
  }

  @Test
  void whatIsNoChangeOfARowIsSkipped() throws BadMessageException {
    for (String value :
        new String[] {
          null,
          "",
          "null",
          "{\"ts_ms\":1700000000123}",
          "{\"schema\":{\"type\":\"struct\",\"fields\":[{\"field\":\"ts_ms\",\"type\":\"int64\"}]},"
              + "\"payload\":{\"ts_ms\":17}}",
          "{\"schema\":null,\"payload\":null}",
          "{\"status\":\"BEGIN\",\"id\":\"tx:1\",\"event_count\":null,\"data_collections\":null,"
              + "\"ts_ms\":1}",
          "{\"status\":\"END\",\"id\":\"tx:1\",\"event_count\":2,\"data_collections\":"
              + "[{\"data_collection\":\"shop.orders\",\"event_count\":2}],\"ts_ms\":1}",
          "{"
              + SOURCE
              + ",\"ts_ms\":1,\"databaseName\":\"shop\",\"schemaName\":null,"
              + "\"ddl\":\"CREATE TABLE t(id INT)\",\"tableChanges\":[]}",
          "{\"op\":\"m\",\"message\":{\"prefix\":\"p\",\"content\":\"Yg==\"}" + TAIL + "}"
        }) {
      assertThat(read(KEY, value)).isEmpty();
    }
  }

  @Test
  void refusesWhatIsNoEvent() {
    for (String value :
        List.of(
            "{}",
            "{\"id\":1,\"status\":\"BEGIN\"}",
            "{\"id\":1,\"status\":\"new\",\"ts_ms\":1}",
            "{\"id\":1,\"ts_ms\":1}",
            "{\"before\":null,\"after\":{\"id\":1}}",
            "{\"op\":\"c\",\"after\":null}",
            "{\"op\":\"u\",\"before\":{\"id\":1}}",
            "{\"op\":\"x\",\"after\":{\"id\":1}}",
            "{\"op\":\"c\",\"after\":[1]}",
            "{\"op\":\"c\",\"after\":{\"id\":1},\"after\":{\"id\":2}}",
            "{\"op\":\"c\",\"op\":\"d\",\"after\":{\"id\":1}}",
            "[{\"op\":\"c\"}]",
            "17")) {
      assertThatThrownBy(() -> read(KEY, value))
          .as(value)
          .isInstanceOfSatisfying(
              BadMessageException.class,
              e -> assertThat(e.reason()).isIn(Reason.INCOMPLETE, Reason.MALFORMED));
    }
  }

  @Test
  void namesTheSchemaWhereThereIsOne() throws BadMessageException {
    assertThat(
            read(
                KEY,
                "{\"op\":\"c\",\"after\":{\"id\":1},\"source\":{\"db\":\"d\",\"schema\":\"public\","
                    + "\"table\":\"t\",\"ts_ms\":5}}"))
        .containsExactly("UPSERT [id=1] of public.t key [id] at 5000");
  }

  @Test
  void anUnchangedLargeValueOfPostgresIsTakenFromBefore() throws BadMessageException {
    String after = "\"after\":{\"id\":1,\"t\":\"__debezium_unavailable_value\"},\"op\":\"u\"";
    assertThat(read(KEY, "{\"before\":{\"id\":1,\"t\":\"long\"}," + after + TAIL + "}"))
        .containsExactly("UPSERT [id=1, t='long'] before [id=1, t='long']" + OF);
    assertThatThrownBy(() -> read(KEY, "{\"before\":null," + after + TAIL + "}"))
        .hasMessageContaining("REPLICA IDENTITY");
  }

  @Test
  void readsTheFlattenedForm() throws BadMessageException {
    for (int i = 0; i < 2; i++) {
      assertThat(
              read(
                  KEY,
                  "{\"id\":1,\"status\":\"new\",\"__deleted\":\"false\",\"__op\":\"u\","
                      + "\"__db\":\"shop\",\"__table\":\"orders\",\"__source_ts_ms\":5}"))
          .containsExactly(
              "UPSERT [id=1, status='new', __db='shop', __table='orders', __source_ts_ms=5]"
                  + " of shop.orders key [id] at 5000");
      assertThat(read(KEY, "{\"id\":1,\"n\":\"x\",\"__deleted\":\"true\"}"))
          .containsExactly("DELETE [id=1, n='x'] key [id]");
      assertThat(read(KEY, "{\"n\":\"x\",\"__op\":\"d\"}"))
          .containsExactly("DELETE [n='x', id=1] key [id]");
    }
    assertThat(read(KEY, "{\"op\":\"c\",\"after\":{\"id\":1}" + TAIL + "}"))
        .containsExactly("UPSERT [id=1]" + OF);
  }

  // ---------------------------------------------------------------- with schema blocks

  private static final String ROW_SCHEMA =
      "\"fields\":[{\"type\":\"int32\",\"optional\":false,\"field\":\"id\"},"
          + "{\"type\":\"bytes\",\"optional\":true,\"name\":\"org.apache.kafka.connect.data.Decimal\","
          + "\"version\":1,\"parameters\":{\"scale\":\"2\",\"connect.decimal.precision\":\"10\"},"
          + "\"field\":\"price\"},"
          + "{\"type\":\"int32\",\"optional\":true,\"name\":\"io.debezium.time.Date\",\"version\":1,"
          + "\"field\":\"d\"}]";

  private static String block(String rowSchema) {
    return "{\"type\":\"struct\",\"fields\":[{\"type\":\"struct\","
        + rowSchema
        + ",\"optional\":true,\"name\":\"s.shop.orders.Value\",\"field\":\"before\"},"
        + "{\"type\":\"struct\","
        + rowSchema
        + ",\"optional\":true,\"name\":\"s.shop.orders.Value\",\"field\":\"after\"},"
        + "{\"type\":\"struct\",\"fields\":[],\"optional\":false,"
        + "\"name\":\"io.debezium.connector.mysql.Source\",\"field\":\"source\"},"
        + "{\"type\":\"string\",\"optional\":false,\"field\":\"op\"}],\"optional\":false,"
        + "\"name\":\"s.shop.orders.Envelope\"}";
  }

  private static final String PAYLOAD =
      "{\"before\":{\"id\":1,\"price\":\"BNI=\",\"d\":null},"
          + "\"after\":{\"id\":1,\"price\":\"/y4=\",\"d\":-2954}"
          + TAIL
          + ",\"op\":\"u\"}";

  @Test
  void theBlockSaysWhatValuesStandFor() throws BadMessageException {
    String expected =
        "UPSERT [id=1, price=decimal -2.10, d=day -2954]"
            + " before [id=1, price=decimal 12.34, d=NULL]"
            + OF;
    String block = block(ROW_SCHEMA);
    for (int i = 0; i < 3; i++) {
      assertThat(read(KEY, "{\"schema\":" + block + ",\"payload\":" + PAYLOAD + "}"))
          .containsExactly(expected);
      assertThat(read(KEY, "{\"payload\":" + PAYLOAD + ",\"schema\": " + block + "}"))
          .containsExactly(expected);
    }
  }

  @Test
  void columnsAreTheSameObjectWhileTheSchemaIs() throws BadMessageException {
    List<MessageColumns> seen = new ArrayList<>();
    String other = ROW_SCHEMA.replace("price", "cost");
    for (String rowSchema : List.of(ROW_SCHEMA, ROW_SCHEMA, other, ROW_SCHEMA)) {
      String value =
          "{\"schema\":" + block(rowSchema) + ",\"payload\":{\"op\":\"c\",\"after\":{\"id\":1}}}";
      format.read(message(KEY, value), change -> seen.add(change.columns()));
    }
    assertThat(seen.get(1)).isSameAs(seen.get(0)).isSameAs(seen.get(3));
    assertThat(seen.get(2)).isNotSameAs(seen.get(0));
    assertThat(seen.get(0).columns().toString())
        .isEqualTo(
            "[MessageColumn[name=id, type=INT, nullable=false, source=null],"
                + " MessageColumn[name=price, type=DECIMAL(10, 2), nullable=true, source=null],"
                + " MessageColumn[name=d, type=DATE, nullable=true, source=null]]");
    assertThat(read(KEY, "{\"op\":\"c\",\"after\":{\"id\":1,\"price\":\"BNI=\"}}"))
        .containsExactly("UPSERT [id=1, price='BNI='] key [id]");
  }

  @Test
  void aValueThatItsSchemaDoesNotAllowIsRefused() {
    for (String row : List.of("{\"d\":\"abc\"}", "{\"price\":\"?\"}", "{\"d\":1.5}")) {
      String value =
          "{\"schema\":" + block(ROW_SCHEMA) + ",\"payload\":{\"op\":\"c\",\"after\":" + row + "}}";
      assertThatThrownBy(() -> read(KEY, value))
          .isInstanceOfSatisfying(
              BadMessageException.class, e -> assertThat(e.reason()).isEqualTo(Reason.VALUE));
    }
  }

  @Test
  void flattenedRowsHaveBlocksToo() throws BadMessageException {
    String value =
        "{\"schema\":{\"type\":\"struct\","
            + ROW_SCHEMA
            + "},\"payload\":{\"id\":1,\"price\":\"BNI=\",\"d\":1,\"__deleted\":\"true\"}}";
    for (int i = 0; i < 2; i++) {
      assertThat(read(KEY, value))
          .containsExactly("DELETE [id=1, price=decimal 12.34, d=day 1] key [id]");
    }
  }
}
