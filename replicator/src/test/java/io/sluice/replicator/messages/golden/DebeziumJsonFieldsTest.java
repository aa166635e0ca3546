package io.sluice.replicator.messages.golden;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.replicator.messages.ConnectOrigin;
import io.sluice.replicator.messages.Message;
import io.sluice.replicator.messages.MessageFormat;
import io.sluice.replicator.messages.json.DebeziumJsonFormat;
import io.sluice.replicator.messages.json.Tombstones;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Each member of Debezium's envelope that docs/formats.md names, in recorded messages. */
class DebeziumJsonFieldsTest {

  private static final String ORDERS = "srv.shop.orders";

  // Of topic orders, as GoldenScript makes them.
  private static final int READ = 0;
  private static final int INSERT = 1;
  private static final int UPDATE = 2;
  private static final int DELETE = 3;
  private static final int TRUNCATE = 9;

  private final MessageFormat format = new DebeziumJsonFormat(Tombstones.SKIP, ConnectOrigin.PLAIN);

  private static Message message(String server, int nth) throws IOException {
    return GoldenFile.read("debezium/" + server + "/propagated/json-with-schema")
        .message(ORDERS, nth);
  }

  private static Edited edited(String server, int nth) throws IOException {
    return Edited.of(message(server, nth));
  }

  private List<String> read(String server, int nth) throws Exception {
    return edited(server, nth).read(format);
  }

  @ParameterizedTest
  @ValueSource(strings = {"mysql", "mariadb"})
  void op(String server) throws Exception {
    assertThat(read(server, READ).get(0)).startsWith("UPSERT [id=decimal 1, state='new'");
    assertThat(read(server, INSERT).get(0)).startsWith("UPSERT [id=decimal 2, state='sent,late'");
    assertThat(read(server, UPDATE).get(0)).startsWith("UPSERT [id=decimal 1, state='paid'");
    assertThat(read(server, DELETE).get(0)).startsWith("DELETE [id=decimal 2, state='sent,late'");
    assertThat(read(server, TRUNCATE).get(0)).startsWith("TRUNCATE [] of shop.orders");
    assertThat(edited(server, INSERT).set("payload/op", "\"m\"").read(format)).isEmpty();
    assertThatThrownBy(() -> edited(server, INSERT).set("payload/op", "\"x\"").read(format))
        .hasMessageContaining("none of c, r, u, d, t, m");
    assertThatThrownBy(() -> edited(server, INSERT).remove("payload/op").read(format))
        .hasMessageContaining("no op");
  }

  @ParameterizedTest
  @ValueSource(strings = {"mysql", "mariadb"})
  void before(String server) throws Exception {
    assertThat(read(server, UPDATE).get(0))
        .contains(" before [id=decimal 1, state='new', amount=decimal 12.50, note=NULL,");
    assertThat(edited(server, UPDATE).set("payload/before", "null").read(format).get(0))
        .doesNotContain(" before ");
    // The key is all that is left of a row.
    assertThat(edited(server, DELETE).set("payload/before", "null").read(format).get(0))
        .startsWith("DELETE [id=decimal 2] of shop.orders key [id]");
  }

  @ParameterizedTest
  @ValueSource(strings = {"mysql", "mariadb"})
  void after(String server) throws Exception {
    assertThat(edited(server, INSERT).set("payload/after/note", "\"y\"").read(format).get(0))
        .contains("note='y'");
    for (int nth : new int[] {READ, INSERT, UPDATE}) {
      assertThatThrownBy(() -> edited(server, nth).set("payload/after", "null").read(format))
          .hasMessageContaining("\"after\"");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"mysql", "mariadb"})
  void databaseAndTable(String server) throws Exception {
    assertThat(edited(server, INSERT).set("payload/source/db", "\"d\"").read(format).get(0))
        .contains(" of d.orders ");
    assertThat(edited(server, INSERT).set("payload/source/schema", "\"s\"").read(format).get(0))
        .contains(" of s.orders ");
    assertThat(edited(server, INSERT).set("payload/source/table", "\"t\"").read(format).get(0))
        .contains(" of shop.t ");
    assertThat(
            edited(server, INSERT)
                .remove("payload/source/table")
                .set("payload/source/collection", "\"c\"")
                .read(format)
                .get(0))
        .contains(" of shop.c ");
  }

