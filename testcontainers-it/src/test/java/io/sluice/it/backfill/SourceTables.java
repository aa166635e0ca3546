package io.sluice.it.backfill;

import io.sluice.config.ConnectionConfig;
import io.sluice.config.Secret;
import io.sluice.config.TlsMode;
import io.sluice.evolution.PlanOptions;
import io.sluice.evolution.PlannedTable;
import io.sluice.evolution.SourceColumn;
import io.sluice.evolution.SourceTable;
import io.sluice.evolution.SourceTableId;
import io.sluice.evolution.TablePlanner;
import io.sluice.replicator.backfill.JdbcSource;
import io.sluice.replicator.demo.servers.ServerKind;
import io.sluice.replicator.demo.servers.ThrowawayServer;
import io.sluice.replicator.values.MySqlFlavor;
import io.sluice.sinks.RoutedTable;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What a source and a pipeline would tell the backfill of a server's tables. */
final class SourceTables {

  private SourceTables() {}

  static MySqlFlavor flavor(ServerKind kind) {
    return kind == ServerKind.MYSQL ? MySqlFlavor.MYSQL : MySqlFlavor.MARIADB;
  }

  static JdbcSource jdbc(ThrowawayServer server) {
    return new JdbcSource(
        flavor(server.kind()),
        new ConnectionConfig(
            server.host(),
            server.port(),
            ThrowawayServer.CDC.user(),
            Optional.of(new Secret(ThrowawayServer.CDC.password())),
            Duration.ofSeconds(10),
            Duration.ofMinutes(2),
            TlsMode.DISABLED,
            Map.of()));
  }

  /** Everything that the server has committed by now, as the stream would mark it. */
  static String mark(ThrowawayServer server) {
    try (Connection root = server.connect("");
        Statement statement = root.createStatement()) {
      String gtids = "";
      if (server.kind() == ServerKind.MYSQL) {
        try (ResultSet row = statement.executeQuery("SELECT @@gtid_executed")) {
          row.next();
          gtids = row.getString(1).replace("\n", "");
        }
      }
      String sql =
          server.kind() == ServerKind.MYSQL ? "SHOW BINARY LOG STATUS" : "SHOW MASTER STATUS";
      try (ResultSet row = statement.executeQuery(sql)) {
        row.next();
        return "{\"gtids\":\""
            + gtids
            + "\",\"file\":\""
            + row.getString(1)
            + "\",\"pos\":"
            + row.getLong(2)
            + ",\"beyond\":false}";
      }
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  static RoutedTable routed(ThrowawayServer server, String database, String table, long generation)
      throws SQLException {
    SourceTable source = describe(server, database, table);
    PlannedTable planned =
        TablePlanner.plan(source, new PlanOptions("lake", "t", 1, List.of(), Map.of(), false), 0);
    if (!(planned instanceof PlannedTable.Planned plan)) {
      throw new AssertionError(planned);
    }
    return new RoutedTable(source, "lake.t", plan.schema(), generation);
  }

  private static SourceTable describe(ThrowawayServer server, String database, String table)
      throws SQLException {
    List<SourceColumn> columns = new ArrayList<>();
    List<String> key = new ArrayList<>();
    try (Connection root = server.connect("");
        PreparedStatement query =
            root.prepareStatement(
                "SELECT COLUMN_NAME, DATA_TYPE, COLUMN_TYPE, CHARACTER_MAXIMUM_LENGTH,"
                    + " NUMERIC_PRECISION, NUMERIC_SCALE, DATETIME_PRECISION, IS_NULLABLE,"
                    + " CHARACTER_SET_NAME FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = ?"
                    + " AND TABLE_NAME = ? ORDER BY ORDINAL_POSITION")) {
      query.setString(1, database);
      query.setString(2, table);
      try (ResultSet row = query.executeQuery()) {
        while (row.next()) {
          columns.add(column(row));
        }
      }
      try (Statement statement = root.createStatement();
          ResultSet row =
              statement.executeQuery(
                  "SHOW INDEX FROM `"
                      + table.replace("`", "``")
                      + "` FROM `"
                      + database
                      + "` WHERE Key_name = 'PRIMARY'")) {
        while (row.next()) {
          key.add(row.getString("Column_name"));
        }
      }
    }
    return new SourceTable(new SourceTableId(database, table), columns, key);
  }

  private static SourceColumn column(ResultSet row) throws SQLException {
    String type = row.getString(2).toUpperCase(Locale.ROOT);
    String full = row.getString(3).toLowerCase(Locale.ROOT);
    @Nullable Integer length = null;
    @Nullable Integer scale = null;
    switch (type) {
      case "DECIMAL" -> {
        length = row.getInt(5);
        scale = row.getInt(6);
      }
      case "DATETIME", "TIMESTAMP", "TIME" -> length = row.getInt(7);
      case "CHAR", "VARCHAR", "BINARY", "VARBINARY" -> length = row.getInt(4);
      default -> {}
    }
    List<String> labels =
        type.equals("ENUM")
            ? List.of(full.substring(5, full.length() - 1).replace("'", "").split(","))
            : List.of();
    return new SourceColumn(
        row.getString(1),
        full.contains("unsigned") ? type + " UNSIGNED" : type,
        length,
        scale,
        "YES".equals(row.getString(8)),
        row.getString(9),
        labels,
        null);
  }
}
