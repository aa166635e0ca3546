package io.sluice.replicator.sources.debezium;

import io.sluice.replicator.values.MySqlFlavor;
import io.sluice.sinks.PipelineStoppedException;
import io.sluice.sinks.PipelineStoppedException.Reason;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Whether the source server is set up so that its binlog can be followed without loss. Changes
 * nothing there.
 */
public final class SourcePreflight {

  private static final int ACCESS_DENIED_FOR_COMMAND = 1227;

  private SourcePreflight() {}

  /**
   * One fact about the server.
   *
   * @param stops whether the pipeline must not run with it
   * @param remedy what to do at the server
   */
  public record Finding(boolean stops, String problem, String remedy) {
    @Override
    public String toString() {
      return problem + " " + remedy;
    }
  }

  /**
   * All findings, the worst first; empty: all is well.
   *
   * @throws PipelineStoppedException UNREACHABLE if the server can't be asked
   */
  public static List<Finding> check(SourceSettings settings) {
    try (Connection connection = SourceServer.connect(settings)) {
      var findings = new ArrayList<Finding>();
      if (kind(connection, settings, findings)) {
        binlog(connection, settings, findings);
        grants(connection, settings, findings);
      }
      findings.sort((a, b) -> Boolean.compare(b.stops(), a.stops()));
      return findings;
    } catch (SQLException e) {
      throw SourceFailures.explain(settings, null, e);
    }
  }

  /**
   * Why the stream can't start yet though nothing is wrong: a server on which no transaction with a
   * GTID was ever executed has no place to start from. Empty: it can.
   *
   * @throws PipelineStoppedException UNREACHABLE if the server can't be asked
   */
  public static Optional<String> notYet(SourceSettings settings) {
    try (Connection connection = SourceServer.connect(settings)) {
      boolean mariaDb = settings.flavor() == MySqlFlavor.MARIADB;
      String mode = mariaDb ? "ON" : SourceServer.variable(connection, "gtid_mode");
      String executed =
          SourceServer.variable(connection, mariaDb ? "gtid_binlog_pos" : "gtid_executed");
      return "ON".equals(mode) && (executed == null || executed.isBlank())
          ? Optional.of(
              "No transaction was ever written to the source's binlog; waiting for the first one")
          : Optional.empty();
    } catch (SQLException e) {
      throw SourceFailures.explain(settings, null, e);
    }
  }

  private static boolean kind(
      Connection connection, SourceSettings settings, List<Finding> findings) throws SQLException {
    String version = String.valueOf(SourceServer.variable(connection, "version"));
    boolean mariaDb = version.toLowerCase(Locale.ROOT).contains("mariadb");
    if (mariaDb == (settings.flavor() == MySqlFlavor.MARIADB)) {
      return true;
    }
    findings.add(
        stop(
            "The server is " + (mariaDb ? "MariaDB " : "MySQL ") + version + ".",
            "Set source.type = " + (mariaDb ? "mariadb" : "mysql") + "."));
    return false;
  }

  private static void binlog(Connection connection, SourceSettings settings, List<Finding> findings)
      throws SQLException {
    if (!isOn(SourceServer.variable(connection, "log_bin"))) {
      findings.add(
          stop(
              "The server writes no binlog (log_bin=OFF).",
              "Start it with log_bin and binlog_format=ROW."));
      return;
    }
    want(connection, findings, "binlog_format", "ROW");
    want(connection, findings, "binlog_row_image", "FULL");
    if (settings.flavor() == MySqlFlavor.MARIADB) {
      if (isOn(SourceServer.variable(connection, "log_bin_compress"))) {
        findings.add(
            stop(
                "log_bin_compress=ON: compressed rows can't be read and would be lost.",
                "SET GLOBAL log_bin_compress=OFF."));
      }
      if (!SourceServer.logsCharacterSets(connection)) {
        findings.add(
            new Finding(
                false,
                "binlog_row_metadata=NO_LOG: the binlog doesn't say in which character set text is,"
                    + " so a statement that names a collation alone may have to stop the pipeline.",
                "SET GLOBAL binlog_row_metadata=MINIMAL (MariaDB 10.5 or newer)."));
      }
      return;
    }
    String options = SourceServer.variable(connection, "binlog_row_value_options");
    if (options != null && options.toUpperCase(Locale.ROOT).contains("PARTIAL_JSON")) {
      findings.add(
          stop(
              "binlog_row_value_options=PARTIAL_JSON: updates of JSON columns would be lost.",
              "SET GLOBAL binlog_row_value_options=''."));
    }
    if (isOn(SourceServer.variable(connection, "binlog_transaction_compression"))) {
      findings.add(
          new Finding(
              false,
              "binlog_transaction_compression=ON: a whole transaction is unpacked in memory.",
              "Give the daemon heap for the largest transaction, or switch it off."));
    }
    gtids(connection, findings);
  }

