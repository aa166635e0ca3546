package io.sluice.replicator.messages.rows;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.config.TopicRule.MessageFact;
import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.DataType;
import io.sluice.lsm.schema.DataType.ArrayType;
import io.sluice.lsm.schema.DataType.MapType;
import io.sluice.lsm.schema.DataType.NestedRowType;
import io.sluice.lsm.schema.DataTypeText;
import io.sluice.lsm.schema.DataTypes;
import io.sluice.lsm.schema.RowType;
import io.sluice.lsm.testing.CanonicalRows;
import io.sluice.replicator.messages.BadMessageException;
import io.sluice.replicator.messages.BadMessageException.Reason;
import io.sluice.replicator.messages.Change;
import io.sluice.replicator.messages.FieldRow;
import io.sluice.replicator.messages.Message;
import io.sluice.replicator.messages.MessageColumn;
import io.sluice.replicator.messages.MessageColumns;
import io.sluice.replicator.messages.Shown;
import io.sluice.replicator.messages.json.JsonFormat;
import io.sluice.replicator.messages.json.Tombstones;
import io.sluice.replicator.messages.rows.RowColumns.NumbersAsTimes;
import io.sluice.replicator.messages.rows.RowColumns.Rest;
import io.sluice.replicator.messages.rows.RowWriter.Outcome;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RowWriterTest {

  private static RowType type(Object... namesAndTypes) {
    List<DataField> fields = new ArrayList<>();
    for (int i = 0; i < namesAndTypes.length; i += 2) {
      Object type = namesAndTypes[i + 1];
      fields.add(
          new DataField(
              i / 2,
              (String) namesAndTypes[i],
              type instanceof DataType known ? known : DataTypeText.parse((String) type)));
    }
    return new RowType(fields);
  }

  private static Change change(Consumer<FieldRow> fields) {
    Change change = new Change();
    fields.accept(change.row());
    return change;
  }

  /** The change of a JSON object. */
  private static Change json(String object) {
    Change[] result = new Change[1];
    try {
      new JsonFormat(Tombstones.SKIP)
          .read(Shown.message(null, object), change -> result[0] = change);
    } catch (BadMessageException e) {
      throw new AssertionError(e);
    }
    return result[0];
  }

  private static final Message MESSAGE =
      new Message(
          "shop.orders",
          3,
          1207,
          1_700_000_000_123L,
          "k1".getBytes(StandardCharsets.UTF_8),
          null,
          List.of(new Message.Header("h", "v".getBytes(StandardCharsets.UTF_8))));

  private static String written(RowType type, RowColumns columns, Change change) {
    RowWriter writer = RowWriter.of(type, List.of(), columns);
    try {
      Outcome outcome = writer.write(MESSAGE, change, RowKind.INSERT);
      return outcome == Outcome.FITS
          ? CanonicalRows.of(type, writer.row()).toString()
          : outcome + ": " + writer.misfit().getMessage();
    } catch (BadMessageException e) {
      return e.reason() + ": " + e.getMessage();
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\0',
      textBlock =
          """
          BOOLEAN        | true          | true
          BOOLEAN        | 0             | false
          BOOLEAN        | "true"        | true
          BOOLEAN        | "0"           | false
          TINYINT        | -128          | -128
          TINYINT        | true          | 1
          SMALLINT       | "32767"       | 32767
          INT            | 1.0           | 1
          INT            | 2e3           | 2000
          INT            | "-12"         | -12
          INT            | "5.00"        | 5
          BIGINT         | 9223372036854775807 | 9223372036854775807
          BIGINT         | -9223372036854775808.000 | -9223372036854775808
          FLOAT          | 1.1           | 1.1
          FLOAT          | 1.100000023841858 | 1.1
          FLOAT          | 16777216      | 1.6777216E7
          FLOAT          | "NaN"         | NaN
          DOUBLE         | 0.1           | 0.1
          DOUBLE         | -0.0          | -0.0
          DOUBLE         | 1e300         | 1.0E300
          DOUBLE         | 4.9E-324      | 4.9E-324
          DOUBLE         | 0.1000000000000000055511151231257827021181583404541015625 | 0.1
          DOUBLE         | 9007199254740992 | 9.007199254740992E15
          DOUBLE         | "-Infinity"   | -Infinity
          DOUBLE         | "1.0E-5"      | 1.0E-5
          DOUBLE         | "3.25"        | 3.25
          DECIMAL(5, 2)  | 12            | 12.00
          DECIMAL(5, 2)  | -999.99       | -999.99
          DECIMAL(5, 2)  | 1.500         | 1.50
          DECIMAL(5, 2)  | "1.50"        | 1.50
          DECIMAL(5, 2)  | 1e2           | 100.00
          DECIMAL(5, 2)  | 0e999999999   | 0.00
          DECIMAL(20, 0) | 18446744073709551615 | 18446744073709551615
          DECIMAL(38, 10) | -1234567890123456789012345678.0123456789 | -1234567890123456789012345678.0123456789
          DECIMAL(38, 0) | 7             | 7
          STRING         | "ü"           | ü
          STRING         | 1.0           | 1.0
          STRING         | -17           | -17
          STRING         | -9223372036854775808 | -9223372036854775808
          STRING         | 1e999999999   | 1e999999999
          STRING         | true          | true
          STRING         | [1, {"a":2.0}] | [1, {"a":2.0}]
          VARCHAR(2)     | "üü"          | üü
          BYTES          | "AQI="        | 0102
          BYTES          | ""            |
          DATE           | -2954         | 1961-11-30
          DATE           | "2026-02-28"  | 2026-02-28
          TIME(3)        | "10:11:12.5"  | 10:11:12.500
          TIME(0)        | "23:59"       | 23:59:00.000
          TIMESTAMP(0)   | "2026-01-31T12:00:00" | 2026-01-31 12:00:00
          TIMESTAMP(6)   | "0001-01-01 00:00:00.000001" | 0001-01-01 00:00:00.000001
          TIMESTAMP(3)   | "2026-01-31 12:00:00.120000000" | 2026-01-31 12:00:00.120
          TIMESTAMP_LTZ(3) | "2026-01-31T12:00:00+01:30" | 2026-01-31 10:30:00.000Z
          TIMESTAMP_LTZ(9) | "1969-12-31T23:59:59.999999999Z" | 1969-12-31 23:59:59.999999999Z
          TIMESTAMP_LTZ(0) | "2026-01-31T12:00-05" | 2026-01-31 17:00:00Z
          """)
  void holdsExactly(String type, String json, String expected) {
    String shown = written(type("c", type), RowColumns.BY_NAME, json("{\"c\":" + json + "}"));
    assertThat(shown).isEqualTo("{c=" + (expected == null ? "" : expected) + "}");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\0',
      textBlock =
          """
          BOOLEAN        | 2
          BOOLEAN        | "yes"
          BOOLEAN        | 1.0
          TINYINT        | 128
          SMALLINT       | -32769
          INT            | 2147483648
          INT            | 1.5
          INT            | "1.5"
          INT            | "012"
          INT            | "+1"
          INT            | " 1"
          INT            | ""
          INT            | "1e3"
          INT            | "-0x1"
          INT            | {}
          BIGINT         | 9223372036854775808
          BIGINT         | 1e999999999
          BIGINT         | 1e-999999999
          FLOAT          | 16777217
          FLOAT          | 1.23456789012
          FLOAT          | 1e39
          FLOAT          | 1e-50
          DOUBLE         | 9007199254740993
          DOUBLE         | 1e400
          DOUBLE         | 1e-400
          DOUBLE         | 1e999999999
          DOUBLE         | 0.12345678901234567890123
          DOUBLE         | "1e5"
          DOUBLE         | "x"
          DOUBLE         | true
          DECIMAL(5, 2)  | 1000
          DECIMAL(5, 2)  | 1.005
          DECIMAL(5, 2)  | "1,5"
          DECIMAL(5, 2)  | 1e999999999
          DECIMAL(5, 2)  | 1e-999999999
          DECIMAL(20, 0) | 123456789012345678901
          STRING         | null_not_used
          VARCHAR(2)     | "üüü"
          VARCHAR(2)     | 100
          BYTES          | "AQ"
          BYTES          | 1
          VARBINARY(1)   | "AQI="
          DATE           | "abc"
          DATE           | "2026-02-29"
          DATE           | "2026-13-01"
          DATE           | "0000-00-00"
          DATE           | "2026-1-1"
          DATE           | 99999999999
          DATE           | 1.5
          TIME(0)        | "10:00:00.5"
          TIME(3)        | "24:00:00"
          TIME(3)        | "838:59:59"
          TIME(3)        | 1
          TIMESTAMP(3)   | "2026-01-31T12:00:00Z"
          TIMESTAMP(3)   | "2026-01-31T12:00:00.0001"
          TIMESTAMP(3)   | "2026-01-31T25:00:00"
          TIMESTAMP(3)   | "2026-01-31"
          TIMESTAMP(3)   | 1700000000000
          TIMESTAMP_LTZ(3) | "2026-01-31T12:00:00"
          TIMESTAMP_LTZ(3) | "2026-01-31T12:00:00+1"
          TIMESTAMP_LTZ(3) | "2026-01-31T12:00:00 Europe/Berlin"
          """)
  void refusesWhatItCanNotHoldExactly(String type, String json) {
    if (json.equals("null_not_used")) {
      return;
    }
    RowColumns fixed = new RowColumns(Map.of(), Rest.BY_NAME, Set.of("c"), NumbersAsTimes.REFUSED);
    String shown = written(type("c", type), fixed, json("{\"c\":" + json + "}"));
    assertThat(shown).startsWith("VALUE: Field c: ").contains("column c (");
  }

  @Test
  void numbersAreTimesAsTold() {
    Map<String, String> expected = new LinkedHashMap<>();
    for (NumbersAsTimes each : NumbersAsTimes.values()) {
      RowColumns columns = new RowColumns(Map.of(), Rest.BY_NAME, Set.of(), each);
      expected.put(
          each.name(),
          written(
              type("a", "TIMESTAMP(3)", "b", "TIMESTAMP(6)", "c", "TIMESTAMP_LTZ(9)"),
              columns,
              json("{\"a\":-1000000000,\"b\":1000000000,\"c\":1000000001}")));
    }
    assertThat(expected.get("REFUSED")).startsWith("VALUE");
    assertThat(expected.get("BY_PRECISION"))
        .isEqualTo(
            "{a=1969-12-20 10:13:20.000, b=1970-01-01 00:16:40.000000,"
                + " c=1970-01-01 00:00:01.000000001Z}");
    assertThat(expected.get("SECONDS"))
        .isEqualTo(
            "{a=1938-04-24 22:13:20.000, b=2001-09-09 01:46:40.000000,"
                + " c=2001-09-09 01:46:41.000000000Z}");
    assertThat(expected.get("NANOS"))
        .isEqualTo(
            "{a=1969-12-31 23:59:59.000, b=1970-01-01 00:00:01.000000,"
                + " c=1970-01-01 00:00:01.000000001Z}");
    assertThat(
            written(
                type("a", "TIMESTAMP(3)"),
                new RowColumns(Map.of(), Rest.BY_NAME, Set.of(), NumbersAsTimes.SECONDS),
                json("{\"a\":9223372036854775807}")))
        .startsWith("VALUE");
  }

  @Test
  void takesWhatFormatsHaveReadAlready() {
    RowType type =
        type(
            "d",
            "DATE",
            "t",
            "TIME(3)",
            "w",
            "TIMESTAMP(6)",
            "i",
            "TIMESTAMP_LTZ(9)",
            "b",
            "BYTES",
            "f",
            "FLOAT",
            "g",
            "DOUBLE",
            "n",
            "DECIMAL(10, 2)",
            "s1",
            "STRING",
            "s2",
            "STRING",
            "s3",
            "STRING",
            "s4",
            "STRING",
            "m",
            "TIMESTAMP(0)");
    assertThat(
            written(
                type,
                RowColumns.BY_NAME,
                change(
                    row -> {
                      row.addDate("d", 1);
                      row.addTime("t", 1_500_000);
                      row.addTimestamp("w", -1, 999_000);
                      row.addInstant("i", 1, 1);
                      row.addSlice("b", FieldRow.Kind.BYTES, new byte[] {1, 2, 3}, 1, 2);
                      row.addDouble("f", 1.1f);
                      row.addDouble("g", 1e-3);
                      row.addDouble("n", 12.25);
                      row.addDate("s1", 1);
                      row.addTime("s2", -1);
                      row.addTimestamp("s3", 1, 5);
                      row.addInstant("s4", 0, 0);
                      row.addDate("m", 1);
                    })))
        .isEqualTo(
            "{d=1970-01-02, t=00:00:01.500, w=1969-12-31 23:59:59.999999,"
                + " i=1970-01-01 00:00:00.001000001Z, b=0203, f=1.1, g=0.001, n=12.25,"
                + " s1=1970-01-02, s2=-00:00:00.000001, s3=1970-01-01T00:00:00.001000005,"
                + " s4=1970-01-01T00:00:00Z, m=1970-01-02 00:00:00}");
    for (String wrong : List.of("DATE", "BOOLEAN", "TIMESTAMP(3)", "STRING")) {
      assertThat(
              written(
                  type("c", wrong),
                  RowColumns.BY_NAME,
                  change(row -> row.addSlice("c", FieldRow.Kind.BYTES, new byte[1], 0, 1))))
          .startsWith("VALUE");
    }
    assertThat(
            written(
                type("c", "TIMESTAMP(3)"),
                RowColumns.BY_NAME,
                change(row -> row.addInstant("c", 0, 0))))
        .startsWith("VALUE");
    assertThat(
            written(type("c", "FLOAT"), RowColumns.BY_NAME, change(row -> row.addDouble("c", 0.1))))
        .startsWith("NEEDS_SCHEMA");
  }

  @Test
  void writesNestedValues() {
    DataType row =
        new NestedRowType(
            List.of(
                new DataField(10, "x", DataTypes.INT),
                new DataField(11, "y", new ArrayType(DataTypes.decimal(5, 2), true))),
            true);
    RowType type =
        type(
            "a", new ArrayType(DataTypes.BIGINT, true),
            "m", new MapType(DataTypes.STRING.withNullable(false), DataTypes.DOUBLE, true),
            "r", row,
            "l", new ArrayType(row, true));
    assertThat(
            written(
                type,
                RowColumns.BY_NAME,
                json(
                    "{\"a\":[1,null,\"3\"],\"m\":{\"k\":0.5,\"\\u00fc\":null},"
                        + "\"r\":{\"y\":[1.5],\"x\":7,\"z\":null},\"l\":[{},null,{\"x\":1}]}")))
        .isEqualTo(
            "{a=[\"1\",null,\"3\"], m=[[\"k\",\"0.5\"],[\"ü\",null]],"
                + " r={\"x\":\"7\",\"y\":\"[\\\"1.50\\\"]\"},"
                + " l=[\"{\\\"x\\\":null,\\\"y\\\":null}\",null,\"{\\\"x\\\":\\\"1\\\",\\\"y\\\":null}\"]}");
    for (String wrong :
        List.of(
            "\"a\":[1.5]",
            "\"a\":{}",
            "\"a\":1",
            "\"m\":{\"k\":\"x\"}",
            "\"r\":{\"z\":1}",
            "\"r\":[]",
            "\"l\":[{\"y\":1}]",
            "\"a\":\"[1\"",
            "\"m\":{\"k\":1,\"k\":2}")) {
      assertThat(written(type, RowColumns.BY_NAME, json("{" + wrong + "}")))
          .as(wrong)
          .startsWith("VALUE");
    }
  }

  @Test
  void matchesByNameWhateverTheOrder() throws BadMessageException {
    RowType type = type("id", "INT", "n", "STRING", "x", "DOUBLE");
    RowWriter writer = RowWriter.of(type, List.of("id"), Map.of());
    List<String> rows = new ArrayList<>();
    for (String each :
        List.of(
            "{\"id\":1,\"n\":\"a\",\"x\":1.5}",
            "{\"x\":2.5,\"id\":2,\"n\":\"b\"}",
            "{\"id\":3}",
            "{\"n\":null,\"id\":4,\"unknown\":null}",
            "{\"id\":5,\"n\":\"e\",\"x\":3}")) {
      assertThat(writer.write(MESSAGE, json(each), RowKind.UPDATE_AFTER)).isEqualTo(Outcome.FITS);
      assertThat(writer.row().kind()).isEqualTo(RowKind.UPDATE_AFTER);
      rows.add(CanonicalRows.of(type, writer.row()).toString());
    }
    assertThat(rows)
        .containsExactly(
            "{id=1, n=a, x=1.5}",
            "{id=2, n=b, x=2.5}",
            "{id=3, n=null, x=null}",
            "{id=4, n=null, x=null}",
            "{id=5, n=e, x=3.0}");
  }

  @Test
  void aKeyNeedsAValue() {
    RowWriter writer = RowWriter.of(type("id", "INT NOT NULL"), List.of("id"), Map.of());
    for (String row : List.of("{}", "{\"id\":null}")) {
      assertThatThrownBy(() -> writer.write(MESSAGE, json(row), RowKind.INSERT))
          .isInstanceOfSatisfying(
              BadMessageException.class, e -> assertThat(e.reason()).isEqualTo(Reason.KEY));
    }
    // Another type of the key is another table.
    assertThatThrownBy(() -> writer.write(MESSAGE, json("{\"id\":5000000000}"), RowKind.INSERT))
        .hasMessageContaining("LONG 5000000000 can't be held exactly by column id");
  }

  @Test
  void asksForColumnsAndWiderTypes() {
    assertThat(written(type("a", "INT"), RowColumns.BY_NAME, json("{\"a\":1,\"b\":2}")))
        .isEqualTo("NEEDS_SCHEMA: The table has no column for field b.");
    for (String pair :
        List.of(
            "INT 5000000000",
            "BIGINT 1.5",
            "INT \"x\"",
            "BOOLEAN 7",
            "DOUBLE \"x\"",
            "DECIMAL(5,2) 1.005",
            "INT [1]")) {
      String[] typeAndValue = pair.split(" ");
      assertThat(
              written(
                  type("a", typeAndValue[0]),
                  RowColumns.BY_NAME,
                  json("{\"a\":" + typeAndValue[1] + "}")))
          .as(pair)
          .startsWith("NEEDS_SCHEMA: Field a: ");
    }
    for (String pair :
        List.of("DATE \"x\"", "TIMESTAMP(3) \"x\"", "BYTES 1", "VARCHAR(1) \"xx\"")) {
      String[] typeAndValue = pair.split(" ");
      assertThat(
              written(
                  type("a", typeAndValue[0]),
                  RowColumns.BY_NAME,
                  json("{\"a\":" + typeAndValue[1] + "}")))
          .as(pair)
          .startsWith("VALUE: ");
    }
  }

  @Test
  void theMessagesSchemaDecidesWhereThereIsOne() {
    Change change = json("{\"a\":5000000000}");
    change.setColumns(
        new MessageColumns(
            List.of(
                new MessageColumn("a", DataTypes.BIGINT, true, null),
                new MessageColumn("b", DataTypes.STRING, true, null))));
    assertThat(written(type("a", "BIGINT"), RowColumns.BY_NAME, change))
        .isEqualTo("NEEDS_SCHEMA: The table has no column for field b.");
    assertThat(written(type("a", "INT", "b", "STRING"), RowColumns.BY_NAME, change))
        .startsWith("NEEDS_SCHEMA: Field a");
    assertThat(written(type("a", "BIGINT", "b", "STRING"), RowColumns.BY_NAME, change))
        .isEqualTo("{a=5000000000, b=null}");
    Change lying = json("{\"a\":\"x\"}");
    lying.setColumns(
        new MessageColumns(List.of(new MessageColumn("a", DataTypes.BIGINT, true, null))));
    assertThat(written(type("a", "BIGINT"), RowColumns.BY_NAME, lying)).startsWith("VALUE");
  }

  @Test
  void aMovedKeyIsSeenAndItsFormerRowWritten() throws BadMessageException {
    RowType type = type("id", "INT", "n", "STRING", "x", "INT");
    RowWriter writer = RowWriter.of(type, List.of("id"), Map.of());
    Change change = json("{\"id\":2,\"n\":\"b\",\"x\":9}");
    assertThat(writer.movesKey(change)).isFalse();
    change.fillBefore().addText("n", FieldRow.Kind.TEXT, "a");
    assertThat(writer.movesKey(change)).isFalse();
    change.fillBefore().addLong("id", 2);
    assertThat(writer.movesKey(change)).isFalse();
    change.fillBefore().clear();
    change.fillBefore().addLong("id", 1);
    change.fillBefore().addText("n", FieldRow.Kind.TEXT, "a");
    assertThat(writer.movesKey(change)).isTrue();
    assertThat(writer.writeBefore(MESSAGE, change)).isEqualTo(Outcome.FITS);
    assertThat(CanonicalRows.of(type, writer.row()).toString()).isEqualTo("{id=1, n=a, x=9}");
    assertThat(writer.row().kind()).isEqualTo(RowKind.DELETE);
    assertThat(writer.write(MESSAGE, change, RowKind.INSERT)).isEqualTo(Outcome.FITS);
    assertThat(CanonicalRows.of(type, writer.row()).toString()).isEqualTo("{id=2, n=b, x=9}");
  }

  @Test
  void factsAboutTheMessageAreColumns() throws BadMessageException {
    Map<String, MessageFact> metadata = new LinkedHashMap<>();
    RowType type =
        type(
            "t",
            "STRING",
            "p",
            "INT",
            "o",
            "BIGINT",
            "at",
            "TIMESTAMP(3) WITH LOCAL TIME ZONE",
            "k",
            "BYTES",
            "h",
            "STRING",
            "v",
            "INT");
    metadata.put("t", MessageFact.TOPIC);
    metadata.put("p", MessageFact.PARTITION);
    metadata.put("o", MessageFact.OFFSET);
    metadata.put("at", MessageFact.TIMESTAMP);
    metadata.put("k", MessageFact.KEY);
    metadata.put("h", MessageFact.HEADERS);
    RowWriter writer = RowWriter.of(type, List.of(), metadata);
    writer.write(MESSAGE, json("{\"v\":1,\"t\":\"passed over\"}"), RowKind.INSERT);
    assertThat(CanonicalRows.of(type, writer.row()).toString())
        .isEqualTo(
            "{t=shop.orders, p=3, o=1207, at=2023-11-14 22:13:20.123Z, k=6b31,"
                + " h=[{\"name\":\"h\",\"text\":\"v\"}], v=1}");
    Message bare = new Message("t", 0, 0, -1, null, null, List.of());
    writer.write(bare, json("{\"v\":1}"), RowKind.INSERT);
    assertThat(CanonicalRows.of(type, writer.row()).toString())
        .isEqualTo("{t=t, p=0, o=0, at=null, k=null, h=null, v=1}");
  }

  @Test
  void columnsMayTakeFieldsOfOtherNames() throws BadMessageException {
    RowType type =
        type("order_id", "INT", "again", "BIGINT", "pay_amount", "DOUBLE", "rest", "INT");
    Map<String, RowColumns.Source> sources = new LinkedHashMap<>();
    sources.put("order_id", new RowColumns.Field("id"));
    sources.put("again", new RowColumns.Field("id"));
    sources.put("pay_amount", new RowColumns.Field("amount"));
    RowColumns columns = new RowColumns(sources, Rest.LEFT_OUT, Set.of(), NumbersAsTimes.REFUSED);
    assertThat(written(type, columns, json("{\"amount\":1.5,\"id\":7,\"other\":true,\"rest\":1}")))
        .isEqualTo("{order_id=7, again=7, pay_amount=1.5, rest=null}");
    assertThat(written(type, columns, json("{\"amount\":\"x\",\"id\":7}"))).startsWith("VALUE");
    assertThatThrownBy(() -> RowWriter.of(type, List.of(), Map.of("nowhere", MessageFact.TOPIC)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("nowhere");
  }

  @Test
  void longValuesAreCutInMessages() {
    String value = "ü".repeat(10_000_000);
    assertThat(written(type("c", "DATE"), RowColumns.BY_NAME, json("{\"c\":\"" + value + "\"}")))
        .hasSizeLessThan(400)
        .contains("... (20000000 bytes)");
  }

  /** A number's digits, written out, would not fit into any memory. */
  @Test
  void hugeNumbersTakeNoMemory() {
    for (String number :
        List.of("1e999999999", "-1E-999999999", "9".repeat(1_000_000), "0e-99999999")) {
      for (String column :
          List.of("BIGINT", "DOUBLE", "FLOAT", "DECIMAL(38, 18)", "DECIMAL(5, 0)")) {
        String shown =
            written(
                type("c", column),
                new RowColumns(Map.of(), Rest.BY_NAME, Set.of("c"), NumbersAsTimes.REFUSED),
                json("{\"c\":" + number + "}"));
        assertThat(shown.startsWith("VALUE") || number.startsWith("0")).as(shown).isTrue();
      }
    }
  }
}