  @ParameterizedTest
  @ValueSource(strings = {"mysql", "mariadb"})
  void commitTime(String server) throws Exception {
    Edited whole = edited(server, INSERT);
    assertThat(whole.read(format).get(0)).endsWith(" at " + whole.at("payload/source/ts_us"));
    Edited millis = edited(server, INSERT).remove("payload/source/ts_us");
    assertThat(millis.read(format).get(0))
        .endsWith(" at " + millis.at("payload/source/ts_ms") + "000");
    assertThat(millis.remove("payload/source/ts_ms").read(format).get(0)).endsWith("key [id]");
  }

  @ParameterizedTest
  @ValueSource(strings = {"mysql", "mariadb"})
  void schema(String server) throws Exception {
    assertThat(edited(server, INSERT).remove("schema").read(format).get(0))
        .startsWith("UPSERT [id='Ag==', state='sent\\,late', amount='/w=='");
  }

  @ParameterizedTest
  @ValueSource(strings = {"mysql", "mariadb"})
  void key(String server) throws Exception {
    assertThat(edited(server, INSERT).key(null).read(format).get(0)).doesNotContain(" key ");
    assertThat(edited(server, INSERT).key("{\"id\":2,\"part\":1}").read(format).get(0))
        .contains(" key [id, part] ");
    assertThat(edited(server, INSERT).key("text").read(format).get(0)).doesNotContain(" key ");
  }

  /** What else an envelope has is ignored, on purpose. */
  @ParameterizedTest
  @ValueSource(strings = {"mysql", "mariadb"})
  void theRest(String server) throws Exception {
    for (String member :
        List.of(
            "transaction",
            "ts_ms",
            "ts_us",
            "ts_ns",
            "source/version",
            "source/connector",
            "source/name",
            "source/snapshot",
            "source/sequence",
            "source/ts_ns",
            "source/server_id",
            "source/gtid",
            "source/file",
            "source/pos",
            "source/row",
            "source/thread",
            "source/query")) {
      for (int nth : new int[] {READ, INSERT, UPDATE, DELETE, TRUNCATE}) {
        List<String> whole = read(server, nth);
        String path = "payload/" + member;
        assertThat(edited(server, nth).remove(path).read(format)).as(path).isEqualTo(whole);
        assertThat(edited(server, nth).set(path, "[{\"op\":1}]").read(format))
            .as(path)
            .isEqualTo(whole);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"mysql", "mariadb"})
  void aTombstoneDeletesWhereItIsToldTo(String server) throws Exception {
    MessageFormat deleting = new DebeziumJsonFormat(Tombstones.DELETE, ConnectOrigin.PLAIN);
    Message tombstone = message(server, DELETE + 1);
    assertThat(tombstone.value()).isNull();
    assertThat(io.sluice.replicator.messages.Shown.changes(deleting, tombstone))
        .containsExactly("DELETE [id=decimal 2] key [id]");
    assertThat(io.sluice.replicator.messages.Shown.changes(format, tombstone)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"mysql", "mariadb"})
  void avroSaysWhatJsonSays(String server) throws Exception {
    String folder = "debezium/" + server + "/propagated/";
    try (GoldenReader json = new GoldenReader(GoldenFile.read(folder + "json-with-schema"));
        GoldenReader avro = new GoldenReader(GoldenFile.read(folder + "avro"))) {
      // But for NULLs of columns that have a default, which this converter of Avro loses; and a
      // FLOAT is digits in JSON, 32 bits in Avro.
      assertThat(avro.lines().stream().map(DebeziumJsonFieldsTest::alike).toList())
          .isEqualTo(json.lines().stream().map(DebeziumJsonFieldsTest::alike).toList());
    }
  }

  private static String alike(String line) {
    return line.replaceAll("note=(NULL|'none')", "note=?")
        .replaceAll("dv=(NULL|5)", "dv=?")
        .replaceAll("\\b(f|d)=(double|decimal) [-+.0-9E]+", "$1=?");
  }
}
