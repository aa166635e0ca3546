package io.sluice.it.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.config.ConfigLoader;
import io.sluice.config.SluiceConfig;
import io.sluice.evolution.PlannedTable;
import io.sluice.it.support.DaemonProcess;
import io.sluice.it.support.PipelineFolder;
import io.sluice.it.support.TestServers;
import io.sluice.replicator.demo.servers.ServerKind;
import io.sluice.replicator.demo.servers.ThrowawayServer;
import io.sluice.replicator.sources.mysql.preflight.Finding;
import io.sluice.replicator.sources.mysql.preflight.SourceCheck;
import io.sluice.replicator.sources.mysql.preflight.SourceReport;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A look at a server that has one table of every trouble, by a user who may only read it. */
class SourceCheckIT {

  private static final List<String> TROUBLES =
      List.of(
          "CREATE DATABASE shop",
          "CREATE TABLE shop.parent (id INT PRIMARY KEY)",
          "CREATE TABLE shop.child (id INT PRIMARY KEY, p INT, CONSTRAINT fk_p FOREIGN KEY (p)"
              + " REFERENCES shop.parent(id) ON DELETE CASCADE)",
          "CREATE TABLE shop.keyless (a INT)",
          "CREATE TABLE shop.geo (id INT PRIMARY KEY, g GEOMETRY)",
          "CREATE TABLE shop.approximate (id DOUBLE PRIMARY KEY)",
          "CREATE TABLE shop.fleeting (id INT PRIMARY KEY) ENGINE=MEMORY",
          "CREATE TABLE shop.old (id INT PRIMARY KEY) ENGINE=MyISAM",
          "CREATE VIEW shop.look AS SELECT * FROM shop.parent",
          "CREATE TABLE shop.`order-items` (`a.b` BIGINT UNSIGNED, e ENUM('x','y,z'),"
              + " d DECIMAL(50,3), ts TIMESTAMP(3) NULL, t TIME(2), b BIT(9), z INT(8) ZEROFILL,"
              + " ti TINYINT(1), PRIMARY KEY (ti, `a.b`))");

  @TempDir Path folder;

  @ParameterizedTest
  @EnumSource(ServerKind.class)
  void tellsTypePlanAndTroublesOfEveryTable(ServerKind kind) throws Exception {
    try (ThrowawayServer server = TestServers.start(kind)) {
      execute(server, TROUBLES);
      PipelineFolder pipeline =
          new PipelineFolder(folder, "shop").source(server).include("shop.*", "nope.x");
      SourceReport report = SourceCheck.examine(load(pipeline));

      assertThat(report.tables())
          .extracting(table -> table.source().definition().id().table())
          .containsExactly(
              "approximate", "child", "fleeting", "geo", "keyless", "old", "order-items", "parent");
      List<String> errors =
          report.findings().stream().filter(Finding::stops).map(Finding::toString).toList();
      assertThat(errors)
          .anyMatch(text -> text.startsWith("shop.approximate, column id: type DOUBLE can't"))
          .anyMatch(text -> text.startsWith("shop.geo, column g: type GEOMETRY is not supported"))
          .anyMatch(text -> text.startsWith("shop.keyless: the table has no primary key"))
          .anyMatch(text -> text.startsWith("shop.fleeting: its storage engine MEMORY"));
      // MySQL 9.6 and newer write cascades to the binlog, MariaDB does not.
      assertThat(
              errors.stream().filter(text -> text.startsWith("shop.child: its foreign key fk_p")))
          .hasSize(kind == ServerKind.MARIADB ? 1 : 0);
      assertThat(report.findings())
          .filteredOn(finding -> !finding.stops())
          .extracting(Finding::toString)
          .anyMatch(text -> text.startsWith("shop.old: its storage engine MyISAM"))
          .anyMatch(text -> text.startsWith("source.include: \"nope.x\" matches no table"));
      assertThat(plan(report, "order-items"))
          .containsExactly(
              "a.b DECIMAL(20, 0) NOT NULL",
              "e STRING",
              "d STRING",
              "ts TIMESTAMP(3) WITH LOCAL TIME ZONE",
              "t STRING",
              "b BIGINT",
              "z BIGINT",
              "ti TINYINT NOT NULL");
    }
  }

  private static List<String> plan(SourceReport report, String table) {
    return report.tables().stream()
        .filter(each -> each.source().definition().id().table().equals(table))
        .map(each -> ((PlannedTable.Planned) each.plan()).schema())
        .flatMap(schema -> schema.rowType().fields().stream())
        .map(field -> field.name() + " " + field.type())
        .toList();
  }

  @ParameterizedTest
  @EnumSource(ServerKind.class)
  void checkEndsWithZeroWhereNothingIsInTheWay(ServerKind kind) throws Exception {
    try (ThrowawayServer server = TestServers.start(kind)) {
      execute(
          server,
          List.of("CREATE DATABASE shop", "CREATE TABLE shop.t (id INT PRIMARY KEY, v TEXT)"));
      PipelineFolder pipeline = new PipelineFolder(folder, "shop").source(server).include("shop.*");
      Path config = pipeline.writeConfig();
      try (DaemonProcess check =
          DaemonProcess.start(folder, List.of(), List.of("check", "-c", config.toString()))) {
        assertThat(check.awaitExit()).as(check.log()).isZero();
        assertThat(check.log())
            .contains("Nothing is in the way.", "shop.t -> shop.t", "is writable")
            .doesNotContain(ThrowawayServer.CDC.password() + "\"");
      }
      pipeline.include("shop.t", "shop.keyless");
      execute(server, List.of("CREATE TABLE shop.keyless (a INT)"));
      config = pipeline.writeConfig();
      try (DaemonProcess check =
          DaemonProcess.start(folder, List.of(), List.of("check", "-c", config.toString()))) {
        assertThat(check.awaitExit()).as(check.log()).isEqualTo(1);
        assertThat(check.log()).contains("ERROR  shop.keyless: the table has no primary key.");
      }
    }
  }

  private static SluiceConfig load(PipelineFolder pipeline) throws Exception {
    return ConfigLoader.load(pipeline.writeConfig(), Map.of());
  }

  private static void execute(ThrowawayServer on, List<String> statements) throws Exception {
    try (Connection connection = on.connect("");
        Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }
}
