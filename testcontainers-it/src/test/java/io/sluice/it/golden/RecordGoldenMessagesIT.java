package io.sluice.it.golden;

import io.apicurio.registry.utils.converter.AvroConverter;
import io.debezium.transforms.ExtractNewRecordState;
import io.sluice.it.support.TestServers;
import io.sluice.replicator.demo.servers.ServerKind;
import io.sluice.replicator.demo.servers.ThrowawayServer;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.json.JsonConverter;
import org.apache.kafka.connect.source.SourceRecord;
import org.apache.kafka.connect.storage.Converter;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Writes {@code golden-messages/debezium} anew: real servers, Debezium's own connectors and
 * transform, Connect's JSON converter, Apicurio's Avro converter. What they say of the expected
 * rows is then to be looked at by somebody, see docs/testing.md.
 */
@EnabledIfSystemProperty(named = "test.golden.record", matches = "true")
class RecordGoldenMessagesIT {

  private static final Path ALL =
      Path.of("..", "replicator", "src", "test", "resources", "golden-messages", "debezium");

  /** Columns' own types told, nothing left out. */
  private static final Map<String, String> PROPAGATED =
      Map.of(
          "column.propagate.source.type", ".*",
          "bigint.unsigned.handling.mode", "precise",
          "enable.time.adjuster", "false",
          "skipped.operations", "none",
          "provide.transaction.metadata", "true",
          "heartbeat.interval.ms", "1");

  @ParameterizedTest
  @EnumSource(ServerKind.class)
  void record(ServerKind kind) throws Exception {
    Path folder = ALL.resolve(kind.sourceType());
    try (ThrowawayServer server = TestServers.start(kind)) {
      List<SourceRecord> propagated = run(server, PROPAGATED);
      writePropagated(folder.resolve("propagated"), about(server, PROPAGATED), propagated);
    }
    try (ThrowawayServer server = TestServers.start(kind)) {
      List<SourceRecord> defaults = run(server, Map.of());
      writeDefaults(folder.resolve("defaults"), about(server, Map.of()), defaults);
    }
  }

  private static String about(ThrowawayServer server, Map<String, String> settings)
      throws Exception {
    try (Connection root = server.connect("");
        Statement statement = root.createStatement();
        ResultSet version = statement.executeQuery("SELECT VERSION()")) {
      version.next();
      return "Debezium "
          + io.debezium.util.Strings.class.getPackage().getImplementationVersion()
          + ", "
          + server.kind().sourceType()
          + " "
          + version.getString(1)
          + ", "
          + (settings.isEmpty() ? "all by default" : new java.util.TreeMap<>(settings).toString());
    }
  }

  private static List<SourceRecord> run(ThrowawayServer server, Map<String, String> settings)
      throws Exception {
    GoldenScript.prepare(server);
    try (RecordedEngine engine = new RecordedEngine(server, settings)) {
      // The snapshot's last rows; then the stream, of which the script's marker is the last.
      engine.await(record -> isOf(record, "types"));
      GoldenScript.change(server);
      return chosen(engine.await(record -> isOf(record, "done")));
    }
  }

  private static @Nullable String table(SourceRecord record) {
    return record.topic().startsWith(RecordedEngine.PREFIX + ".shop.")
        ? record.topic().substring((RecordedEngine.PREFIX + ".shop.").length())
        : null;
  }

  private static boolean isOf(SourceRecord record, String table) {
    return table.equals(table(record));
  }

  /** One of each of those of which there are many, or as many as time passes. */
  private static List<SourceRecord> chosen(List<SourceRecord> records) {
    List<SourceRecord> result = new ArrayList<>();
    Set<String> seen = new HashSet<>();
    for (SourceRecord record : records) {
      String once =
          switch (record.topic()) {
            case "srv" -> ddl(record);
            case "srv.transaction" -> ((Struct) record.value()).getString("status");
            default -> record.topic().startsWith("__debezium-heartbeat") ? "heartbeat" : "";
          };
      if (!isOf(record, "done") && once != null && (once.isEmpty() || seen.add(once))) {
        result.add(record);
      }
    }
    return result;
  }

  /** The statement's kind if it is one of table orders. */
  private static @Nullable String ddl(SourceRecord record) {
    String ddl = ((Struct) record.value()).getString("ddl");
    boolean kept = ddl.contains("orders") && !ddl.startsWith("DROP");
    return kept ? ddl.substring(0, 5) : null;
  }

