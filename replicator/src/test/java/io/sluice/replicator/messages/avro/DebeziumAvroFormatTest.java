package io.sluice.replicator.messages.avro;

import static io.sluice.replicator.messages.avro.AvroMessages.framed;
import static io.sluice.replicator.messages.avro.AvroMessages.message;
import static io.sluice.replicator.messages.avro.AvroMessages.read;
import static io.sluice.replicator.messages.avro.AvroMessages.schema;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.sluice.replicator.messages.BadMessageException;
import io.sluice.replicator.messages.BadMessageException.Reason;
import io.sluice.replicator.messages.Change;
import io.sluice.replicator.messages.MessageColumn;
import io.sluice.replicator.messages.registry.RegistrySettings;
import io.sluice.replicator.messages.registry.RegistryUnavailableException;
import io.sluice.replicator.messages.registry.SchemaRegistry;
import io.sluice.replicator.messages.registry.StagedRegistry;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecordBuilder;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** With schemas as Confluent's converter writes them of Debezium's, column types propagated. */
class DebeziumAvroFormatTest {

  private static final Schema ENVELOPE = resource("orders-value.avsc");
  private static final Schema KEY = resource("orders-key.avsc");
  private static final Schema ROW = ENVELOPE.getField("before").schema().getTypes().get(1);
  private static final Schema SOURCE = ENVELOPE.getField("source").schema();

  private final StagedRegistry server = new StagedRegistry();
  private final SchemaRegistry registry =
      new SchemaRegistry(RegistrySettings.of(List.of(server.url())));
  private final DebeziumAvroFormat format = new DebeziumAvroFormat(registry, KeyUse.AVRO);

