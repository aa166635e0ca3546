package io.sluice.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.config.TopicRule.MessageFact;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KafkaConfigTest {

  private static final String REQUIRED =
      """
      sluice.pipeline = events
      sluice.warehouse = "file:///lake/warehouse"
      sluice.source { type = kafka, bootstrap-servers = "k1:9092", topics = ["shop.*"], format = json }
      """;

  @TempDir Path folder;
  private ConfigFiles files;

  @BeforeEach
  void folder() {
    files = new ConfigFiles(folder);
  }

  private SluiceConfig load(String more) {
    Path file = files.write(REQUIRED + more);
    try {
      return ConfigLoader.load(file, Map.of());
    } catch (ConfigProblemsException e) {
      throw new AssertionError(e.getMessage(), e);
    }
  }

  @Test
  void defaults() {
    SluiceConfig config = load("");
    assertThat(config.onBadRecord()).isEqualTo(BadRecordPolicy.DEAD_LETTER);
    assertThat(config.kafka())
        .isEqualTo(
            new KafkaSourceConfig(
                "k1:9092",
                List.of(TopicPattern.parse("shop.*")),
                List.of(),
                new TopicStart(TopicStart.At.EARLIEST, Instant.EPOCH, Map.of()),
                LostRangePolicy.STOP,
                Optional.of("sluice-events"),
                Duration.ofSeconds(10),
                new MessagesConfig("json", Map.of()),
                Optional.empty(),
                Map.of()));
    assertThat(config.tables().topicRules()).isEmpty();
  }

  @Test
  void everyKey() {
    SluiceConfig config =
        load(
            """
            sluice.on-bad-record = fail
            sluice.source {
              bootstrap-servers = "k1:9092,k2:9092"
              topics = [orders, "/pay-[0-9]+/"]
              exclude-topics = ["*-dlq"]
              start = "2026-01-31T01:00:00+01:00"
              start-offsets { "a.b" { 0 = 17, 3 = 4 } }
              on-lost-range = skip
              group = lag
              discovery-interval = 3s
              format = debezium-avro
              format-options { a = b }
              registry { urls = ["http://r1:8081"], user = u, password = p, token = t, timeout = 2s }
              properties { security.protocol = SASL_SSL }
            }
            sluice.tables.rules = [
              { match = orders, into = "ods.{topic}", primary-key = [id], bucket = 4, partition-by = [dt]
                columns { id = BIGINT }, metadata { _offset = offset, k = key }
                format = csv, format-options { delimiter = ";" }, options { x = y } }
              { match = "/.*/", into = "{database}.t_{field:kind.name}" }
            ]
            """);
    assertThat(config.onBadRecord()).isEqualTo(BadRecordPolicy.FAIL);
    KafkaSourceConfig kafka = config.kafka();
    assertThat(kafka.bootstrapServers()).isEqualTo("k1:9092,k2:9092");
    assertThat(kafka.start())
        .isEqualTo(
            new TopicStart(
                TopicStart.At.TIME,
                Instant.parse("2026-01-31T00:00:00Z"),
                Map.of("a.b", Map.of(0, 17L, 3, 4L))));
    assertThat(kafka.onLostRange()).isEqualTo(LostRangePolicy.SKIP);
    assertThat(kafka.group()).contains("lag");
    assertThat(kafka.discoveryInterval()).isEqualTo(Duration.ofSeconds(3));
    assertThat(kafka.messages()).isEqualTo(new MessagesConfig("debezium-avro", Map.of("a", "b")));
    assertThat(kafka.registry())
        .contains(
            new RegistryConfig(
                List.of("http://r1:8081"),
                Optional.of("u"),
                Optional.of(new Secret("p")),
                Optional.of(new Secret("t")),
                Duration.ofSeconds(2)));
    assertThat(kafka.properties()).isEqualTo(Map.of("security.protocol", "SASL_SSL"));
    assertThat(
            List.of("orders", "pay-12", "pay-x", "orders-dlq", "pay-1-dlq", "__consumer_offsets"))
        .filteredOn(kafka::reads)
        .containsExactly("orders", "pay-12");
    assertThat(config.tables().topicRules().get(0))
        .isEqualTo(
            new TopicRule(
                TopicPattern.parse("orders"),
                Optional.of(
                    new TopicRule.Into(NameTemplate.parse("ods"), NameTemplate.parse("{topic}"))),
                List.of("id"),
                OptionalInt.of(4),
                List.of("dt"),
                Map.of("id", "BIGINT"),
                Map.of("_offset", MessageFact.OFFSET, "k", MessageFact.KEY),
                Optional.of(new MessagesConfig("csv", Map.of("delimiter", ";"))),
                Map.of("x", "y")));
  }

  @Test
  void routesByTemplateAndByWhatTheMessageNames() {
    TopicRouting routing =
        load("""
                sluice.tables.rules = [
                  { match = "shop.orders", into = "ods.{table}_all", bucket = 3 }
                  { match = "shop.events", into = "{database}.ev_{field:kind}" } ]
                """)
            .topicRouting();
    assertThat(routing.target("shop.orders", "shop", "orders_1", field -> null))
        .get()
        .returns("ods", LakeTarget::database)
        .returns("orders_1_all", LakeTarget::table)
        .returns(3, LakeTarget::buckets);
    assertThat(routing.target("shop.orders", "shop", null, field -> null)).isEmpty();
    assertThat(routing.nameFields("shop.events")).containsExactly("kind");
    assertThat(routing.target("shop.events", "d", null, Map.of("kind", "click")::get))
        .get()
        .returns("d", LakeTarget::database)
        .returns("ev_click", LakeTarget::table);
    assertThat(routing.target("shop.other", "d", "t", field -> null))
        .get()
        .returns("d", LakeTarget::database)
        .returns("t", LakeTarget::table)
        .returns(1, LakeTarget::buckets);
    assertThat(routing.target("shop.other", null, null, field -> null))
        .get()
        .returns("kafka", LakeTarget::database)
        .returns("shop.other", LakeTarget::table);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "source.topics = [] | no topic is named",
        "source.topics = [\"/[/\"] | no valid regular expression",
        "source.topics = [\" a\"] | begins or ends with a blank",
        "source.start = yesterday | no place in a topic",
        "source.start-offsets { orders = 3 } | no offset of a partition",
        "source.start-offsets { orders { 0 = -3 } } | no offset of a partition",
        "source.on-lost-range = ignore | not possible",
        "source.host = db1 | has no such setting",
        "source.registry.urls = [\"r1:8081\"] | is no URL",
        "source.discovery-interval = 1ms | out of range",
        "tables.rules = [{ into = a.b }] | is missing",
        "tables.rules = [{ match = a, into = c }] | names no lake table",
        "tables.rules = [{ match = a, into = \"a.{tabel}\" }] | may have {topic}",
        "tables.rules = [{ match = a, metadata { x = lag } }] | not known of a message",
        "tables.rules = [{ match = a, columns { x = INT }, metadata { x = key } }] | in columns, too",
        "tables.rules = [{ match = a, format-options { x = y } }] | no format beside them",
        "tables.rules = [{ match = a, tinyint1-as-boolean = true }] | there is no such key",
      })
  void valueThatCannotBeUsedIsRefused(String line, String what) {
    assertThat(files.problemsOf(REQUIRED + "sluice." + line))
        .singleElement()
        .satisfies(problem -> assertThat(problem.what()).contains(what));
  }
}