  private static void gtids(Connection connection, List<Finding> findings) throws SQLException {
    String mode = SourceServer.variable(connection, "gtid_mode");
    if (mode != null && mode.toUpperCase(Locale.ROOT).endsWith("PERMISSIVE")) {
      findings.add(
          stop(
              "gtid_mode=" + mode + ": transactions with and without GTID are mixed.",
              "Set gtid_mode to ON (or OFF) for good."));
    }
    if (!"ON".equalsIgnoreCase(mode)) {
      findings.add(
          new Finding(
              false,
              "gtid_mode=" + mode + ": positions hold for this server alone, not after a failover.",
              "Set gtid_mode=ON and enforce_gtid_consistency=ON if you can."));
      return;
    }
    String executed = SourceServer.variable(connection, "gtid_executed");
    try {
      MySqlGtidSet.parse(executed == null ? "" : executed);
    } catch (IllegalArgumentException e) {
      findings.add(
          stop(
              "gtid_executed has tagged GTIDs, which Debezium can't read: " + executed + ".",
              "Use a server on which no tagged GTID was ever executed."));
    }
  }

  private static void grants(Connection connection, SourceSettings settings, List<Finding> findings)
      throws SQLException {
    try {
      SourceServer.binlogEnd(connection, settings.flavor());
    } catch (SQLException e) {
      if (e.getErrorCode() != ACCESS_DENIED_FOR_COMMAND) {
        throw e;
      }
      findings.add(missing(settings, "REPLICATION CLIENT"));
    }
    var grants = new StringBuilder();
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SHOW GRANTS")) {
      while (rows.next()) {
        grants.append(rows.getString(1).toUpperCase(Locale.ROOT)).append('\n');
      }
    }
    String text = grants.toString();
    boolean byRole = text.lines().anyMatch(line -> !line.contains(" ON "));
    boolean all = text.contains("ALL PRIVILEGES ON *.*");
    if (!all
        && !byRole
        && !text.contains("REPLICATION SLAVE")
        && !text.contains("REPLICATION REPLICA")) {
      findings.add(missing(settings, "REPLICATION SLAVE"));
    }
    if (!all && !byRole && !text.contains("SELECT")) {
      findings.add(missing(settings, "SELECT"));
    }
  }

  private static Finding missing(SourceSettings settings, String grant) {
    return stop(
        "User '" + settings.user() + "' lacks the grant " + grant + ".",
        "GRANT "
            + grant
            + " ON *.* TO '"
            + settings.user()
            + "'@'...'. (Wanted in all: SELECT, REPLICATION SLAVE, REPLICATION CLIENT.)");
  }

  private static void want(
      Connection connection, List<Finding> findings, String variable, String wanted)
      throws SQLException {
    String value = SourceServer.variable(connection, variable);
    if (value != null && !value.equalsIgnoreCase(wanted)) {
      findings.add(
          stop(
              variable + "=" + value + ": changes would come without rows or without columns.",
              "SET GLOBAL " + variable + "=" + wanted + " (and reconnect all clients)."));
    }
  }

  private static boolean isOn(@Nullable String value) {
    return value != null && (value.equals("1") || value.equalsIgnoreCase("ON"));
  }

  private static Finding stop(String problem, String remedy) {
    return new Finding(true, problem, remedy);
  }

  /** For a start: throws if anything found stops the pipeline. */
  public static void require(SourceSettings settings) {
    List<String> problems =
        check(settings).stream().filter(Finding::stops).map(Finding::toString).toList();
    if (!problems.isEmpty()) {
      throw new PipelineStoppedException(
          Reason.REFUSED,
          "The source "
              + settings.host()
              + ":"
              + settings.port()
              + " can't be followed: "
              + String.join(" ", problems));
    }
  }
}
