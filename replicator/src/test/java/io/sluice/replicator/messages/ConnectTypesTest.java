package io.sluice.replicator.messages;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.evolution.SourceColumn;
import io.sluice.replicator.messages.BadMessageException.Reason;
import io.sluice.replicator.messages.FieldRow.Kind;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ConnectTypesTest {

  private static final String DEBEZIUM = "io.debezium.";
  private static final String CONNECT = "org.apache.kafka.connect.data.";
  private static final byte[] NO_BYTES = {};

  private final FieldRow row = new FieldRow();

  private static FieldReader reader(
      ConnectOrigin origin, String type, @Nullable String name, Map<String, String> parameters) {
    return ConnectTypes.reader(origin, new ConnectField("f", type, true, name, parameters));
  }

  private static FieldReader mysql(
      String type, @Nullable String name, String column, int... sizes) {
    Map<String, String> parameters = new HashMap<>();
    parameters.put("__debezium.source.column.type", column);
    if (sizes.length > 0) {
      parameters.put("__debezium.source.column.length", Integer.toString(sizes[0]));
      parameters.put("length", Integer.toString(sizes[0]));
    }
    if (sizes.length > 1) {
      parameters.put("__debezium.source.column.scale", Integer.toString(sizes[1]));
      parameters.put("scale", Integer.toString(sizes[1]));
    }
    return reader(ConnectOrigin.MYSQL, type, name, parameters);
  }

  private static String lake(FieldReader reader) {
    return reader.column().type().toString();
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** Kind and value of the row's only field. */
  private String value() {
    assertThat(row.size()).isEqualTo(1);
    assertThat(row.name(0)).isEqualTo("f");
    Kind kind = row.kind(0);
    String value =
        switch (kind) {
          case NULL -> "";
          case BOOLEAN -> " " + row.booleanValue(0);
          case LONG, DATE, TIME -> " " + row.longValue(0);
          case DOUBLE -> " " + row.doubleValue(0);
          case TEXT, DECIMAL, NESTED, BYTES, BINARY_ARRAY -> " " + row.text(0);
          case TIMESTAMP, INSTANT -> " " + row.longValue(0) + " " + row.nanosOfMilli(0);
        };
    row.clear();
    return kind + value;
  }

  private String ofLong(FieldReader reader, long value) throws BadMessageException {
    reader.addLong(row, value);
    return value();
  }

  private String ofText(FieldReader reader, String value) throws BadMessageException {
    reader.addText(row, utf8(value), 0, utf8(value).length);
    return value();
  }

  private String ofBytes(FieldReader reader, int... values) throws BadMessageException {
    byte[] bytes = new byte[values.length];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) values[i];
    }
    reader.addBytes(row, bytes, 0, bytes.length);
    return value();
  }

  @Test
  void takesPlainTypesAsTheyAre() throws Exception {
    ConnectOrigin plain = ConnectOrigin.PLAIN;
    Map<String, String> types =
        Map.ofEntries(
            Map.entry("boolean", "BOOLEAN"),
            Map.entry("int8", "TINYINT"),
            Map.entry("int16", "SMALLINT"),
            Map.entry("int32", "INT"),
            Map.entry("int64", "BIGINT"),
            Map.entry("float32", "FLOAT"),
            Map.entry("float", "FLOAT"),
            Map.entry("float64", "DOUBLE"),
            Map.entry("double", "DOUBLE"),
            Map.entry("string", "STRING"),
            Map.entry("bytes", "BYTES"),
            Map.entry("struct", "STRING"),
            Map.entry("array", "STRING"),
            Map.entry("map", "STRING"));
    types.forEach(
        (type, lake) -> assertThat(lake(reader(plain, type, null, Map.of()))).isEqualTo(lake));
    assertThat(ofLong(reader(plain, "int32", null, Map.of()), -5)).isEqualTo("LONG -5");
    assertThat(ofText(reader(plain, "string", null, Map.of()), "é")).isEqualTo("TEXT é");
    assertThat(ofBytes(reader(plain, "bytes", null, Map.of()), 'a')).isEqualTo("BYTES a");
    reader(plain, "boolean", null, Map.of()).addBoolean(row, true);
    assertThat(value()).isEqualTo("BOOLEAN true");
    reader(plain, "double", null, Map.of()).addDouble(row, 0.1);
    assertThat(value()).isEqualTo("DOUBLE 0.1");
    reader(plain, "array", null, Map.of()).addNested(row, utf8("[1]"), 0, 3);
    assertThat(value()).isEqualTo("NESTED [1]");
    reader(plain, "int64", null, Map.of()).addNull(row);
    assertThat(value()).isEqualTo("NULL");
  }

  @Test
  void readsTimesOfDebeziumInAllTheirUnits() throws Exception {
    Map<String, String> no = Map.of();
    ConnectOrigin mysql = ConnectOrigin.MYSQL;
    FieldReader date = reader(mysql, "int32", DEBEZIUM + "time.Date", no);
    assertThat(lake(date)).isEqualTo("DATE");
    assertThat(ofLong(date, -2954)).isEqualTo("DATE -2954");
    FieldReader millis = reader(mysql, "int64", DEBEZIUM + "time.Timestamp", no);
    assertThat(lake(millis)).isEqualTo("TIMESTAMP(3)");
    assertThat(ofLong(millis, -1)).isEqualTo("TIMESTAMP -1 0");
    FieldReader micros = reader(mysql, "int64", DEBEZIUM + "time.MicroTimestamp", no);
    assertThat(lake(micros)).isEqualTo("TIMESTAMP(6)");
    assertThat(ofLong(micros, -1)).isEqualTo("TIMESTAMP -1 999000");
    FieldReader nanos = reader(mysql, "int64", DEBEZIUM + "time.NanoTimestamp", no);
    assertThat(lake(nanos)).isEqualTo("TIMESTAMP(9)");
    assertThat(ofLong(nanos, 1_000_001)).isEqualTo("TIMESTAMP 1 1");
    FieldReader time = reader(mysql, "int32", DEBEZIUM + "time.Time", no);
    assertThat(lake(time)).isEqualTo("STRING");
    assertThat(ofLong(time, 36_000_007)).isEqualTo("TEXT 10:00:00.007");
    assertThat(ofLong(reader(mysql, "int64", DEBEZIUM + "time.MicroTime", no), -1_500_000))
        .isEqualTo("TEXT -00:00:01.500000");
    assertThat(ofLong(reader(mysql, "int64", DEBEZIUM + "time.NanoTime", no), 1))
        .isEqualTo("TEXT 00:00:00.000000001");
  }

  @Test
  void readsConnectsOwnTimes() throws Exception {
    assertThat(lake(reader(ConnectOrigin.PLAIN, "int32", CONNECT + "Date", Map.of())))
        .isEqualTo("DATE");
    assertThat(ofLong(reader(ConnectOrigin.PLAIN, "int32", CONNECT + "Time", Map.of()), 1))
        .isEqualTo("TEXT 00:00:00.001");
    FieldReader instant = reader(ConnectOrigin.PLAIN, "int64", CONNECT + "Timestamp", Map.of());
    assertThat(lake(instant)).isEqualTo("TIMESTAMP(3) WITH LOCAL TIME ZONE");
    assertThat(ofLong(instant, 5)).isEqualTo("INSTANT 5 0");
    FieldReader wall = reader(ConnectOrigin.DATABASE, "int64", CONNECT + "Timestamp", Map.of());
    assertThat(lake(wall)).isEqualTo("TIMESTAMP(3)");
    assertThat(ofLong(wall, 5)).isEqualTo("TIMESTAMP 5 0");
  }

  @Test
  void readsInstantsThatAreText() throws Exception {
    String name = DEBEZIUM + "time.ZonedTimestamp";
    FieldReader mysql = reader(ConnectOrigin.MYSQL, "string", name, Map.of());
    assertThat(lake(mysql)).isEqualTo("TIMESTAMP(6) WITH LOCAL TIME ZONE");
    assertThat(ofText(mysql, "2026-01-15T14:00:00Z")).isEqualTo("TEXT 2026-01-15T14:00:00Z");
    // A zero date.
    assertThat(ofText(mysql, "1970-01-01T00:00:00Z")).isEqualTo("NULL");
    assertThat(ofText(mysql, "1970-01-01T00:00:00.000Z")).isEqualTo("NULL");
    assertThat(ofText(mysql, "1970-01-01T00:00:00.001Z"))
        .isEqualTo("TEXT 1970-01-01T00:00:00.001Z");
    assertThat(ofText(mysql, "1970-01-01T00:00:00+01:00"))
        .isEqualTo("TEXT 1970-01-01T00:00:00+01:00");
    FieldReader other = reader(ConnectOrigin.DATABASE, "string", name, Map.of());
    assertThat(lake(other)).isEqualTo("TIMESTAMP(9) WITH LOCAL TIME ZONE");
    assertThat(ofText(other, "1970-01-01T00:00:00Z")).isEqualTo("TEXT 1970-01-01T00:00:00Z");
  }

  @Test
  void readsDecimalsOfEverySizeExactly() throws Exception {
    long seed = Long.getLong("test.seed", 20261130);
    System.out.println("test.seed=" + seed);
    Random random = new Random(seed);
    for (int i = 0; i < 20_000; i++) {
      int scale = random.nextInt(40) - 5;
      BigInteger unscaled = new BigInteger(random.nextInt(140), random);
      unscaled = random.nextBoolean() ? unscaled.negate() : unscaled;
      FieldReader reader =
          reader(
              ConnectOrigin.PLAIN,
              "bytes",
              CONNECT + "Decimal",
              Map.of("scale", Integer.toString(scale)));
      byte[] bytes = unscaled.toByteArray();
      if (random.nextInt(4) == 0) {
        // Sign bytes in front change nothing.
        byte[] longer = new byte[bytes.length + 3];
        java.util.Arrays.fill(longer, (byte) (unscaled.signum() < 0 ? -1 : 0));
        System.arraycopy(bytes, 0, longer, 3, bytes.length);
        bytes = longer;
      }
      reader.addBytes(row, bytes, 0, bytes.length);
      assertThat(value()).isEqualTo("DECIMAL " + new BigDecimal(unscaled, scale).toPlainString());
    }
  }

  @Test
  void takesTheTypeOfADecimalFromItsPrecisionAndScale() {
    assertThat(lake(decimal("10", "2"))).isEqualTo("DECIMAL(10, 2)");
    assertThat(lake(decimal("38", "38"))).isEqualTo("DECIMAL(38, 38)");
    assertThat(lake(decimal("39", "2"))).isEqualTo("STRING");
    assertThat(lake(decimal("5", "-2"))).isEqualTo("DECIMAL(7, 0)");
    assertThat(lake(decimal("x", "2"))).isEqualTo("DECIMAL(38, 2)");
    assertThat(lake(decimal("5", "40"))).isEqualTo("STRING");
    assertThat(lake(reader(ConnectOrigin.PLAIN, "bytes", CONNECT + "Decimal", Map.of())))
        .isEqualTo("DECIMAL(38, 0)");
  }

  private static FieldReader decimal(String precision, String scale) {
    return reader(
        ConnectOrigin.PLAIN,
        "bytes",
        CONNECT + "Decimal",
        Map.of("connect.decimal.precision", precision, "scale", scale));
  }

  @Test
  void readsDecimalsThatBringTheirScale() throws Exception {
    FieldReader reader =
        reader(ConnectOrigin.DATABASE, "struct", DEBEZIUM + "data.VariableScaleDecimal", Map.of());
    assertThat(lake(reader)).isEqualTo("STRING");
    reader.addScaled(row, 3, new byte[] {1, 0}, 0, 2);
    assertThat(value()).isEqualTo("DECIMAL 0.256");
    reader.addScaled(row, -2, new byte[] {-1}, 0, 1);
    assertThat(value()).isEqualTo("DECIMAL -100");
  }

  @Test
  void readsBitsAsTheNumberThatTheyStandFor() throws Exception {
    FieldReader ten =
        reader(ConnectOrigin.MYSQL, "bytes", DEBEZIUM + "data.Bits", Map.of("length", "10"));
    assertThat(lake(ten)).isEqualTo("BIGINT");
    assertThat(ofBytes(ten, 1, 2)).isEqualTo("LONG 513");
    assertThat(ofBytes(ten, 1, 2, 0)).isEqualTo("LONG 513");
    assertThat(ofBytes(ten)).isEqualTo("LONG 0");
    assertThatThrownBy(() -> ofBytes(ten, 0, 4)).hasMessageContaining("more than 10 bits");
    FieldReader all =
        reader(ConnectOrigin.MYSQL, "bytes", DEBEZIUM + "data.Bits", Map.of("length", "64"));
    assertThat(lake(all)).isEqualTo("DECIMAL(20, 0)");
    assertThat(ofBytes(all, 255, 255, 255, 255, 255, 255, 255, 255))
        .isEqualTo("DECIMAL 18446744073709551615");
  }

  @Test
  void givesAMySqlColumnTheLakeTypeOfADirectCopy() {
    assertThat(lake(mysql("int16", null, "TINYINT", 1))).isEqualTo("TINYINT");
    assertThat(lake(mysql("int16", null, "TINYINT UNSIGNED"))).isEqualTo("SMALLINT");
    assertThat(lake(mysql("int32", null, "MEDIUMINT"))).isEqualTo("INT");
    assertThat(lake(mysql("int64", null, "INT UNSIGNED"))).isEqualTo("BIGINT");
    assertThat(lake(mysql("int64", null, "BIGINT UNSIGNED"))).isEqualTo("DECIMAL(20, 0)");
    assertThat(lake(mysql("bytes", CONNECT + "Decimal", "BIGINT UNSIGNED")))
        .isEqualTo("DECIMAL(20, 0)");
    assertThat(lake(mysql("bytes", CONNECT + "Decimal", "DECIMAL", 10, 3)))
        .isEqualTo("DECIMAL(10, 3)");
    assertThat(lake(mysql("double", null, "DECIMAL UNSIGNED", 10, 3))).isEqualTo("DECIMAL(10, 3)");
    assertThat(lake(mysql("string", null, "DECIMAL", 65, 30))).isEqualTo("STRING");
    assertThat(lake(mysql("float", null, "FLOAT"))).isEqualTo("FLOAT");
    assertThat(lake(mysql("boolean", null, "BIT", 1))).isEqualTo("BOOLEAN");
    assertThat(lake(mysql("bytes", DEBEZIUM + "data.Bits", "BIT", 12))).isEqualTo("BIGINT");
    assertThat(lake(mysql("int64", DEBEZIUM + "time.MicroTimestamp", "DATETIME", 4)))
        .isEqualTo("TIMESTAMP(4)");
    assertThat(lake(mysql("int64", DEBEZIUM + "time.Timestamp", "DATETIME")))
        .isEqualTo("TIMESTAMP(0)");
    assertThat(lake(mysql("string", DEBEZIUM + "time.ZonedTimestamp", "TIMESTAMP", 3)))
        .isEqualTo("TIMESTAMP(3) WITH LOCAL TIME ZONE");
    assertThat(lake(mysql("int64", DEBEZIUM + "time.MicroTime", "TIME", 2))).isEqualTo("STRING");
    assertThat(lake(mysql("int32", DEBEZIUM + "time.Year", "YEAR"))).isEqualTo("INT");
    assertThat(lake(mysql("string", null, "VARCHAR", 40))).isEqualTo("STRING");
    assertThat(lake(mysql("bytes", null, "BINARY", 16))).isEqualTo("BYTES");
    FieldReader geometry = mysql("struct", DEBEZIUM + "data.geometry.Point", "POINT");
    assertThat(lake(geometry)).isEqualTo("STRING");
    assertThat(geometry.column().source()).isNull();
  }

  @Test
  void tellsTheColumnOfTheDatabase() {
    FieldReader reader =
        reader(
            ConnectOrigin.MARIADB,
            "string",
            DEBEZIUM + "data.Enum",
            Map.of("allowed", "a,b\\,c,d\\\\", "__debezium.source.column.type", "ENUM"));
    assertThat(reader.column().source())
        .isEqualTo(
            new SourceColumn(
                "f", "ENUM", null, null, true, null, List.of("a", "b,c", "d\\"), null));
  }

  @Test
  void givesValuesOfMySqlColumnsAsADirectCopyDoes() throws Exception {
    assertThat(ofLong(mysql("int64", null, "BIGINT UNSIGNED"), -1))
        .isEqualTo("DECIMAL 18446744073709551615");
    assertThat(ofLong(mysql("int64", null, "BIGINT UNSIGNED"), 7)).isEqualTo("LONG 7");
    assertThat(ofLong(mysql("int32", DEBEZIUM + "time.Year", "YEAR"), 1900)).isEqualTo("LONG 0");
    assertThat(ofLong(mysql("int32", DEBEZIUM + "time.Year", "YEAR"), 1901)).isEqualTo("LONG 1901");
    FieldReader time = mysql("int64", DEBEZIUM + "time.MicroTime", "TIME", 1);
    assertThat(ofLong(time, -3_020_399_500_000L)).isEqualTo("TEXT -838:59:59.5");
    assertThatThrownBy(() -> ofLong(time, 50_000)).hasMessageContaining("1 fraction digits");
    assertThat(ofLong(mysql("int64", DEBEZIUM + "time.MicroTime", "TIME"), 0))
        .isEqualTo("TEXT 00:00:00");
    assertThat(ofText(mysql("string", DEBEZIUM + "data.Json", "JSON"), "{\"a\":[1,\"x:\\\",y\"]}"))
        .isEqualTo("TEXT {\"a\": [1, \"x:\\\",y\"]}");
    assertThat(ofText(mysql("string", DEBEZIUM + "data.EnumSet", "SET"), "a,b"))
        .isEqualTo("TEXT a,b");
    assertThat(ofText(mysql("string", DEBEZIUM + "data.Enum", "ENUM"), "a\\,b\\\\c\\d"))
        .isEqualTo("TEXT a,b\\c\\d");
    mysql("boolean", null, "TINYINT", 1).addBoolean(row, true);
    assertThat(value()).isEqualTo("LONG 1");
  }

  @Test
  void ignoresTypeNamesOfOtherDatabases() {
    FieldReader reader =
        reader(
            ConnectOrigin.DATABASE,
            "int64",
            DEBEZIUM + "time.MicroTimestamp",
            Map.of("__debezium.source.column.type", "TIMESTAMP"));
    assertThat(lake(reader)).isEqualTo("TIMESTAMP(6)");
    assertThat(reader.column().source()).isNull();
  }

  @Test
  void ignoresAColumnTypeThatTheValuesCanNotBeOf() {
    for (FieldReader reader :
        List.of(
            mysql("string", null, "BIT", 3),
            mysql("int32", null, "VARCHAR", 3),
            mysql("int64", null, "DATETIME"),
            mysql("struct", null, "INT"),
            mysql("string", null, "WHATEVER"))) {
      assertThat(reader.column().source()).isNull();
    }
  }

  @Test
  void ignoresAMeaningThatIsNotOfItsType() throws Exception {
    assertThat(ofText(reader(ConnectOrigin.MYSQL, "string", DEBEZIUM + "time.Date", Map.of()), "x"))
        .isEqualTo("TEXT x");
    assertThat(reader(ConnectOrigin.MYSQL, "struct", CONNECT + "Decimal", Map.of()).meaning())
        .isEqualTo(FieldReader.Meaning.NESTED);
  }

  @Test
  void refusesWhatCanNotBeReadAsItsMeaning() {
    FieldReader date = reader(ConnectOrigin.PLAIN, "int32", CONNECT + "Date", Map.of());
    FieldReader decimal = decimal("10", "2");
    FieldReader time = reader(ConnectOrigin.PLAIN, "int64", DEBEZIUM + "time.MicroTime", Map.of());
    for (org.assertj.core.api.ThrowableAssert.ThrowingCallable call :
        List.<org.assertj.core.api.ThrowableAssert.ThrowingCallable>of(
            () -> date.addText(row, utf8("abc"), 0, 3),
            () -> date.addBoolean(row, true),
            () -> date.addDouble(row, 1.5),
            () -> date.addBytes(row, utf8("a"), 0, 1),
            () -> date.addDigits(row, utf8("1.5"), 0, 3),
            () -> date.addNested(row, utf8("{}"), 0, 2),
            () -> date.addScaled(row, 1, utf8("a"), 0, 1),
            () -> decimal.addBytes(row, NO_BYTES, 0, 0),
            () -> decimal.addBytes(row, new byte[10_000_000], 0, 10_000_000),
            () -> time.addLong(row, Long.MIN_VALUE),
            () -> time.addLong(row, Long.MAX_VALUE))) {
      assertThatThrownBy(call)
          .isInstanceOf(BadMessageException.class)
          .hasMessageContaining("Field f: ")
          .extracting(e -> ((BadMessageException) e).reason())
          .isEqualTo(Reason.VALUE);
      assertThat(row.size()).isZero();
    }
    FieldReader variable =
        reader(ConnectOrigin.DATABASE, "struct", DEBEZIUM + "data.VariableScaleDecimal", Map.of());
    assertThatThrownBy(() -> variable.addScaled(row, 2_000_000_000, new byte[] {1}, 0, 1))
        .isInstanceOf(BadMessageException.class);
    assertThatThrownBy(() -> variable.addScaled(row, Integer.MIN_VALUE, new byte[] {1}, 0, 1))
        .isInstanceOf(BadMessageException.class);
  }

  @Test
  void refusesThePlaceholderOfAValueThatTheLogDidNotHave() throws Exception {
    byte[] placeholder = utf8("__debezium_unavailable_value");
    FieldReader text = reader(ConnectOrigin.DATABASE, "string", null, Map.of());
    FieldReader json = reader(ConnectOrigin.DATABASE, "string", DEBEZIUM + "data.Json", Map.of());
    FieldReader bytes = reader(ConnectOrigin.DATABASE, "bytes", null, Map.of());
    assertThatThrownBy(() -> text.addText(row, placeholder, 0, placeholder.length))
        .hasMessageContaining("REPLICA IDENTITY FULL");
    assertThatThrownBy(() -> json.addText(row, placeholder, 0, placeholder.length))
        .isInstanceOf(BadMessageException.class);
    assertThatThrownBy(() -> bytes.addBytes(row, placeholder, 0, placeholder.length))
        .isInstanceOf(BadMessageException.class);
    assertThat(ofText(text, "x")).isEqualTo("TEXT x");
    assertThat(ofBytes(bytes, 'x')).isEqualTo("BYTES x");
    // MySQL's log has every value, so there it is a text like any other.
    assertThat(
            ofText(
                reader(ConnectOrigin.MYSQL, "string", null, Map.of()),
                "__debezium_unavailable_value"))
        .isEqualTo("TEXT __debezium_unavailable_value");
  }

  @Test
  void knowsWhoseColumnsTheyAreByTheSourceBlock() {
    assertThat(ConnectOrigin.ofSourceBlock("io.debezium.connector.mysql.Source"))
        .isEqualTo(ConnectOrigin.MYSQL);
    assertThat(ConnectOrigin.ofSourceBlock("io.debezium.connector.mariadb.Source"))
        .isEqualTo(ConnectOrigin.MARIADB);
    assertThat(ConnectOrigin.ofSourceBlock("io.debezium.connector.postgresql.Source"))
        .isEqualTo(ConnectOrigin.DATABASE);
    assertThat(ConnectOrigin.ofSourceBlock("event.block")).isEqualTo(ConnectOrigin.PLAIN);
    assertThat(ConnectOrigin.ofSourceBlock(null)).isEqualTo(ConnectOrigin.PLAIN);
  }
}
