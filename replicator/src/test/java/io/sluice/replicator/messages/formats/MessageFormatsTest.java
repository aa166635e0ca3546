package io.sluice.replicator.messages.formats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.replicator.messages.avro.AvroFormat;
import io.sluice.replicator.messages.avro.DebeziumAvroFormat;
import io.sluice.replicator.messages.canal.CanalJsonFormat;
import io.sluice.replicator.messages.csv.CsvFormat;
import io.sluice.replicator.messages.json.DebeziumJsonFormat;
import io.sluice.replicator.messages.json.JsonFormat;
import io.sluice.replicator.messages.maxwell.MaxwellJsonFormat;
import io.sluice.replicator.messages.ogg.OggJsonFormat;
import io.sluice.replicator.messages.raw.RawFormat;
import io.sluice.replicator.messages.registry.RegistrySettings;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class MessageFormatsTest {

  private static final Optional<RegistrySettings> REGISTRY =
      Optional.of(RegistrySettings.of(List.of(URI.create("http://127.0.0.1:1"))));

  private static Object made(String name, Map<String, String> options) {
    return MessageFormats.create(new FormatSettings(name, options, REGISTRY));
  }

  private static void assertRefused(String name, Map<String, String> options, String why) {
    assertThatThrownBy(() -> made(name, options))
        .as(name + options)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(why);
  }

  @Test
  void makesEveryFormatByItsName() {
    assertThat(made("json", Map.of())).isInstanceOf(JsonFormat.class);
    assertThat(made("debezium-json", Map.of())).isInstanceOf(DebeziumJsonFormat.class);
    assertThat(made("avro", Map.of())).isInstanceOf(AvroFormat.class);
    assertThat(made("debezium-avro", Map.of())).isInstanceOf(DebeziumAvroFormat.class);
    assertThat(made("canal-json", Map.of())).isInstanceOf(CanalJsonFormat.class);
    assertThat(made("maxwell-json", Map.of())).isInstanceOf(MaxwellJsonFormat.class);
    assertThat(made("ogg-json", Map.of())).isInstanceOf(OggJsonFormat.class);
    assertThat(made("csv", Map.of("columns", "a,b"))).isInstanceOf(CsvFormat.class);
    assertThat(made("raw", Map.of())).isInstanceOf(RawFormat.class);
  }

  @Test
  void takesEveryOption() {
    for (String connector : List.of("plain", "mysql", "mariadb", "other")) {
      made("avro", Map.of("connector", connector));
      made("debezium-json", Map.of("connector", connector));
    }
    for (String ids : List.of("confluent", "apicurio-global", "apicurio-content")) {
      made("avro", Map.of("ids", ids));
      made("debezium-avro", Map.of("ids", ids));
    }
    made("avro", Map.of("key", "avro", "tombstones", "delete"));
    made("avro", Map.of("key", "none", "tombstones", "skip"));
    made("debezium-avro", Map.of("key", "none"));
    made("canal-json", Map.of("time-zone", "Asia/Shanghai", "zero-dates", "null"));
    made("canal-json", Map.of("time-zone", "+08:00", "zero-dates", "fail"));
    made("ogg-json", Map.of("time-zone", "UTC"));
    made("json", Map.of("tombstones", "delete"));
    made("debezium-json", Map.of("tombstones", "skip"));
  }

  @Test
  void saysWhatThereIsInThePlaceOfWhatIsUnknown() {
    assertRefused("avrojson", Map.of(), "avro, canal-json, ");
    assertRefused("canal-json", Map.of("zone", "UTC"), "There are time-zone, zero-dates.");
    assertRefused("maxwell-json", Map.of("x", "y"), "It has none.");
    assertRefused("canal-json", Map.of("time-zone", "Mars"), "time-zone can't be \"Mars\"");
    assertRefused("canal-json", Map.of("zero-dates", "no"), "Write fail or null.");
    assertRefused("avro", Map.of("key", "AVRO"), "Write none or avro.");
    assertRefused("avro", Map.of("ids", "8"), "confluent or apicurio-global or apicurio-content");
    assertRefused("avro", Map.of("tombstones", "delete"), "key = avro");
    assertRefused("json", Map.of("tombstones", "maybe"), "Write skip or delete.");
  }

  @Test
  void wantsARegistryForAvro() {
    for (String name : List.of("avro", "debezium-avro")) {
      assertThatThrownBy(
              () -> MessageFormats.create(new FormatSettings(name, Map.of(), Optional.empty())))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("format " + name + " needs a schema registry");
    }
  }
}
