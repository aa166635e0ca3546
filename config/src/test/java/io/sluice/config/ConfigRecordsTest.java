package io.sluice.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each record twice: what it is by default, and with every key set to something else. */
class ConfigRecordsTest {

  @TempDir Path folder;

  private SluiceConfig load(String more) {
    return new ConfigFiles(folder).load(more);
  }

  @Test
  void sluiceDefaults() {
    SluiceConfig config = load("");
    assertThat(config.pipeline()).isEqualTo("shop");
    assertThat(config.warehouse()).isEqualTo("/lake/warehouse");
    assertThat(config.commitInterval()).isEqualTo(Duration.ofSeconds(2));
    assertThat(config.idleInterval()).isEqualTo(Duration.ofSeconds(60));
    assertThat(config.workers()).isEmpty();
    assertThat(config.compactionThreads()).isEmpty();
    assertThat(config.onBadRecord()).isEqualTo(BadRecordPolicy.FAIL);
    assertThat(config.onTableError()).isEqualTo(TableErrorPolicy.PARK);
    assertThat(config.workers(8)).isEqualTo(8);
    assertThat(config.compactionThreads(8)).isEqualTo(4);
    assertThat(config.compactionThreads(1)).isEqualTo(1);
  }

  @Test
  void sluiceWithEveryKey() {
    SluiceConfig config =
        load(
            """
            sluice.pipeline = other-1
            sluice.warehouse = /elsewhere/
            sluice.commit-interval = 200ms
            sluice.idle-interval = 5m
            sluice.workers = 3
            sluice.compaction-threads = 2
            sluice.on-bad-record = fail
            sluice.on-table-error = stop
            """);
    assertThat(config.pipeline()).isEqualTo("other-1");
    assertThat(config.warehouse()).isEqualTo("/elsewhere");
    assertThat(config.commitInterval()).isEqualTo(Duration.ofMillis(200));
    assertThat(config.idleInterval()).isEqualTo(Duration.ofMinutes(5));
    assertThat(config.workers()).isEqualTo(OptionalInt.of(3));
    assertThat(config.compactionThreads()).isEqualTo(OptionalInt.of(2));
    assertThat(config.workers(8)).isEqualTo(3);
    assertThat(config.compactionThreads(8)).isEqualTo(2);
  }

  @Test
  void memoryDefaults() {
    assertThat(load("").memory())
        .isEqualTo(new MemoryConfig(OptionalLong.empty(), 8 << 20, 1_000_000));
    assertThat(load("").memory().memtableBytes(400)).isEqualTo(100);
  }

  @Test
  void memoryWithEveryKey() {
    MemoryConfig memory =
        load("sluice.memory { memtables = 64MiB, queue = 1MiB, remembered-deletes = 5000 }")
            .memory();
    assertThat(memory).isEqualTo(new MemoryConfig(OptionalLong.of(64L << 20), 1 << 20, 5000));
    assertThat(memory.memtableBytes(400)).isEqualTo(64L << 20);
  }

  @Test
  void sourceDefaults() {
    DatabaseSourceConfig source = load("").database();
    assertThat(source.type()).isEqualTo(SourceType.MYSQL);
    assertThat(source.include()).containsExactly(TablePattern.parse("shop.*"));
    assertThat(source.exclude()).isEmpty();
    assertThat(source.serverTimeZone()).isEqualTo(ZoneId.of("UTC"));
    assertThat(source.serverId()).isEmpty();
    assertThat(source.zeroDates()).isEqualTo(ZeroDatePolicy.NULL);
    assertThat(source.debezium()).isEmpty();
    assertThat(source.serverId("shop")).isEqualTo(source.serverId("shop"));
    assertThat(source.serverId("shop")).isBetween(1_000_000L, 1_001_000_000L);
    assertThat(source.serverId("shop")).isNotEqualTo(source.serverId("crm"));
  }

  @Test
  void sourceWithEveryKey() {
    DatabaseSourceConfig source =
        load("""
                sluice.source {
                  type = mariadb
                  include = [a.b, "`x.y`.*"]
                  exclude = ["a.tmp_*"]
                  server-time-zone = "+02:00"
                  server-id = 4294967295
                  zero-dates = fail
                  debezium { max.batch.size = 7, "skip.x" = true }
                }
                """)
            .database();
    assertThat(source.type()).isEqualTo(SourceType.MARIADB);
    assertThat(source.include())
        .containsExactly(TablePattern.parse("a.b"), TablePattern.parse("`x.y`.*"));
    assertThat(source.exclude()).containsExactly(TablePattern.parse("a.tmp_*"));
    assertThat(source.serverTimeZone()).isEqualTo(ZoneOffset.ofHours(2));
    assertThat(source.serverId()).isEqualTo(OptionalLong.of(4_294_967_295L));
    assertThat(source.serverId("shop")).isEqualTo(4_294_967_295L);
    assertThat(source.zeroDates()).isEqualTo(ZeroDatePolicy.FAIL);
    assertThat(source.debezium()).isEqualTo(Map.of("max.batch.size", "7", "skip.x", "true"));
  }

