package io.sluice.replicator.messages.avro;

import static io.sluice.replicator.messages.avro.AvroMessages.columns;
import static io.sluice.replicator.messages.avro.AvroMessages.framed;
import static io.sluice.replicator.messages.avro.AvroMessages.message;
import static io.sluice.replicator.messages.avro.AvroMessages.read;
import static io.sluice.replicator.messages.avro.AvroMessages.schema;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.replicator.messages.BadMessageException;
import io.sluice.replicator.messages.BadMessageException.Reason;
import io.sluice.replicator.messages.ConnectOrigin;
import io.sluice.replicator.messages.FieldRow;
import io.sluice.replicator.messages.Message;
import io.sluice.replicator.messages.MessageColumns;
import io.sluice.replicator.messages.json.Tombstones;
import io.sluice.replicator.messages.registry.RegistrySettings;
import io.sluice.replicator.messages.registry.RegistryUnavailableException;
import io.sluice.replicator.messages.registry.SchemaRegistry;
import io.sluice.replicator.messages.registry.StagedRegistry;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import org.apache.avro.Schema;
import org.apache.avro.Schema.Field;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecordBuilder;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class AvroFormatTest {

  private final StagedRegistry server = new StagedRegistry();
  private final SchemaRegistry registry =
      new SchemaRegistry(RegistrySettings.of(List.of(server.url())));
  private final AvroFormat format =
      new AvroFormat(registry, KeyUse.NONE, Tombstones.SKIP, ConnectOrigin.PLAIN);
  private int ids;

  @AfterEach
  void close() {
    server.close();
  }

  private static Schema recordOf(String type) {
    return schema("{'type':'record','name':'R','fields':[{'name':'f','type':" + type + "}]}");
  }

  private byte[] bytes(Schema schema, Object value) {
    server.schema(++ids, schema.toString());
    return framed(ids, schema, new GenericRecordBuilder(schema).set("f", value).build());
  }

  /** The lake's type and the value of a field that is written by Avro's own writer. */
  private String field(String type, @Nullable Object value) throws BadMessageException {
    Schema schema = recordOf(type);
    server.schema(++ids, schema.toString());
    GenericData.Record datum = new GenericData.Record(schema);
    datum.put("f", value);
    Message message = message(null, framed(ids, schema, datum));
    List<String> result = new ArrayList<>();
    format.read(
        message,
        change -> {
          assertThat(change.row().size()).isEqualTo(1);
          assertThat(change.row().name(0)).isEqualTo("f");
          MessageColumns columns = change.columns();
          assertThat(columns).isNotNull();
          result.add(columns.columns().get(0).type() + ": " + AvroMessages.value(change.row(), 0));
        });
    assertThat(result).hasSize(1);
    return result.get(0);
  }

  private static ByteBuffer buffer(int... values) {
    byte[] bytes = new byte[values.length];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) values[i];
    }
    return ByteBuffer.wrap(bytes);
  }

  @Test
  void readsPlainTypes() throws Exception {
    assertThat(field("'boolean'", true)).isEqualTo("BOOLEAN: BOOLEAN true");
    assertThat(field("'int'", Integer.MIN_VALUE)).isEqualTo("INT: LONG -2147483648");
    assertThat(field("'long'", Long.MIN_VALUE)).isEqualTo("BIGINT: LONG -9223372036854775808");
    assertThat(field("'long'", Long.MAX_VALUE)).isEqualTo("BIGINT: LONG 9223372036854775807");
    assertThat(field("'float'", 1.5f)).isEqualTo("FLOAT: DOUBLE 1.5");
    assertThat(field("'double'", -0.0)).isEqualTo("DOUBLE: DOUBLE -0.0");
    assertThat(field("'double'", Double.NaN)).isEqualTo("DOUBLE: DOUBLE NaN");
    assertThat(field("'string'", "h€llo 😀")).isEqualTo("STRING: TEXT h€llo 😀");
    assertThat(field("'bytes'", buffer(0, 255))).isEqualTo("BYTES: BYTES 00ff");
    assertThat(field("'null'", null)).isEqualTo("STRING: NULL");
  }

  @Test
  void readsEnumsAndFixed() throws Exception {
    String color = "{'type':'enum','name':'Color','symbols':['RED','GREEN']}";
    Schema schema = recordOf(color).getField("f").schema();
    assertThat(field(color, new GenericData.EnumSymbol(schema, "GREEN")))
        .isEqualTo("STRING: TEXT GREEN");
    String fixed = "{'type':'fixed','name':'F','size':3}";
    assertThat(
            field(
                fixed,
                new GenericData.Fixed(
                    recordOf(fixed).getField("f").schema(), new byte[] {1, 2, 3})))
        .isEqualTo("BYTES: BYTES 010203");
  }

  @Test
  void readsNullsInUnionsOfBothOrders() throws Exception {
    assertThat(field("['null','int']", null)).isEqualTo("INT: NULL");
    assertThat(field("['null','int']", 7)).isEqualTo("INT: LONG 7");
    assertThat(field("['int','null']", null)).isEqualTo("INT: NULL");
    assertThat(field("['int','null']", 7)).isEqualTo("INT: LONG 7");
    assertThat(field("['int']", 7)).isEqualTo("INT: LONG 7");
    assertThat(field("['null']", null)).endsWith("NULL");
  }

  @Test
  void tellsWhetherAColumnMayBeNull() throws Exception {
    Schema schema =
        schema(
            "{'type':'record','name':'R','fields':[{'name':'a','type':'int'},"
                + "{'name':'b','type':['null','int']}]}");
    server.schema(1, schema.toString());
    Object datum = new GenericRecordBuilder(schema).set("a", 1).set("b", null).build();
    MessageColumns columns = columns(format, message(null, framed(1, schema, datum))).get(0);
    assertThat(columns).isNotNull();
    assertThat(columns.columns())
        .extracting(column -> column.nullable())
        .containsExactly(false, true);
  }

  @Test
  void readsUnionsOfSeveralTypes() throws Exception {
    assertThat(field("['null','int','long']", 7)).isEqualTo("BIGINT: LONG 7");
    assertThat(field("['null','int','long']", 1L << 40)).isEqualTo("BIGINT: LONG 1099511627776");
    assertThat(field("['float','double']", 0.1)).isEqualTo("DOUBLE: DOUBLE 0.1");
    assertThat(field("['int','string','null']", 7)).isEqualTo("STRING: NESTED 7");
    assertThat(field("['int','string','null']", "a\"b")).isEqualTo("STRING: NESTED \"a\\\"b\"");
    assertThat(field("['int','string','null']", null)).isEqualTo("STRING: NULL");
  }

  @Test
  void readsDecimalsOfBytesAndFixed() throws Exception {
    String bytes = "{'type':'bytes','logicalType':'decimal','precision':10,'scale':2}";
    assertThat(field(bytes, buffer(0x04, 0xd2))).isEqualTo("DECIMAL(10, 2): DECIMAL 12.34");
    assertThat(field(bytes, buffer(0xff))).isEqualTo("DECIMAL(10, 2): DECIMAL -0.01");
    String fixed =
        "{'type':'fixed','name':'D','size':16,'logicalType':'decimal','precision':38,'scale':0}";
    byte[] most = new byte[16];
    byte[] digits = new BigInteger("9".repeat(38)).toByteArray();
    System.arraycopy(digits, 0, most, 16 - digits.length, digits.length);
    assertThat(field(fixed, new GenericData.Fixed(recordOf(fixed).getField("f").schema(), most)))
        .isEqualTo("DECIMAL(38, 0): DECIMAL " + "9".repeat(38));
    assertThat(
            field("{'type':'bytes','logicalType':'decimal','precision':60,'scale':2}", buffer(100)))
        .isEqualTo("STRING: DECIMAL 1.00");
  }

  @Test
  void readsDatesAndTimes() throws Exception {
    assertThat(field("{'type':'int','logicalType':'date'}", -2954)).isEqualTo("DATE: DATE -2954");
    assertThat(field("{'type':'int','logicalType':'time-millis'}", 1))
        .isEqualTo("STRING: TEXT 00:00:00.001");
    assertThat(field("{'type':'long','logicalType':'time-micros'}", 86_399_999_999L))
        .isEqualTo("STRING: TEXT 23:59:59.999999");
  }

  @Test
  void readsInstantsAndWallClocks() throws Exception {
    String ltz = " WITH LOCAL TIME ZONE: INSTANT ";
    assertThat(field("{'type':'long','logicalType':'timestamp-millis'}", -1L))
        .isEqualTo("TIMESTAMP(3)" + ltz + "-1+0ns");
    assertThat(field("{'type':'long','logicalType':'timestamp-micros'}", -1L))
        .isEqualTo("TIMESTAMP(6)" + ltz + "-1+999000ns");
    assertThat(field("{'type':'long','logicalType':'timestamp-nanos'}", 1_000_001L))
        .isEqualTo("TIMESTAMP(9)" + ltz + "1+1ns");
    assertThat(field("{'type':'long','logicalType':'local-timestamp-millis'}", 5L))
        .isEqualTo("TIMESTAMP(3): TIMESTAMP 5+0ns");
    assertThat(field("{'type':'long','logicalType':'local-timestamp-micros'}", 5L))
        .isEqualTo("TIMESTAMP(6): TIMESTAMP 0+5000ns");
    assertThat(field("{'type':'long','logicalType':'local-timestamp-nanos'}", -5L))
        .isEqualTo("TIMESTAMP(9): TIMESTAMP -1+999995ns");
  }

  @Test
  void readsUuidsOfStringsAndFixed() throws Exception {
    UUID uuid = new UUID(1, -2);
    assertThat(field("{'type':'string','logicalType':'uuid'}", uuid.toString()))
        .isEqualTo("STRING: TEXT " + uuid);
    String fixed = "{'type':'fixed','name':'U','size':16,'logicalType':'uuid'}";
    byte[] bytes = ByteBuffer.allocate(16).putLong(1).putLong(-2).array();
    assertThat(field(fixed, new GenericData.Fixed(recordOf(fixed).getField("f").schema(), bytes)))
        .isEqualTo("STRING: TEXT " + uuid);
  }

  @Test
  void readsConnectsNamesBeforeLogicalTypes() throws Exception {
    assertThat(field("{'type':'int','connect.type':'int16'}", 7)).isEqualTo("SMALLINT: LONG 7");
    assertThat(field("{'type':'int','connect.type':'int8'}", 7)).isEqualTo("TINYINT: LONG 7");
    assertThat(field("{'type':'long','connect.name':'io.debezium.time.MicroTimestamp'}", 7L))
        .isEqualTo("TIMESTAMP(6): TIMESTAMP 0+7000ns");
    assertThat(
            field(
                "{'type':'bytes','logicalType':'decimal','precision':64,'scale':2,"
                    + "'connect.name':'org.apache.kafka.connect.data.Decimal',"
                    + "'connect.parameters':{'scale':'2','connect.decimal.precision':'9'}}",
                buffer(100)))
        .isEqualTo("DECIMAL(9, 2): DECIMAL 1.00");
  }

  @Test
  void readsRecordsArraysAndMapsAsJsonText() throws Exception {
    String inner =
        "{'type':'record','name':'In','fields':["
            + "{'name':'a','type':'long'},{'name':'b','type':['null','string']},"
            + "{'name':'c','type':'bytes'},"
            + "{'name':'d','type':{'type':'bytes','logicalType':'decimal','precision':5,'scale':2}},"
            + "{'name':'e','type':'double'},"
            + "{'name':'g','type':{'type':'long','logicalType':'timestamp-millis'}},"
            + "{'name':'h','type':{'type':'int','logicalType':'date'}},"
            + "{'name':'i','type':{'type':'long','logicalType':'local-timestamp-micros'}},"
            + "{'name':'j','type':{'type':'long','logicalType':'time-micros'}},"
            + "{'name':'k','type':'boolean'}]}";
    Schema schema = recordOf(inner).getField("f").schema();
    Object record =
        new GenericRecordBuilder(schema)
            .set("a", Long.MAX_VALUE)
            .set("b", "tab\t, \"quoted\" \\ \u0001 é")
            .set("c", buffer(1, 2, 255))
            .set("d", buffer(100))
            .set("e", Double.NEGATIVE_INFINITY)
            .set("g", 1L)
            .set("h", 1)
            .set("i", -1L)
            .set("j", 1L)
            .set("k", false)
            .build();
    assertThat(field(inner, record))
        .isEqualTo(
            "STRING: NESTED {\"a\":9223372036854775807,"
                + "\"b\":\"tab\\t, \\\"quoted\\\" \\\\ \\u0001 é\",\"c\":\"AQL/\",\"d\":1.00,"
                + "\"e\":\"-Infinity\",\"g\":\"1970-01-01T00:00:00.001Z\",\"h\":\"1970-01-02\","
                + "\"i\":\"1969-12-31T23:59:59.999999\",\"j\":\"00:00:00.000001\",\"k\":false}");
    assertThat(field("{'type':'array','items':['null','int']}", Arrays.asList(1, null, 3)))
        .isEqualTo("STRING: NESTED [1,null,3]");
    assertThat(field("{'type':'array','items':'int'}", List.of())).isEqualTo("STRING: NESTED []");
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("x", "y");
    map.put("é", "");
    assertThat(field("{'type':'map','values':'string'}", map))
        .isEqualTo("STRING: NESTED {\"x\":\"y\",\"é\":\"\"}");
  }

  @Test
  void readsASchemaThatContainsItself() throws Exception {
    String list =
        "{'type':'record','name':'L','fields':[{'name':'v','type':'int'},"
            + "{'name':'next','type':['null','L']}]}";
    Schema schema = recordOf(list).getField("f").schema();
    Object last = new GenericRecordBuilder(schema).set("v", 2).set("next", null).build();
    Object first = new GenericRecordBuilder(schema).set("v", 1).set("next", last).build();
    assertThat(field(list, first))
        .isEqualTo("STRING: NESTED {\"v\":1,\"next\":{\"v\":2,\"next\":null}}");
  }

  @Test
  void readsASchemaWithReferences() throws Exception {
    server
        .stage(
            "/schemas/ids/1",
            200,
            "{\"schema\":\"{\\\"type\\\":\\\"record\\\",\\\"name\\\":\\\"R\\\",\\\"fields\\\":"
                + "[{\\\"name\\\":\\\"f\\\",\\\"type\\\":\\\"a.Color\\\"}]}\",\"references\":"
                + "[{\"name\":\"a.Color\",\"subject\":\"color\",\"version\":1}]}")
        .stage(
            "/subjects/color/versions/1?deleted=true",
            200,
            "{\"schema\":\"{\\\"type\\\":\\\"enum\\\",\\\"name\\\":\\\"Color\\\","
                + "\\\"namespace\\\":\\\"a\\\",\\\"symbols\\\":[\\\"RED\\\"]}\"}");
    assertThat(read(format, message(null, new byte[] {0, 0, 0, 0, 1, 0})))
        .containsExactly("UPSERT {f=TEXT RED}");
  }

  @Test
  void readsAUnionOfRecordsByItsBranchAndTellsTheRecordsName() throws Exception {
    Schema schema =
        schema(
            "['null',{'type':'record','name':'A','namespace':'n','fields':[{'name':'a','type':'int'}]},"
                + "{'type':'record','name':'B','fields':[{'name':'b','type':'int'}]}]");
    server.schema(1, schema.toString());
    List<String> tables = new ArrayList<>();
    for (int branch = 1; branch <= 2; branch++) {
      Schema record = schema.getTypes().get(branch);
      Object datum =
          new GenericRecordBuilder(record).set(record.getFields().get(0), branch).build();
      format.read(
          message(null, framed(1, schema, datum)),
          change -> tables.add(change.table() + AvroMessages.text(change.row())));
    }
    assertThat(tables).containsExactly("A{a=LONG 1}", "B{b=LONG 2}");
    assertThat(read(format, message(null, framed(1, schema, null)))).isEmpty();
  }

  @Test
  void givesTheSameColumnsAgainUntilTheSchemaChanges() throws Exception {
    Schema first = recordOf("'int'");
    Schema second =
        schema(
            "{'type':'record','name':'R','fields':[{'name':'f','type':'long'},"
                + "{'name':'g','type':['null','string'],'default':null}]}");
    server.schema(1, first.toString()).schema(2, second.toString());
    Message old =
        message(null, framed(1, first, new GenericRecordBuilder(first).set("f", 1).build()));
    Message now =
        message(null, framed(2, second, new GenericRecordBuilder(second).set("f", 1L).build()));
    MessageColumns a = columns(format, old).get(0);
    MessageColumns b = columns(format, now).get(0);
    assertThat(columns(format, old).get(0)).isSameAs(a);
    assertThat(columns(format, now).get(0)).isSameAs(b).isNotSameAs(a);
    assertThat(b).isNotNull();
    assertThat(b.columns())
        .extracting(column -> column.name() + " " + column.type())
        .containsExactly("f BIGINT", "g STRING");
    assertThat(server.requests()).containsExactly("/schemas/ids/1", "/schemas/ids/2");
  }

  @Test
  void ignoresTombstonesAndEmptyValues() throws Exception {
    assertThat(read(format, message(new byte[] {1}, null))).isEmpty();
    assertThat(read(format, message(null, new byte[0]))).isEmpty();
  }

  @Test
  void deletesTheRowOfATombstonesKeyWhenTold() throws Exception {
    Schema key = schema("{'type':'record','name':'K','fields':[{'name':'id','type':'int'}]}");
    Schema value =
        schema(
            "{'type':'record','name':'V','fields':[{'name':'id','type':'int'},"
                + "{'name':'v','type':'string'}]}");
    server.schema(1, key.toString()).schema(2, value.toString());
    AvroFormat deleting =
        new AvroFormat(registry, KeyUse.AVRO, Tombstones.DELETE, ConnectOrigin.PLAIN);
    byte[] keyBytes = framed(1, key, new GenericRecordBuilder(key).set("id", 7).build());
    byte[] valueBytes =
        framed(2, value, new GenericRecordBuilder(value).set("id", 7).set("v", "x").build());
    assertThat(read(deleting, message(keyBytes, null))).containsExactly("DELETE {id=LONG 7}");
    List<List<String>> primaryKeys = new ArrayList<>();
    deleting.read(message(keyBytes, valueBytes), c -> primaryKeys.add(c.primaryKey()));
    deleting.read(message(null, valueBytes), c -> primaryKeys.add(c.primaryKey()));
    assertThat(primaryKeys).containsExactly(List.of("id"), List.of());
    assertBad(() -> read(deleting, message(null, null)), Reason.KEY, "no key");
    assertThatThrownBy(
            () -> new AvroFormat(registry, KeyUse.NONE, Tombstones.DELETE, ConnectOrigin.PLAIN))
        .hasMessageContaining("key = avro");
  }

  @Test
  void saysThatItIsTheKeyThatCanNotBeRead() {
    Schema value = recordOf("'int'");
    AvroFormat keyed = new AvroFormat(registry, KeyUse.AVRO, Tombstones.SKIP, ConnectOrigin.PLAIN);
    byte[] bytes = bytes(value, 1);
    assertBad(
        () -> read(keyed, message(new byte[] {'4', '2'}, bytes)),
        Reason.MALFORMED,
        "The message's key");
    server.schema(50, "\"string\"");
    assertBad(
        () -> read(keyed, message(new byte[] {0, 0, 0, 0, 50, 2, 'a'}, bytes)),
        Reason.MALFORMED,
        "key = none");
  }

  interface Call {
    void run() throws BadMessageException;
  }

  private static void assertBad(Call call, Reason reason, String message) {
    BadMessageException bad = catchThrowableOfType(BadMessageException.class, call::run);
    assertThat(bad).isNotNull().hasMessageContaining(message);
    assertThat(bad.reason()).isEqualTo(reason);
  }

  private void assertMalformed(Schema schema, String hex, String message) {
    server.schema(++ids, schema.toString());
    byte[] data = HexFormat.of().parseHex(hex.replace(" ", ""));
    byte[] bytes = ByteBuffer.allocate(5 + data.length).put((byte) 0).putInt(ids).put(data).array();
    assertBad(() -> read(format, message(null, bytes)), Reason.MALFORMED, message);
  }

  @Test
  void refusesWhatTheSchemaDoesNotSay() {
    assertMalformed(recordOf("'int'"), "02 02", "1 bytes are left");
    assertMalformed(recordOf("'int'"), "", "end too early");
    assertMalformed(recordOf("'int'"), "ffffffffff7f", "more than 32 bits");
    assertMalformed(recordOf("'long'"), "ffffffffffffffffff7f", "more than 64 bits");
    assertMalformed(recordOf("'long'"), "ffffffffffffffffffff01", "more than 64 bits");
    assertMalformed(recordOf("'boolean'"), "02", "a boolean is 2");
    assertMalformed(recordOf("'double'"), "00000000000000", "end too early");
    assertMalformed(recordOf("'string'"), "04 c328", "not UTF-8");
    assertMalformed(recordOf("'string'"), "06 eda080", "not UTF-8");
    assertMalformed(recordOf("['null','int']"), "04", "2 choices");
    assertMalformed(recordOf("['null','int']"), "01", "2 choices, the data say -1");
    assertMalformed(
        recordOf("{'type':'enum','name':'E','symbols':['A']}"), "02", "E has 1 choices");
    assertMalformed(recordOf("{'type':'fixed','name':'F','size':4}"), "000000", "end too early");
    assertMalformed(recordOf("{'type':'array','items':'int'}"), "01 10 00", "a block of 8 bytes");
  }

  @Test
  void makesNothingOfALengthThatTheBytesDoNotHave() {
    for (String type : List.of("'string'", "'bytes'")) {
      // 2 GiB, Long.MAX_VALUE, -1.
      assertMalformed(
          recordOf(type), "feffffff0f", "a value of 2147483647 bytes, where 0 are left");
      assertMalformed(recordOf(type), "feffffffffffffffff01", "where 0 are left");
      assertMalformed(recordOf(type), "01", "a value of -1 bytes");
    }
    assertMalformed(
        recordOf("{'type':'array','items':'int'}"), "feffffffffffffffff01", "end too early");
    // Nulls take no bytes: 2^62 of them fit into eleven.
    assertMalformed(
        recordOf("{'type':'array','items':'null'}"),
        "feffffffffffffffff01",
        "more than 10000 elements without a byte");
    assertMalformed(
        recordOf("{'type':'array','items':{'type':'array','items':'null'}}"),
        "feffffffffffffffff01 feffffffffffffffff01",
        "more than 10000 elements without a byte");
    assertMalformed(
        recordOf("{'type':'map','values':'null'}"), "feffffffffffffffff01", "end too early");
  }

  @Test
  void comesToAnEndInDataThatAreDeeperThanAnyone() {
    Schema schema =
        recordOf("{'type':'record','name':'L','fields':[{'name':'next','type':['null','L']}]}");
    assertMalformed(schema, "02".repeat(1_000_000), "more than 500 levels");
  }

  @Test
  void refusesTimesThatThereAreNot() {
    String time = "{'type':'array','items':{'type':'int','logicalType':'time-millis'}}";
    server.schema(1, recordOf(time).toString());
    byte[] bytes = framed(1, recordOf(time), record(recordOf(time), List.of(-1)));
    assertBad(() -> read(format, message(null, bytes)), Reason.VALUE, "-1 is no time-millis");
  }

  private static Object record(Schema schema, Object value) {
    return new GenericRecordBuilder(schema).set("f", value).build();
  }

  @Test
  void refusesSchemasThatMakeNoRows() {
    server
        .schema(1, "\"string\"")
        .schema(2, "{\"type\":\"nonsense\"}")
        .stage("/schemas/ids/3", 200, "{\"schemaType\":\"JSON\",\"schema\":\"{}\"}");
    assertBad(
        () -> read(format, message(null, new byte[] {0, 0, 0, 0, 1, 0})),
        Reason.MALFORMED,
        "no record");
    assertBad(
        () -> read(format, message(null, new byte[] {0, 0, 0, 0, 2, 0})),
        Reason.MALFORMED,
        "schema 2 of the registry is no Avro schema");
    assertBad(
        () -> read(format, message(null, new byte[] {0, 0, 0, 0, 3, 0})),
        Reason.MALFORMED,
        "of type JSON");
    assertBad(
        () -> read(format, message(null, new byte[] {0, 0, 0, 0, 9, 0})),
        Reason.MALFORMED,
        "no schema 9");
    assertBad(
        () -> read(format, message(null, new byte[] {'{', '}'})), Reason.MALFORMED, "byte 123");
  }

  @Test
  void isNoBadMessageWhenTheRegistryIsDown() throws Exception {
    Schema schema = recordOf("'int'");
    byte[] bytes = bytes(schema, 1);
    server.always(503, "{}");
    assertThatThrownBy(() -> read(format, message(null, bytes)))
        .isInstanceOf(RegistryUnavailableException.class);
    server.always(0, null);
    assertThat(read(format, message(null, bytes))).containsExactly("UPSERT {f=LONG 1}");
    server.always(503, "{}");
    assertThat(read(format, message(null, bytes))).hasSize(1);
  }

  /** Random schemas and records by Avro's own writer; then damaged bytes. */
  @Test
  void agreesWithAvrosWriterAndSurvivesDamage() throws Exception {
    long seed = Long.getLong("test.seed", 20261130);
    System.out.println("test.seed=" + seed);
    Random random = new Random(seed);
    int bad = 0;
    for (int round = 0; round < 150; round++) {
      RandomAvro source = new RandomAvro(random);
      Schema schema = source.record(3);
      server.schema(++ids, schema.toString());
      for (int i = 0; i < 5; i++) {
        GenericData.Record datum = (GenericData.Record) source.value(schema);
        byte[] bytes = framed(ids, schema, datum);
        format.read(message(null, bytes), change -> assertSame(schema, datum, change.row()));
        for (int cut = 5; cut < Math.min(bytes.length, 25); cut++) {
          byte[] head = Arrays.copyOf(bytes, cut);
          assertThat(
                  catchThrowableOfType(
                      BadMessageException.class, () -> read(format, message(null, head))))
              .isNotNull();
        }
        for (int damage = 0; damage < 20 && bytes.length > 5; damage++) {
          byte[] damaged = bytes.clone();
          damaged[5 + random.nextInt(bytes.length - 5)] = (byte) random.nextInt();
          try {
            read(format, message(null, damaged));
          } catch (BadMessageException e) {
            bad++;
          }
        }
      }
    }
    assertThat(bad).isGreaterThan(1_000);
  }

  private static void assertSame(Schema schema, GenericData.Record datum, FieldRow row) {
    assertThat(row.size()).isEqualTo(schema.getFields().size());
    for (Field field : schema.getFields()) {
      int i = field.pos();
      Object value = datum.get(i);
      assertThat(row.name(i)).isEqualTo(field.name());
      if (value == null) {
        assertThat(row.kind(i)).isEqualTo(FieldRow.Kind.NULL);
        continue;
      }
      switch (row.kind(i)) {
        case BOOLEAN -> assertThat(row.booleanValue(i)).isEqualTo(value);
        case LONG -> assertThat(row.longValue(i)).isEqualTo(((Number) value).longValue());
        case DOUBLE -> assertThat(row.doubleValue(i)).isEqualTo(((Number) value).doubleValue());
        case TEXT -> assertThat(row.text(i)).isEqualTo(value.toString());
        case BYTES ->
            assertThat(
                    Arrays.copyOfRange(row.buffer(), row.offset(i), row.offset(i) + row.length(i)))
                .isEqualTo(bytes(value));
        case NESTED -> {
          try {
            assertThat(new ObjectMapper().readTree(row.text(i))).isEqualTo(json(value));
          } catch (com.fasterxml.jackson.core.JsonProcessingException e) {
            throw new AssertionError(row.text(i), e);
          }
        }
        default -> throw new AssertionError(row.kind(i));
      }
    }
  }

  private static byte[] bytes(Object value) {
    return value instanceof GenericData.Fixed fixed ? fixed.bytes() : ((ByteBuffer) value).array();
  }

  private static JsonNode json(@Nullable Object value) {
    JsonNodeFactory nodes = JsonNodeFactory.instance;
    if (value == null) {
      return nodes.nullNode();
    }
    if (value instanceof Boolean bool) {
      return nodes.booleanNode(bool);
    }
    if (value instanceof Integer number) {
      return nodes.numberNode(number);
    }
    if (value instanceof Long number) {
      return number == number.intValue()
          ? nodes.numberNode(number.intValue())
          : nodes.numberNode(number);
    }
    if (value instanceof Float number) {
      return nodes.numberNode(Double.parseDouble(number.toString()));
    }
    if (value instanceof Double number) {
      return nodes.numberNode(number);
    }
    if (value instanceof ByteBuffer || value instanceof GenericData.Fixed) {
      return nodes.textNode(Base64.getEncoder().encodeToString(bytes(value)));
    }
    if (value instanceof GenericData.Record inner) {
      ObjectNode node = nodes.objectNode();
      for (Field field : inner.getSchema().getFields()) {
        node.set(field.name(), json(inner.get(field.pos())));
      }
      return node;
    }
    if (value instanceof List<?> list) {
      ArrayNode node = nodes.arrayNode();
      list.forEach(each -> node.add(json(each)));
      return node;
    }
    if (value instanceof Map<?, ?> map) {
      ObjectNode node = nodes.objectNode();
      map.forEach((key, each) -> node.set(key.toString(), json(each)));
      return node;
    }
    return nodes.textNode(value.toString());
  }
}
