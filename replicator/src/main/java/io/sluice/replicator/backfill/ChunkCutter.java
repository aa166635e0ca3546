package io.sluice.replicator.backfill;

import java.math.BigInteger;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds where a chunk ends. A single integer key whose values are dense is cut by arithmetic; else
 * the server names the key of the n-th row.
 *
 * @param smallest and largest value of a dense integer key; null: not dense
 * @param step keys for each row of a dense key
 * @param estimate rows of the table, by the server's statistics
 */
record ChunkCutter(
    ChunkSql sql,
    @Nullable BigInteger smallest,
    @Nullable BigInteger largest,
    double step,
    long estimate) {

  /** Above so many keys for a row the key isn't dense. */
  private static final double SPARSE = 4;

  static ChunkCutter survey(Connection connection, ChunkSql sql) throws SQLException {
    long estimate = estimate(connection, sql);
    if (!sql.singleInteger()) {
      return new ChunkCutter(sql, null, null, 1, estimate);
    }
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql.extremes())) {
      row.next();
      String smallest = row.getString(1);
      String largest = row.getString(2);
      if (smallest == null || largest == null) {
        return new ChunkCutter(sql, null, null, 1, estimate);
      }
      BigInteger low = new BigInteger(smallest);
      BigInteger high = new BigInteger(largest);
      double keys = high.subtract(low).add(BigInteger.ONE).doubleValue();
      if (keys > SPARSE * estimate) {
        return new ChunkCutter(sql, null, null, 1, estimate);
      }
      return new ChunkCutter(sql, low, high, Math.max(1, keys / estimate), estimate);
    }
  }

  private static long estimate(Connection connection, ChunkSql sql) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement(
            "SELECT TABLE_ROWS FROM information_schema.TABLES"
                + " WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ?")) {
      statement.setString(1, sql.table().database());
      statement.setString(2, sql.table().table());
      try (ResultSet row = statement.executeQuery()) {
        return row.next() ? Math.max(0, row.getLong(1)) : 0;
      }
    }
  }

  /**
   * The last key of a chunk of about {@code rows} rows at the range's start; null: take the whole
   * range.
   */
  @Nullable List<String> boundary(Connection connection, KeyRange range, int rows)
      throws SQLException {
    if (sql.keys().isEmpty()) {
      return null;
    }
    List<String> from = range.from();
    List<String> to = range.to();
    if (smallest != null && largest != null) {
      // A range may begin far below the first key, or end far behind the last.
      BigInteger start = smallest.subtract(BigInteger.ONE);
      start = from == null ? start : start.max(new BigInteger(from.get(0)));
      BigInteger end = to == null ? largest : largest.min(new BigInteger(to.get(0)));
      BigInteger cut = start.add(BigInteger.valueOf((long) Math.ceil(rows * step)));
      return cut.compareTo(end) < 0 ? List.of(cut.toString()) : null;
    }
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql.boundary(range, rows))) {
      if (!row.next()) {
        return null;
      }
      List<String> boundary = new ArrayList<>();
      for (int i = 1; i <= sql.keys().size(); i++) {
        boundary.add(row.getString(i));
      }
      // The range's own end: nothing would be left behind it.
      return boundary.equals(to) ? null : boundary;
    }
  }
}