  @Test
  void connectionDefaults() {
    ConnectionConfig connection = load("").database().connection();
    assertThat(connection)
        .isEqualTo(
            new ConnectionConfig(
                "db1",
                3306,
                "cdc",
                Optional.empty(),
                Duration.ofSeconds(10),
                Duration.ofMinutes(2),
                TlsMode.AUTO,
                Map.of()));
    assertThat(connection.effectiveTls()).isEqualTo(TlsMode.PREFERRED);
  }

  @Test
  void connectionWithEveryKey() {
    ConnectionConfig connection =
        load("""
                sluice.source {
                  host = 127.0.0.1, port = 3307, user = u, password = "p"
                  connect { timeout = 3s, read-timeout = 7s, tls = verify-identity, properties { a = b } }
                }
                """)
            .database()
            .connection();
    assertThat(connection)
        .isEqualTo(
            new ConnectionConfig(
                "127.0.0.1",
                3307,
                "u",
                Optional.of(new Secret("p")),
                Duration.ofSeconds(3),
                Duration.ofSeconds(7),
                TlsMode.VERIFY_IDENTITY,
                Map.of("a", "b")));
    assertThat(connection.effectiveTls()).isEqualTo(TlsMode.VERIFY_IDENTITY);
  }

  @Test
  void encryptionIsLeftOutOnLoopbackOnly() {
    for (String host : List.of("127.0.0.1", "localhost", "\"::1\"")) {
      assertThat(load("sluice.source.host = " + host).database().connection().effectiveTls())
          .isEqualTo(TlsMode.DISABLED);
    }
    assertThat(load("sluice.source.host = 127.example.org").database().connection().effectiveTls())
        .isEqualTo(TlsMode.PREFERRED);
  }

  @Test
  void backfillDefaults() {
    assertThat(load("").database().backfill()).isEqualTo(new BackfillConfig(4, 50_000));
  }

  @Test
  void backfillWithEveryKey() {
    assertThat(
            load("sluice.source.backfill { readers = 2, chunk-rows = 10 }").database().backfill())
        .isEqualTo(new BackfillConfig(2, 10));
  }

  @Test
  void tableDefaults() {
    assertThat(load("").tables())
        .isEqualTo(
            new TablesConfig(
                new TableDefaults(OptionalInt.empty(), 1L << 30, "orc", Map.of(), false),
                List.of(),
                List.of(),
                List.of()));
  }

  @Test
  void tablesWithEveryKey() {
    TablesConfig tables =
        load("""
                sluice.tables {
                  defaults {
                    bucket = 4, bucket-size = 64 MiB, file-format = orc, tinyint1-as-boolean = true
                    options { target-file-size = "64 mb", a { b = 1 } }
                  }
                  rules = [
                    { match = "shop.events", into = "ods.ev", bucket = 2, partition-by = [dt]
                      options { x = y }, tinyint1-as-boolean = false }
                    { match = "shop.*", into = "ods.*", bucket = auto }
                  ]
                }
                """)
            .tables();
    assertThat(tables.defaults())
        .isEqualTo(
            new TableDefaults(
                OptionalInt.of(4),
                64L << 20,
                "orc",
                Map.of("target-file-size", "64 mb", "a.b", "1"),
                true));
    assertThat(tables.rules())
        .containsExactly(
            new TableRule(
                TablePattern.parse("shop.events"),
                Optional.of(new TableRule.LakeName("ods", "ev")),
                OptionalInt.of(2),
                false,
                List.of("dt"),
                Map.of("x", "y"),
                false),
            new TableRule(
                TablePattern.parse("shop.*"),
                Optional.of(new TableRule.LakeName("ods", "*")),
                OptionalInt.empty(),
                true,
                List.of(),
                Map.of(),
                null));
  }

  @Test
  void retentionDefaults() {
    assertThat(load("").retention()).isEqualTo(new RetentionConfig(Duration.ofHours(1), 1000, 10));
  }

  @Test
  void retentionWithEveryKey() {
    assertThat(
            load("sluice.retention { time = 2d, snapshots-max = 50, snapshots-min = 5 }")
                .retention())
        .isEqualTo(new RetentionConfig(Duration.ofDays(2), 50, 5));
  }

  @Test
  void httpDefaults() {
    assertThat(load("").http())
        .isEqualTo(new HttpConfig(true, "127.0.0.1", 9300, Duration.ofSeconds(60)));
  }

  @Test
  void httpWithEveryKey() {
    assertThat(load("sluice.http { listen = \"[::1]:0\", ready-freshness = 5s }").http())
        .isEqualTo(new HttpConfig(true, "::1", 0, Duration.ofSeconds(5)));
    assertThat(load("sluice.http.listen = off").http().enabled()).isFalse();
  }
}
