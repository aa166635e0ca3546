package io.sluice.replicator.messages.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.replicator.messages.BadMessageException;
import io.sluice.replicator.messages.Base64Text;
import io.sluice.replicator.messages.ConnectField;
import io.sluice.replicator.messages.ConnectOrigin;
import io.sluice.replicator.messages.FieldRow;
import io.sluice.replicator.messages.Shown;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SchemaFieldsTest {

  private static SchemaFields field(
      String type, @Nullable String logical, Map<String, String> parameters, ConnectOrigin origin) {
    return new SchemaFields(
        origin, List.of(new ConnectField("f", type, true, logical, parameters)));
  }

  private static String value(SchemaFields field, String json) throws BadMessageException {
    byte[] bytes = ("{\"f\":" + json + "}").getBytes(StandardCharsets.UTF_8);
    JsonInput input = new JsonInput();
    input.open(bytes, 0, bytes.length);
    FieldRow row = new FieldRow();
    input.addObjectTo(row);
    field.convert(row);
    return field.columns().columns().get(0).type() + ": " + Shown.value(row, 0);
  }

  private static Map<String, String> parameters(@Nullable String text) {
    Map<String, String> result = new HashMap<>();
    if (text != null) {
      for (String each : text.split(";")) {
        result.put(each.split("=")[0], each.split("=")[1]);
      }
    }
    return result;
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          int8    |                      |          | -1                   | TINYINT: -1
          int16   |                      |          | 300                  | SMALLINT: 300
          int32   |                      |          | null                 | INT: NULL
          int64   |                      |          | 9                    | BIGINT: 9
          float   |                      |          | 1.5                  | FLOAT: decimal 1.5
          double  |                      |          | 1                    | DOUBLE: 1
          boolean |                      |          | true                 | BOOLEAN: true
          string  |                      |          | "x"                  | STRING: 'x'
          bytes   |                      |          | "AQI="               | BYTES: bytes 0102
          bytes   |                      |          | ""                   | BYTES: bytes
          array   |                      |          | [1, 2]               | STRING: nested [1, 2]
          int32   | io.debezium.time.Date |         | -2954                | DATE: day -2954
          int32   | org.apache.kafka.connect.data.Date || 1              | DATE: day 1
          int32   | io.debezium.time.Time |         | 1500                 | STRING: '00:00:01.500'
          int64   | io.debezium.time.MicroTime ||     -5                 | STRING: '-00:00:00.000005'
          int64   | io.debezium.time.NanoTime ||      5000               | STRING: '00:00:00.000005000'
          int32   | org.apache.kafka.connect.data.Time || 1              | STRING: '00:00:00.001'
          int64   | io.debezium.time.Timestamp ||     -1                 | TIMESTAMP(3): wall -1+0
          int64   | io.debezium.time.MicroTimestamp || -1                | TIMESTAMP(6): wall -1+999000
          int64   | io.debezium.time.NanoTimestamp || 1000001            | TIMESTAMP(9): wall 1+1
          int64   | org.apache.kafka.connect.data.Timestamp || 7         | TIMESTAMP(3): wall 7+0
          string  | io.debezium.time.ZonedTimestamp || "2026-01-01T00:00:00Z" | TIMESTAMP(9) WITH LOCAL TIME ZONE: '2026-01-01T00:00:00Z'
          string  | io.debezium.time.ZonedTime || "10:00:00Z"            | STRING: '10:00:00Z'
          int32   | io.debezium.time.Year |         | 2026                 | INT: 2026
          string  | io.debezium.time.Interval ||      "P1Y"              | STRING: 'P1Y'
          int64   | io.debezium.time.MicroDuration || 5                  | BIGINT: 5
          bytes   | org.apache.kafka.connect.data.Decimal | scale=2;connect.decimal.precision=5 | "BNI=" | DECIMAL(5, 2): decimal 12.34
          bytes   | org.apache.kafka.connect.data.Decimal | scale=2      | 12.34 | DECIMAL(38, 2): decimal 12.34
          bytes   | org.apache.kafka.connect.data.Decimal | scale=0      | "AP//////////" | DECIMAL(38, 0): decimal 18446744073709551615
          bytes   | org.apache.kafka.connect.data.Decimal | scale=3      | "/w=="         | DECIMAL(38, 3): decimal -0.001
          bytes   | org.apache.kafka.connect.data.Decimal | scale=30;connect.decimal.precision=65 | "AA==" | STRING: decimal 0.000000000000000000000000000000
          struct  | io.debezium.data.VariableScaleDecimal || {"scale":1,"value":"BNI="} | STRING: decimal 123.4
          bytes   | io.debezium.data.Bits | length=10 | "AQI="             | BIGINT: 513
          bytes   | io.debezium.data.Bits | length=64 | "//////////8="     | DECIMAL(20, 0): decimal 18446744073709551615
          string  | io.debezium.data.Json |         | "{\\"a\\":1}"        | STRING: '{"a":1}'
          string  | io.debezium.data.Enum | allowed=a,b | "a"              | STRING: 'a'
          string  | io.debezium.data.EnumSet ||       "a,b"              | STRING: 'a,b'
          string  | io.debezium.data.Xml |          | "<a/>"               | STRING: '<a/>'
          string  | io.debezium.data.Uuid |         | "u"                  | STRING: 'u'
          struct  | io.debezium.data.geometry.Point || {"x":1.0,"y":2.0} | STRING: nested {"x":1.0,"y":2.0}
          """)
  void takesEachTypeOfASchema(
      String type, @Nullable String logical, @Nullable String parameters, String json, String shown)
      throws BadMessageException {
    SchemaFields field = field(type, logical, parameters(parameters), ConnectOrigin.DATABASE);
    assertThat(value(field, json).strip()).isEqualTo(shown);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          TINYINT           |1| | int16  |                                 | 127      | TINYINT: 127
          TINYINT UNSIGNED  | | | int16  |                                 | 255      | SMALLINT: 255
          INT UNSIGNED      | | | int64  |                                 | 7        | BIGINT: 7
          BIGINT UNSIGNED   | | | int64  |                                 | -1       | DECIMAL(20, 0): decimal 18446744073709551615
          BIGINT UNSIGNED   | | | bytes  | org.apache.kafka.connect.data.Decimal | "AP//////////" | DECIMAL(20, 0): decimal 18446744073709551615
          DECIMAL           |10|2| bytes | org.apache.kafka.connect.data.Decimal | "BNI=" | DECIMAL(10, 2): decimal 12.34
          DECIMAL           |10|2| string |                                | "12.34"  | DECIMAL(10, 2): '12.34'
          DECIMAL           |65|2| string |                                | "1.50"   | STRING: '1.50'
          DECIMAL           |10|2| double |                                | 1.5      | DECIMAL(10, 2): decimal 1.5
          YEAR              | | | int32  | io.debezium.time.Year           | 1900     | INT: 0
          BIT               |1| | boolean |                                | true     | BOOLEAN: true
          BIT               |10| | bytes | io.debezium.data.Bits           | "AQI="   | BIGINT: 513
          DATETIME          |3| | int64  | io.debezium.time.Timestamp      | 5        | TIMESTAMP(3): wall 5+0
          DATETIME          | | | int64  | io.debezium.time.Timestamp      | 5000     | TIMESTAMP(0): wall 5000+0
          TIMESTAMP         |6| | string | io.debezium.time.ZonedTimestamp | "2026-01-01T00:00:00Z" | TIMESTAMP(6) WITH LOCAL TIME ZONE: '2026-01-01T00:00:00Z'
          TIMESTAMP         | | | string | io.debezium.time.ZonedTimestamp | "1970-01-01T00:00:00Z" | TIMESTAMP(0) WITH LOCAL TIME ZONE: NULL
          TIME              |3| | int64  | io.debezium.time.MicroTime      | -1500000 | STRING: '-00:00:01.500'
          TIME              | | | int64  | io.debezium.time.MicroTime      | 3020399000000 | STRING: '838:59:59'
          ENUM              |1| | string | io.debezium.data.Enum           | "a\\\\,b" | STRING: 'a,b'
          JSON              | | | string | io.debezium.data.Json           | "{\\"a\\":[1,\\",\\"]}" | STRING: '{"a": [1, ","]}'
          BINARY            |4| | bytes  |                                 | "AQI="   | BYTES: bytes 01020000
          BINARY            |4| | string |                                 | "0102"   | BYTES: '0102'
          VARCHAR           |20| | string |                                | "x"      | STRING: 'x'
          GEOMETRY          | | | struct | io.debezium.data.geometry.Geometry | {"wkb":"AA=="} | STRING: nested {"wkb":"AA=="}
          """)
  void columnsOfMysqlAreAsACopyHasThem(
      String column,
      @Nullable String length,
      @Nullable String scale,
      String type,
      @Nullable String logical,
      String json,
      String shown)
      throws BadMessageException {
    Map<String, String> parameters = new HashMap<>();
    parameters.put("__debezium.source.column.type", column);
    if (length != null) {
      parameters.put("__debezium.source.column.length", length);
    }
    if (scale != null) {
      parameters.put("__debezium.source.column.scale", scale);
    }
    if (logical != null && logical.endsWith("Decimal")) {
      parameters.put("scale", scale == null ? "0" : scale);
    }
    if (column.equals("BIT") && length != null) {
      parameters.put("length", length);
    }
    SchemaFields field = field(type, logical, parameters, ConnectOrigin.MYSQL);
    assertThat(value(field, json)).isEqualTo(shown);
  }

  @Test
  void refusesWhatTheTypeDoesNotAllow() {
    Map<String, String> scale = Map.of("scale", "2");
    String decimal = "org.apache.kafka.connect.data.Decimal";
    SchemaFields number = field("bytes", decimal, scale, ConnectOrigin.PLAIN);
    for (String json : new String[] {"\"\"", "\"AB\"", "\"AR==\"", "\"A===\"", "true", "[]"}) {
      assertThatThrownBy(() -> value(number, json))
          .as(json)
          .isInstanceOf(BadMessageException.class);
    }
  }

  @Test
  void base64IsThatOfJava() {
    Random random = new Random(7);
    for (int i = 0; i < 2_000; i++) {
      byte[] bytes = new byte[i % 40];
      random.nextBytes(bytes);
      byte[] text = java.util.Base64.getEncoder().encode(bytes);
      byte[] buffer = new byte[text.length + 2];
      System.arraycopy(text, 0, buffer, 1, text.length);
      int length = Base64Text.decodeInPlace(buffer, 1, text.length);
      assertThat(java.util.Arrays.copyOfRange(buffer, 1, 1 + length)).isEqualTo(bytes);
    }
  }
}