  private static Schema resource(String name) {
    String path = "/messages/debezium-avro/" + name;
    try (InputStream in = DebeziumAvroFormatTest.class.getResourceAsStream(path)) {
      return new Schema.Parser().parse(new String(in.readAllBytes(), StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @BeforeEach
  void stage() {
    server.schema(1, KEY.toString()).schema(2, ENVELOPE.toString());
  }

  @AfterEach
  void close() {
    server.close();
  }

  private static GenericData.Record row(long id, @Nullable String state) {
    return new GenericRecordBuilder(ROW).set("id", id).set("state", state).build();
  }

  private static GenericRecordBuilder source() {
    return new GenericRecordBuilder(SOURCE)
        .set("version", "3.5.0.Final")
        .set("connector", "mysql")
        .set("name", "s1")
        .set("ts_ms", 1_790_000_000_000L)
        .set("db", "shop")
        .set("table", "orders")
        .set("server_id", 1L)
        .set("file", "binlog.000001")
        .set("pos", 157L)
        .set("row", 0);
  }

  private static byte[] envelope(
      String op, GenericData.@Nullable Record before, GenericData.@Nullable Record after) {
    return envelope(op, before, after, source().build());
  }

  private static byte[] envelope(
      String op,
      GenericData.@Nullable Record before,
      GenericData.@Nullable Record after,
      GenericData.Record source) {
    return framed(
        2,
        ENVELOPE,
        new GenericRecordBuilder(ENVELOPE)
            .set("before", before)
            .set("after", after)
            .set("source", source)
            .set("op", op)
            .set("ts_ms", 1_790_000_000_500L)
            .build());
  }

  private static byte[] key(long id) {
    return framed(1, KEY, new GenericRecordBuilder(KEY).set("id", id).build());
  }

  private static final String NULLS =
      ", amount=NULL, created=NULL, changed=NULL, took=NULL, flags=NULL, small=NULL, extra=NULL}";

  @Test
  void readsAnInsert() throws Exception {
    assertThat(read(format, message(key(7), envelope("c", null, row(7, "new")))))
        .containsExactly("UPSERT {id=LONG 7, state=TEXT new" + NULLS);
  }

  @Test
  void readsARowOfTheSnapshot() throws Exception {
    assertThat(read(format, message(key(7), envelope("r", null, row(7, null)))))
        .containsExactly("UPSERT {id=LONG 7, state=NULL" + NULLS);
  }

  @Test
  void readsAnUpdateWithAndWithoutTheFormerRow() throws Exception {
    assertThat(read(format, message(key(7), envelope("u", row(7, "new"), row(7, "paid\\,partly")))))
        .containsExactly(
            "UPSERT {id=LONG 7, state=TEXT paid,partly"
                + NULLS
                + " before {id=LONG 7, state=TEXT new"
                + NULLS);
    assertThat(read(format, message(key(7), envelope("u", null, row(7, "new")))))
        .containsExactly("UPSERT {id=LONG 7, state=TEXT new" + NULLS);
  }

  @Test
  void saysWhetherTheRowWasThereBefore() throws Exception {
    List<Boolean> updates = new ArrayList<>();
    for (String op : List.of("c", "r", "u")) {
      format.read(
          message(null, envelope(op, null, row(7, "new"))),
          change -> updates.add(change.isUpdate()));
    }
    assertThat(updates).containsExactly(false, false, true);
  }

  @Test
  void readsADeleteAsTheFormerRow() throws Exception {
    assertThat(read(format, message(key(7), envelope("d", row(7, "new"), null))))
        .containsExactly("DELETE {id=LONG 7, state=TEXT new" + NULLS);
  }

  @Test
  void readsADeleteWithoutTheFormerRowByItsKey() throws Exception {
    assertThat(read(format, message(key(-1), envelope("d", null, null))))
        .containsExactly("DELETE {id=DECIMAL 18446744073709551615}");
    assertBad(null, envelope("d", null, null), Reason.INCOMPLETE, "without a key");
  }

  @Test
  void leavesOutOfTheKeyWhatTheRouterOfTopicsPutIntoIt() throws Exception {
    Schema routed =
        schema(
            "{'type':'record','name':'Key','fields':[{'name':'id','type':'long'},"
                + "{'name':'__dbz__physicalTableIdentifier','type':'string'}]}");
    server.schema(8, routed.toString());
    byte[] key =
        framed(
            8,
            routed,
            new GenericRecordBuilder(routed)
                .set("id", 7L)
                .set("__dbz__physicalTableIdentifier", "s1.shop.orders_1")
                .build());
    assertThat(read(format, message(key, envelope("d", null, null))))
        .containsExactly("DELETE {id=LONG 7}");
    List<List<String>> keys = new ArrayList<>();
    format.read(
        message(key, envelope("c", null, row(7, "new"))), change -> keys.add(change.primaryKey()));
    assertThat(keys).containsExactly(List.of("id"));
  }

  @Test
  void readsATruncate() throws Exception {
    List<String> tables = new ArrayList<>();
    format.read(
        message(null, envelope("t", null, null)),
        change -> tables.add(change.kind() + " " + change.database() + "." + change.table()));
    assertThat(tables).containsExactly("TRUNCATE shop.orders");
  }

  @Test
  void readsNothingFromATombstoneAnEmptyValueOrAMessageOfTheLog() throws Exception {
    assertThat(read(format, message(key(7), null))).isEmpty();
    assertThat(read(format, message(key(7), new byte[0]))).isEmpty();
    assertThat(read(format, message(null, envelope("m", null, null)))).isEmpty();
  }

  @Test
  void readsNothingFromHeartbeatsTransactionsAndDdl() throws Exception {
    for (String name :
        List.of(
            "io.debezium.connector.common.Heartbeat",
            "io.debezium.connector.common.TransactionMetadataValue",
            "io.debezium.connector.mysql.SchemaChangeValue")) {
      Schema schema =
          schema(
              "{'type':'record','name':'" + name + "','fields':[{'name':'ts_ms','type':'long'}]}");
      int id = 10 + server.requests().size();
      server.schema(id, schema.toString());
      byte[] value = framed(id, schema, new GenericRecordBuilder(schema).set("ts_ms", 1L).build());
      assertThat(read(format, message(null, value))).as(name).isEmpty();
    }
  }

  @Test
  void tellsTableKeyAndTime() throws Exception {
    List<Object> facts = new ArrayList<>();
    MessageFormatFacts.of(format, key(7), envelope("c", null, row(7, "new")), facts);
    assertThat(facts).containsExactly("shop", "orders", List.of("id"), 1_790_000_000_000_000L);
    facts.clear();
    GenericData.Record micros = source().set("ts_us", 1_790_000_000_000_123L).build();
    MessageFormatFacts.of(format, null, envelope("c", null, row(7, "new"), micros), facts);
    assertThat(facts).containsExactly("shop", "orders", List.of(), 1_790_000_000_000_123L);
  }

  private static final class MessageFormatFacts {
    static void of(
        DebeziumAvroFormat format, byte @Nullable [] key, byte[] value, List<Object> facts)
        throws BadMessageException {
      format.read(
          message(key, value),
          change -> {
            facts.add(String.valueOf(change.database()));
            facts.add(String.valueOf(change.table()));
            facts.add(change.primaryKey());
            facts.add(change.sourceTimeMicros());
          });
    }
  }

  @Test
  void givesColumnsOfADirectCopy() throws Exception {
    List<String> columns = new ArrayList<>();
    List<String> sources = new ArrayList<>();
    format.read(
        message(key(7), envelope("c", null, row(7, "new"))),
        change -> {
          assertThat(change.columns()).isNotNull();
          for (MessageColumn column : change.columns().columns()) {
            columns.add(column.name() + " " + column.type());
            assertThat(column.source()).as(column.name()).isNotNull();
            sources.add(column.source().typeText());
          }
        });
    assertThat(columns)
        .containsExactly(
            "id DECIMAL(20, 0)",
            "state STRING",
            "amount DECIMAL(12, 2)",
            "created TIMESTAMP(4)",
            "changed TIMESTAMP(0) WITH LOCAL TIME ZONE",
            "took STRING",
            "flags BIGINT",
            "small TINYINT",
            "extra STRING");
    assertThat(sources)
        .containsExactly(
            "BIGINT UNSIGNED",
            "ENUM('new','paid,partly')",
            "DECIMAL(12,2)",
            "DATETIME(4)",
            "TIMESTAMP",
            "TIME",
            "BIT(12)",
            "TINYINT(1)",
            "JSON");
  }

  @Test
  void givesValuesOfADirectCopy() throws Exception {
    GenericData.Record full = row(-1, "new");
    full.put("amount", ByteBuffer.wrap(new byte[] {1, 0}));
    full.put("created", -100L);
    full.put("changed", "1970-01-01T00:00:00Z");
    full.put("took", -3_600_000_000L);
    full.put("flags", ByteBuffer.wrap(new byte[] {1, 8}));
    full.put("small", 127);
    full.put("extra", "{\"a\":1}");
    assertThat(read(format, message(null, envelope("c", null, full))))
        .containsExactly(
            "UPSERT {id=DECIMAL 18446744073709551615, state=TEXT new, amount=DECIMAL 2.56,"
                + " created=TIMESTAMP -1+900000ns, changed=NULL, took=TEXT -01:00:00,"
                + " flags=LONG 2049, small=LONG 127, extra=TEXT {\"a\": 1}}");
  }

  @Test
  void givesTheSameColumnsAgainAndNewOnesBySchema() throws Exception {
    Schema wider =
        new Schema.Parser()
            .parse(
                ENVELOPE
                    .toString()
                    .replace(
                        "{\"name\":\"state\"",
                        "{\"name\":\"v\",\"type\":[\"null\",\"int\"],\"default\":null},{\"name\":\"state\""));
    server.schema(3, wider.toString());
    byte[] old = envelope("c", null, row(7, "new"));
    Schema widerRow = wider.getField("before").schema().getTypes().get(1);
    byte[] now =
        framed(
            3,
            wider,
            new GenericRecordBuilder(wider)
                .set("after", new GenericRecordBuilder(widerRow).set("id", 7L).set("v", 5).build())
                .set("source", source().build())
                .set("op", "c")
                .build());
    List<Object> columns = new ArrayList<>();
    for (byte[] value : List.of(old, old, now, now, old)) {
      format.read(message(null, value), change -> columns.add(String.valueOf(change.columns())));
    }
    assertThat(columns.get(1)).isEqualTo(columns.get(0));
    assertThat(columns.get(2)).isNotEqualTo(columns.get(0));
    assertThat(columns.get(3)).isEqualTo(columns.get(2));
    assertThat(columns.get(4)).isEqualTo(columns.get(0));
    assertThat(read(format, message(null, now)).get(0)).contains("v=LONG 5");
  }

  @Test
  void namesTheSchemaOfDatabasesThatHaveThem() throws Exception {
    Schema source =
        schema(
            "{'type':'record','name':'Source','namespace':'io.debezium.connector.postgresql',"
                + "'fields':[{'name':'ts_ms','type':'long'},{'name':'db','type':'string'},"
                + "{'name':'schema','type':'string'},{'name':'table','type':'string'}]}");
    Schema row =
        schema("{'type':'record','name':'Value','fields':[{'name':'body','type':'string'}]}");
    Schema envelope =
        schema(
            "{'type':'record','name':'Envelope','fields':[{'name':'before','type':['null',"
                + row
                + "]},{'name':'after','type':['null','Value']},{'name':'source','type':"
                + source
                + "},{'name':'op','type':'string'}]}");
    server.schema(5, envelope.toString());
    GenericData.Record block =
        new GenericRecordBuilder(source)
            .set("ts_ms", 5L)
            .set("db", "postgres")
            .set("schema", "public")
            .set("table", "t")
            .build();
    GenericRecordBuilder message =
        new GenericRecordBuilder(envelope).set("before", null).set("source", block).set("op", "u");
    List<String> tables = new ArrayList<>();
    byte[] here =
        framed(
            5,
            envelope,
            message.set("after", new GenericRecordBuilder(row).set("body", "x").build()).build());
    format.read(
        message(null, here), change -> tables.add(change.database() + "." + change.table()));
    assertThat(tables).containsExactly("public.t");
    byte[] missing =
        framed(
            5,
            envelope,
            message
                .set(
                    "after",
                    new GenericRecordBuilder(row)
                        .set("body", "__debezium_unavailable_value")
                        .build())
                .build());
    assertBad(null, missing, Reason.VALUE, "REPLICA IDENTITY FULL");
  }

  private void assertBad(byte @Nullable [] key, byte[] value, Reason reason, String text) {
    BadMessageException bad =
        catchThrowableOfType(BadMessageException.class, () -> read(format, message(key, value)));
    assertThat(bad).isNotNull().hasMessageContaining(text);
    assertThat(bad.reason()).isEqualTo(reason);
  }

  @Test
  void refusesEnvelopesThatLackAPart() {
    assertBad(null, envelope("c", null, null), Reason.INCOMPLETE, "after is null");
    assertBad(null, envelope("u", row(7, "new"), null), Reason.INCOMPLETE, "after is null");
    assertBad(null, envelope("x", null, row(7, "new")), Reason.INCOMPLETE, "op \"x\"");
    assertBad(null, envelope("", null, row(7, "new")), Reason.INCOMPLETE, "op \"\"");
  }

  @Test
  void refusesRecordsThatAreNoEnvelopes() {
    server.schema(6, ROW.toString());
    assertBad(null, framed(6, ROW, row(7, "new")), Reason.INCOMPLETE, "read by format avro");
    server.schema(7, "\"string\"");
    assertBad(null, new byte[] {0, 0, 0, 0, 7, 0}, Reason.INCOMPLETE, "no envelope");
    assertBad(
        null, "{\"op\":\"c\"}".getBytes(StandardCharsets.UTF_8), Reason.MALFORMED, "byte 123");
  }

  @Test
  void leavesKeysAloneWhenTold() throws Exception {
    DebeziumAvroFormat keyless = new DebeziumAvroFormat(registry, KeyUse.NONE);
    byte[] value = envelope("c", null, row(7, "new"));
    assertThat(read(keyless, message("plain".getBytes(StandardCharsets.UTF_8), value))).hasSize(1);
    assertBad("plain".getBytes(StandardCharsets.UTF_8), value, Reason.MALFORMED, "message's key");
  }

  @Test
  void isNoBadMessageWhenTheRegistryIsDown() {
    server.always(500, "{}");
    assertThatThrownBy(() -> read(format, message(key(7), envelope("c", null, row(7, "new")))))
        .isInstanceOf(RegistryUnavailableException.class);
  }

  @Test
  void survivesDamage() throws Exception {
    long seed = Long.getLong("test.seed", 20261130);
    System.out.println("test.seed=" + seed);
    Random random = new Random(seed);
    byte[] whole = envelope("u", row(7, "new"), row(8, "paid\\,partly"));
    for (int cut = 0; cut < whole.length; cut++) {
      byte[] head = Arrays.copyOf(whole, cut);
      if (cut == 0) {
        assertThat(read(format, message(null, head))).isEmpty();
      } else {
        assertThatThrownBy(() -> read(format, message(null, head)))
            .isInstanceOf(BadMessageException.class);
      }
    }
    int bad = 0;
    for (int i = 0; i < 20_000; i++) {
      byte[] damaged = whole.clone();
      for (int k = random.nextInt(3); k >= 0; k--) {
        damaged[5 + random.nextInt(whole.length - 5)] = (byte) random.nextInt();
      }
      try {
        format.read(message(null, damaged), DebeziumAvroFormatTest::walk);
      } catch (BadMessageException e) {
        bad++;
      }
    }
    assertThat(bad).isGreaterThan(5_000);
  }

  private static void walk(Change change) {
    assertThat(AvroMessages.text(change)).isNotEmpty();
  }
}
