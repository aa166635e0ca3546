package io.sluice.replicator.daemon;

import io.sluice.config.SourceSize;
import io.sluice.evolution.SourceTableId;
import io.sluice.replicator.backfill.JdbcSource;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.Map;

/** How much the server thinks its tables hold: what a new table's buckets go by. */
final class SizeEstimates {

  private static final String TABLES =
      "SELECT table_schema, table_name, table_rows, data_length FROM information_schema.tables"
          + " WHERE table_type <> 'VIEW' AND table_rows IS NOT NULL";

  private SizeEstimates() {}

  static Map<SourceTableId, SourceSize> read(JdbcSource source) throws SQLException {
    var result = new HashMap<SourceTableId, SourceSize>();
    try (Connection connection = source.connect();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(TABLES)) {
      while (rows.next()) {
        result.put(
            new SourceTableId(rows.getString(1), rows.getString(2)),
            new SourceSize(rows.getLong(3), rows.getLong(4)));
      }
    }
    return result;
  }
}
