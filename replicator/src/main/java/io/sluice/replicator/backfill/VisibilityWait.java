package io.sluice.replicator.backfill;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.replicator.values.MySqlFlavor;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Opens a chunk's read view such that everything the stream had delivered is in it. A transaction
 * is in the binlog, and may have reached the stream, an instant before its rows are visible;
 * without this wait such a row is in neither the SELECT nor, by its number, above it: lost.
 *
 * <ol>
 *   <li>MySQL with GTIDs: {@code WAIT_FOR_EXECUTED_GTID_SET}. A GTID enters {@code gtid_executed}
 *       after the commit in the engine, so a read view opened afterwards has its rows.
 *   <li>MariaDB: {@code START TRANSACTION WITH CONSISTENT SNAPSHOT} tells the binlog position that
 *       its view corresponds to exactly ({@code binlog_snapshot_file}, {@code _position}); views
 *       are opened until one is at or past what was delivered.
 *   <li>MySQL without GTIDs: {@code LOCK TABLES t READ}, and {@code UNLOCK TABLES} at once. A
 *       transaction that has written to t holds t's metadata lock until its commit is over, in the
 *       engine too; the READ lock is granted only when there is none such. So whatever of t was in
 *       the binlog before is visible after. It locks one table, and waits at most a second at a
 *       time, since writers queue behind it; {@code FLUSH TABLES WITH READ LOCK} would do the same
 *       for all tables and wait for every reader.
 * </ol>
 *
 * <p>The mark is the source's JSON: {@code gtids} (a set), {@code file} and {@code pos}, {@code
 * beyond} (something behind that point was delivered: the view must be past it, not just at it).
 */
final class VisibilityWait {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int WAIT_SECONDS = 1;
  private static final long PAUSE_MICROS_MAX = 20_000;
  private static final int LOCK_WAIT_TIMEOUT = 1205;

  private final MySqlFlavor flavor;
  private final AtomicBoolean running;

  /**
   * @param running false ends a wait
   */
  VisibilityWait(MySqlFlavor flavor, AtomicBoolean running) {
    this.flavor = flavor;
    this.running = running;
  }

  /**
   * Returns with a transaction open on {@code connection}, whose first consistent read sees all
   * that was delivered.
   */
  void openTransaction(Connection connection, ChunkSql table, String delivered)
      throws SQLException, InterruptedException {
    JsonNode mark = parse(delivered);
    try (Statement statement = connection.createStatement()) {
      if (flavor == MySqlFlavor.MARIADB) {
        openSnapshot(statement, mark);
        return;
      }
      String gtids = mark.path("gtids").asText("");
      if (gtids.isEmpty()) {
        passTableLock(statement, table);
      } else {
        awaitGtids(statement, gtids);
      }
      statement.execute("START TRANSACTION READ ONLY");
    }
  }

  private static JsonNode parse(String delivered) {
    try {
      return JSON.readTree(delivered);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("Not a mark of what was delivered: " + delivered, e);
    }
  }

  private void awaitGtids(Statement statement, String gtids)
      throws SQLException, InterruptedException {
    String set = gtids.replaceAll("\\s", "");
    if (!set.matches("[0-9a-fA-F:,_a-z-]+")) {
      throw new IllegalArgumentException("Not a set of GTIDs: " + gtids);
    }
    while (true) {
      checkRunning();
      try (ResultSet row =
          statement.executeQuery(
              "SELECT WAIT_FOR_EXECUTED_GTID_SET('" + set + "', " + WAIT_SECONDS + ")")) {
        row.next();
        if (row.getInt(1) == 0 && !row.wasNull()) {
          return;
        }
      }
    }
  }

  private void openSnapshot(Statement statement, JsonNode mark)
      throws SQLException, InterruptedException {
    String file = mark.path("file").asText("");
    long position = mark.path("pos").asLong();
    boolean beyond = mark.path("beyond").asBoolean();
    long pauseMicros = 100;
    while (true) {
      checkRunning();
      statement.execute("START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY");
      Map<String, String> snapshot = snapshotPosition(statement);
      String snapshotFile = snapshot.get("binlog_snapshot_file");
      String snapshotPosition = snapshot.get("binlog_snapshot_position");
      if (snapshotFile == null || snapshotFile.isEmpty() || snapshotPosition == null) {
        throw new SQLException(
            "The server tells no binlog_snapshot_file after START TRANSACTION WITH CONSISTENT"
                + " SNAPSHOT: its binlog is off");
      }
      int order = compareFiles(snapshotFile, file);
      long at = Long.parseLong(snapshotPosition);
      if (file.isEmpty()
          || order > 0
          || (order == 0 && (beyond ? at > position : at >= position))) {
        return;
      }
      statement.execute("ROLLBACK");
      TimeUnit.MICROSECONDS.sleep(pauseMicros);
      pauseMicros = Math.min(PAUSE_MICROS_MAX, pauseMicros * 2);
    }
  }

  private static Map<String, String> snapshotPosition(Statement statement) throws SQLException {
    Map<String, String> result = new HashMap<>();
    try (ResultSet rows = statement.executeQuery("SHOW STATUS LIKE 'binlog\\_snapshot\\_%'")) {
      while (rows.next()) {
        result.put(rows.getString(1).toLowerCase(Locale.ROOT), rows.getString(2));
      }
    }
    return result;
  }

  /** By the number behind the last dot: it may have more than six digits. */
  static int compareFiles(String a, String b) {
    long numberA = number(a);
    long numberB = number(b);
    return numberA >= 0 && numberB >= 0 ? Long.compare(numberA, numberB) : a.compareTo(b);
  }

  private static long number(String file) {
    String digits = file.substring(file.lastIndexOf('.') + 1);
    return digits.matches("[0-9]{1,18}") ? Long.parseLong(digits) : -1;
  }

  private void passTableLock(Statement statement, ChunkSql table)
      throws SQLException, InterruptedException {
    statement.execute("SET SESSION lock_wait_timeout = " + WAIT_SECONDS);
    while (true) {
      checkRunning();
      try {
        statement.execute("LOCK TABLES " + table.tableName() + " READ");
        statement.execute("UNLOCK TABLES");
        statement.execute("SET SESSION lock_wait_timeout = DEFAULT");
        return;
      } catch (SQLException e) {
        if (e.getErrorCode() != LOCK_WAIT_TIMEOUT) {
          throw e;
        }
        // A writer keeps its transaction open; those who queued behind us go first.
        TimeUnit.SECONDS.sleep(WAIT_SECONDS);
      }
    }
  }

  private void checkRunning() throws InterruptedException {
    if (!running.get()) {
      throw new InterruptedException("the backfill is stopping");
    }
  }
}
