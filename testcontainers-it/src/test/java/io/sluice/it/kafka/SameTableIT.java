package io.sluice.it.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.it.support.Await;
import io.sluice.it.support.DaemonProcess;
import io.sluice.it.support.LakeAssert;
import io.sluice.it.support.LakeRows;
import io.sluice.it.support.PipelineFolder;
import io.sluice.it.support.TableRows;
import io.sluice.it.support.TestServers;
import io.sluice.replicator.demo.servers.ServerKind;
import io.sluice.replicator.demo.servers.ThrowawayServer;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A database replicated directly, and the same by Debezium through a topic, give the same table:
 * columns, types and values. (But JSON, whose text Debezium writes anew.)
 */
class SameTableIT {

  private static final List<String> TABLE =
      List.of(
          "CREATE DATABASE shop",
          """
          CREATE TABLE shop.t (
            id BIGINT NOT NULL, part VARCHAR(20) NOT NULL,
            ti TINYINT, t1 TINYINT(1), tu TINYINT UNSIGNED, si SMALLINT, su SMALLINT UNSIGNED,
            mi MEDIUMINT, i INT, iu INT UNSIGNED, b BIGINT, bu BIGINT UNSIGNED,
            f FLOAT, d DOUBLE, d1 DECIMAL(10,2), d2 DECIMAL(38,18), d3 DECIMAL(65,30), y YEAR,
            da DATE, dt DATETIME, dt3 DATETIME(3), dt6 DATETIME(6), ts TIMESTAMP NULL,
            ts6 TIMESTAMP(6) NULL, tm TIME, tm6 TIME(6),
            c CHAR(5), v VARCHAR(100), x TEXT, bi BINARY(4), vb VARBINARY(10), bl BLOB,
            e ENUM('a','b c'), s SET('p','q'), b1 BIT(1), b9 BIT(9),
            dv INT DEFAULT 5,
            PRIMARY KEY (id, part)) CHARACTER SET utf8mb4
          """);

  private static final String ROW =
      "(%d, 'p%d', -128, 1, 255, -32768, 65535, -8388608, -2147483648, 4294967295,"
          + " -9223372036854775808, 18446744073709551615, 0.1, 0.1, -99999999.99,"
          + " 12345678901234567890.123456789012345678,"
          + " 99999999999999999999999999999999999.999999999999999999999999999999, 2024,"
          + " '1961-11-30', '2024-01-31 10:00:00', '2024-01-31 10:00:00.123',"
          + " '1600-01-31 10:00:00.123456', '2026-01-15 09:00:00', '2026-01-15 09:00:00.5',"
          + " '-00:00:01', '838:59:59.000000', 'ab', 'ünï 😀', '', X'01000000', X'0100', X'FF00',"
          + " 'b c', 'p,q', b'1', b'100000001', NULL)";

  @TempDir Path folder;

  @ParameterizedTest
  @EnumSource(ServerKind.class)
  void directlyAndThroughATopic(ServerKind kind) throws Exception {
    try (ThrowawayServer server = TestServers.start(kind);
        KafkaBroker broker = KafkaBroker.start()) {
      execute(server, TABLE.toArray(new String[0]));
      execute(server, "INSERT INTO shop.t VALUES " + ROW.formatted(1, 1));
      broker.createTopic("srv.shop.t", 1);
      PipelineFolder direct =
          new PipelineFolder(folder.resolve("direct"), "direct").source(server).include("shop.*");
      KafkaFolder topics =
          new KafkaFolder(folder.resolve("topics"), "topics", broker)
              .set("source.topics = [\"srv.shop.*\"]")
              .set("source.format = debezium-json");
      try (DebeziumToKafka connector =
              new DebeziumToKafka(
                  server,
                  broker,
                  "srv",
                  "shop",
                  Map.of(
                      "column.propagate.source.type", ".*",
                      "bigint.unsigned.handling.mode", "precise"));
          DaemonProcess first = DaemonProcess.run(direct);
          DaemonProcess second = topics.run()) {
        topics.awaitRows(second, "shop", "t", 1);
        execute(
            server,
            "INSERT INTO shop.t VALUES " + ROW.formatted(2, 2) + ", " + ROW.formatted(3, 3),
            "INSERT INTO shop.t (id, part) VALUES (4, 'x'), (5, 'y')",
            "UPDATE shop.t SET x = 'touched', da = NULL WHERE id = 2",
            "UPDATE shop.t SET id = 30 WHERE id = 3",
            "DELETE FROM shop.t WHERE id = 4");
        LakeAssert.awaitSame(first, server, direct, Duration.ofSeconds(60), "shop", "t");
        TableRows wanted = LakeRows.read(direct.warehouse(), "shop", "t");
        List<String> differences = new ArrayList<>();
        Await.until(
            Duration.ofSeconds(60),
            () -> differences + "\n" + second.logTail(),
            () -> {
              second.assertAlive();
              differences.clear();
              differences.addAll(wanted.differences(topics.rows("shop", "t")));
              return differences.isEmpty();
            });
        assertThat(topics.columns("shop", "t"))
            .isEqualTo(LakeRows.columns(direct.warehouse(), "shop", "t"));
        assertThat(connector).isNotNull();
        assertThat(first.terminate()).isZero();
        assertThat(second.terminate()).isZero();
      }
    }
  }

  private static void execute(ThrowawayServer server, String... statements) throws Exception {
    try (Connection root = server.connect("");
        Statement statement = root.createStatement()) {
      statement.execute("SET time_zone = '+00:00'");
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }
}
