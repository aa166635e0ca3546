package io.sluice.replicator.sources.debezium;

import io.sluice.replicator.values.MySqlFlavor;
import io.sluice.sinks.PipelineStoppedException;
import io.sluice.sinks.PipelineStoppedException.Reason;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.TimeUnit;

/**
 * Whether the server still has everything behind a position, and is the one that it belongs to.
 * Says what is missing, which neither the server's nor Debezium's own message does. MariaDB finds a
 * position by its own rules, and refuses it when the stream is asked for.
 */
final class PositionCheck {

  /** A transaction may reach the stream an instant before it is in gtid_executed. */
  private static final int VISIBLE_SECONDS_MAX = 10;

  private final SourceSettings settings;
  private final BinlogPosition position;

  private PositionCheck(SourceSettings settings, BinlogPosition position) {
    this.settings = settings;
    this.position = position;
  }

  /**
   * @throws PipelineStoppedException PROTECTED: state "gap"; UNREACHABLE: the server can't be asked
   */
  static void require(SourceSettings settings, BinlogPosition position) {
    if (settings.flavor() == MySqlFlavor.MARIADB) {
      return;
    }
    var check = new PositionCheck(settings, position);
    try (Connection connection = SourceServer.connect(settings)) {
      boolean withGtids = "ON".equals(SourceServer.variable(connection, "gtid_mode"));
      if (withGtids != (position.gtids() != null)) {
        throw new PipelineStoppedException(
            Reason.PROTECTED,
            "The pipeline stands at "
                + position.toSourcePosition().text()
                + ", a position "
                + (withGtids ? "without" : "with")
                + " GTIDs, but the source now has gtid_mode "
                + (withGtids ? "ON" : "other than ON")
                + ": it can't go on there. Set gtid_mode as it was, or copy the tables again"
                + " (sluice resync -c FILE --all, then start it).");
      }
      if (withGtids) {
        check.gtids(connection);
      } else {
        check.file(connection);
      }
    } catch (SQLException e) {
      throw SourceFailures.explain(settings, null, e);
    }
  }

  private void gtids(Connection connection) throws SQLException {
    String ours = String.valueOf(position.gtids());
    String purged = subtracted(connection, "@@GLOBAL.gtid_purged", "?", ours);
    if (!purged.isEmpty()) {
      throw gap("it stands at " + ours + " and lacks " + purged + ", which were purged");
    }
    String foreign = subtracted(connection, "?", "@@GLOBAL.gtid_executed", ours);
    for (int i = 0; !foreign.isEmpty() && i < VISIBLE_SECONDS_MAX; i++) {
      try {
        TimeUnit.SECONDS.sleep(1);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new PipelineStoppedException(Reason.CLOSED, "Interrupted");
      }
      foreign = subtracted(connection, "?", "@@GLOBAL.gtid_executed", ours);
    }
    if (!foreign.isEmpty()) {
      throw gap(
          "it stands at "
              + ours
              + ", of which the server has never executed "
              + foreign
              + ": it was reset, lost them in a crash, or is another server");
    }
  }

  private static String subtracted(Connection connection, String from, String what, String ours)
      throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement("SELECT GTID_SUBTRACT(" + from + ", " + what + ")")) {
      statement.setString(1, ours);
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        return String.valueOf(row.getString(1)).replaceAll("\\s", "");
      }
    }
  }

  private void file(Connection connection) throws SQLException {
    BinlogPoint point = position.point();
    String oldest = "";
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SHOW BINARY LOGS")) {
      while (rows.next()) {
        oldest = oldest.isEmpty() ? rows.getString(1) : oldest;
        if (rows.getString(1).equals(point.file())) {
          requireLength(point, rows.getLong(2));
          return;
        }
      }
    }
    throw gap("it stands at " + point + ", and the oldest file is " + oldest);
  }

  private void requireLength(BinlogPoint point, long length) {
    if (point.pos() > length) {
      throw gap(
          "it stands at "
              + point
              + ", but that file has only "
              + length
              + " bytes: it was written anew");
    }
  }

  private PipelineStoppedException gap(String what) {
    return SourceFailures.gap(
        settings.flavor() + " at " + settings.host() + ":" + settings.port(),
        "pipeline " + settings.pipeline() + ": " + what,
        null);
  }
}