  private static void writePropagated(Path folder, String about, List<SourceRecord> records)
      throws IOException {
    write(folder.resolve("json-with-schema"), about, Producer.JSON_WITH_SCHEMA, records);
    write(folder.resolve("json"), about, Producer.JSON, records);
    write(folder.resolve("avro"), about, Producer.AVRO, records);
    List<SourceRecord> orders = records.stream().filter(r -> isOf(r, "orders")).toList();
    write(folder.resolve("avro-apicurio-ids"), about, Producer.AVRO_APICURIO, orders.subList(0, 3));
    write(
        folder.resolve("avro-apicurio-headers"),
        about,
        Producer.AVRO_HEADERS,
        orders.subList(0, 3));
    Map<String, String> rewrite =
        Map.of(
            "add.fields", "op,db,table,source.ts_ms",
            "delete.tombstone.handling.mode", "rewrite-with-tombstone");
    Map<String, String> tombstones = Map.of();
    List<SourceRecord> rewritten = flattened(orders, rewrite);
    String what = about + "; flattened, " + new java.util.TreeMap<>(rewrite);
    write(folder.resolve("flat-json-with-schema"), what, Producer.JSON_WITH_SCHEMA, rewritten);
    write(folder.resolve("flat-json"), what, Producer.JSON, rewritten);
    write(folder.resolve("flat-avro"), what, Producer.AVRO, rewritten);
    List<SourceRecord> plain = flattened(orders, tombstones);
    what = about + "; flattened, all by default";
    write(folder.resolve("rows-json-with-schema"), what, Producer.JSON_WITH_SCHEMA, plain);
    write(folder.resolve("rows-json"), what, Producer.JSON, plain);
    write(folder.resolve("rows-avro"), what, Producer.AVRO, plain);
  }

  private static void writeDefaults(Path folder, String about, List<SourceRecord> records)
      throws IOException {
    List<SourceRecord> rows = records.stream().filter(r -> table(r) != null).toList();
    write(folder.resolve("json-with-schema"), about, Producer.JSON_WITH_SCHEMA, rows);
    write(folder.resolve("json"), about, Producer.JSON, rows);
    write(folder.resolve("avro"), about, Producer.AVRO, rows);
  }

  private static List<SourceRecord> flattened(
      List<SourceRecord> records, Map<String, String> settings) {
    List<SourceRecord> result = new ArrayList<>();
    try (ExtractNewRecordState<SourceRecord> transform = new ExtractNewRecordState<>()) {
      transform.configure(settings);
      for (SourceRecord record : records) {
        SourceRecord flat = transform.apply(record);
        if (flat != null) {
          result.add(flat);
        }
      }
    }
    return result;
  }

  private static void write(Path file, String about, Producer producer, List<SourceRecord> records)
      throws IOException {
    MemorySchemas.forget();
    boolean text = producer == Producer.JSON || producer == Producer.JSON_WITH_SCHEMA;
    GoldenWriter writer =
        new GoldenWriter(
            producer.converter(true), producer.converter(false), text, about, producer.about);
    records.forEach(writer::add);
    writer.schemas(MemorySchemas.texts());
    writer.write(file.resolveSibling(file.getFileName() + ".messages"));
  }

  /** Who makes bytes of Connect's records. */
  private enum Producer {
    JSON_WITH_SCHEMA(
        "Kafka Connect's JsonConverter, schemas.enable=true, replace.null.with.default=false",
        Map.of("schemas.enable", "true", "replace.null.with.default", "false")),
    JSON(
        "Kafka Connect's JsonConverter, schemas.enable=false, replace.null.with.default=false",
        Map.of("schemas.enable", "false", "replace.null.with.default", "false")),
    AVRO(
        "Apicurio's AvroConverter 2.6.13.Final, apicurio.registry.as-confluent=true",
        avro("apicurio.registry.as-confluent", "true")),
    AVRO_APICURIO("Apicurio's AvroConverter 2.6.13.Final, its own ids of 8 bytes", avro()),
    AVRO_HEADERS(
        "Apicurio's AvroConverter 2.6.13.Final, apicurio.registry.headers.enabled=true",
        avro("apicurio.registry.headers.enabled", "true"));

    private final String about;
    private final Map<String, String> settings;

    Producer(String about, Map<String, String> settings) {
      this.about = about;
      this.settings = settings;
    }

    private static Map<String, String> avro(String... pair) {
      Map<String, String> result =
          new java.util.HashMap<>(
              Map.of(
                  "apicurio.registry.schema-resolver", MemorySchemas.class.getName(),
                  "apicurio.registry.headers.enabled", "false",
                  "apicurio.registry.use-id", "globalId"));
      if (pair.length == 2) {
        result.put(pair[0], pair[1]);
      }
      return result;
    }

    Converter converter(boolean isKey) {
      Converter converter =
          this == JSON || this == JSON_WITH_SCHEMA ? new JsonConverter() : new AvroConverter<>();
      converter.configure(settings, isKey);
      return converter;
    }
  }
}
