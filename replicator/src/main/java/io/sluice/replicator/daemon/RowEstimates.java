package io.sluice.replicator.daemon;

import io.sluice.evolution.SourceTableId;
import io.sluice.replicator.backfill.JdbcSource;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.Map;

/** How many rows the server thinks its tables hold: what a new table's buckets go by. */
final class RowEstimates {

  private static final String TABLES =
      "SELECT table_schema, table_name, table_rows FROM information_schema.tables"
          + " WHERE table_type = 'BASE TABLE' AND table_rows IS NOT NULL";

  private RowEstimates() {}

  static Map<SourceTableId, Long> read(JdbcSource source) throws SQLException {
    var result = new HashMap<SourceTableId, Long>();
    try (Connection connection = source.connect();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(TABLES)) {
      while (rows.next()) {
        result.put(new SourceTableId(rows.getString(1), rows.getString(2)), rows.getLong(3));
      }
    }
    return result;
  }
}
