package io.sluice.replicator.backfill;

import io.sluice.replicator.values.MySqlFlavor;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * Where the server's binlog ends: at or behind everything that a SELECT before could see, since a
 * transaction is in the binlog before its rows are visible.
 */
record BinlogEnd(String file, long position) {

  private static final int SYNTAX_ERROR = 1064;

  static BinlogEnd read(MySqlFlavor flavor, Connection connection) throws SQLException {
    try {
      // MySQL dropped the old words in 8.4, and 8.0 doesn't know the new ones.
      return query(
          connection,
          flavor == MySqlFlavor.MYSQL ? "SHOW BINARY LOG STATUS" : "SHOW MASTER STATUS");
    } catch (SQLException e) {
      if (flavor != MySqlFlavor.MYSQL || e.getErrorCode() != SYNTAX_ERROR) {
        throw e;
      }
      return query(connection, "SHOW MASTER STATUS");
    }
  }

  private static BinlogEnd query(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      if (!row.next()) {
        throw new SQLException("The server keeps no binlog: " + sql + " gives no row");
      }
      return new BinlogEnd(row.getString(1), row.getLong(2));
    }
  }
}
