package io.sluice.replicator.sources.debezium;

import io.sluice.evolution.SourceTableId;
import io.sluice.replicator.values.MySqlFlavor;
import io.sluice.sinks.PipelineStoppedException;
import io.sluice.sinks.PipelineStoppedException.Reason;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/** The source server over plain JDBC: what the source itself has to ask. */
final class SourceServer {

  private static final int UNKNOWN_VARIABLE = 1193;
  private static final int SYNTAX = 1064;

  private SourceServer() {}

  /** A connection in UTC; the caller closes it. */
  static Connection connect(SourceSettings settings) throws SQLException {
    var properties = new Properties();
    properties.setProperty("user", settings.user());
    properties.setProperty("password", settings.password());
    long millis = settings.connectTimeout().toMillis();
    properties.setProperty("connectTimeout", Long.toString(millis));
    properties.setProperty("socketTimeout", Long.toString(settings.readTimeout().toMillis()));
    String host = settings.host();
    String address =
        (host.contains(":") && !host.startsWith("[") ? "[" + host + "]" : host)
            + ":"
            + settings.port()
            + "/";
    if (settings.flavor() == MySqlFlavor.MYSQL) {
      properties.setProperty("sslMode", settings.tls().name());
      properties.setProperty("allowPublicKeyRetrieval", "true");
      properties.setProperty("connectionTimeZone", "UTC");
      return DriverManager.getConnection("jdbc:mysql://" + address, properties);
    }
    properties.setProperty("sslMode", settings.tls().word(MySqlFlavor.MARIADB).replace('_', '-'));
    String url = "jdbc:mariadb://" + address;
    try {
      return DriverManager.getConnection(url, properties);
    } catch (SQLException e) {
      // The driver has no mode that encrypts only if the server offers it.
      if (settings.tls() != SourceSettings.Tls.PREFERRED
          || !String.valueOf(e.getMessage()).contains("ssl not enabled")) {
        throw e;
      }
      properties.setProperty("sslMode", "disable");
      return DriverManager.getConnection(url, properties);
    }
  }

  /**
   * Debezium's {@code database.ssl.mode}; MariaDB is asked what it offers when TLS is only
   * preferred.
   *
   * @throws PipelineStoppedException the server can't be asked
   */
  static String tlsWord(SourceSettings settings) {
    String word = settings.tls().word(settings.flavor());
    if (settings.flavor() == MySqlFlavor.MYSQL || settings.tls() != SourceSettings.Tls.PREFERRED) {
      return word;
    }
    try (Connection connection = connect(settings)) {
      return "YES".equalsIgnoreCase(variable(connection, "have_ssl")) ? word : "disable";
    } catch (SQLException e) {
      throw SourceFailures.explain(settings, null, e);
    }
  }

  /**
   * Where the server's binlog ends now.
   *
   * @throws PipelineStoppedException the server can't be asked
   */
  static BinlogPoint binlogEnd(SourceSettings settings) {
    try (Connection connection = connect(settings)) {
      BinlogPoint end = binlogEnd(connection, settings.flavor());
      if (end == null) {
        throw new PipelineStoppedException(
            Reason.REFUSED, "The source has no binlog (log_bin=OFF). Switch it on.");
      }
      return end;
    } catch (SQLException e) {
      throw SourceFailures.explain(settings, null, e);
    }
  }

  /**
   * Since MySQL 9.6 foreign keys are the server's, not InnoDB's; then what they change by cascade
   * is in the binlog.
   *
   * @throws PipelineStoppedException the server can't be asked
   */
  static boolean cascadesAreLogged(SourceSettings settings) {
    if (settings.flavor() == MySqlFlavor.MARIADB) {
      return false;
    }
    try (Connection connection = connect(settings)) {
      return "0".equals(variable(connection, "innodb_native_foreign_keys"));
    } catch (SQLException e) {
      throw SourceFailures.explain(settings, null, e);
    }
  }

  /**
   * Whether the character set of each text column stands in the binlog before its rows: in MySQL 8
   * always, in MariaDB if {@code binlog_row_metadata} isn't {@code NO_LOG}.
   *
   * @throws PipelineStoppedException the server can't be asked
   */
  static boolean characterSetsAreLogged(SourceSettings settings) {
    if (settings.flavor() == MySqlFlavor.MYSQL) {
      return true;
    }
    try (Connection connection = connect(settings)) {
      return logsCharacterSets(connection);
    } catch (SQLException e) {
      throw SourceFailures.explain(settings, null, e);
    }
  }

  /** MariaDB alone has the value {@code NO_LOG}, and older ones not even the variable. */
  static boolean logsCharacterSets(Connection mariaDb) throws SQLException {
    String metadata = variable(mariaDb, "binlog_row_metadata");
    return metadata != null && !metadata.equalsIgnoreCase("NO_LOG");
  }

  /**
   * The tables that the server has now, those of its own databases among them.
   *
   * @throws PipelineStoppedException the server can't be asked
   */
  static List<SourceTableId> tables(SourceSettings settings) {
    try (Connection connection = connect(settings);
        Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery(
                "SELECT TABLE_SCHEMA, TABLE_NAME FROM information_schema.TABLES"
                    + " WHERE TABLE_TYPE LIKE '%BASE TABLE' OR TABLE_TYPE = 'SYSTEM VERSIONED'")) {
      var result = new ArrayList<SourceTableId>();
      while (rows.next()) {
        result.add(new SourceTableId(rows.getString(1), rows.getString(2)));
      }
      return result;
    } catch (SQLException e) {
      throw SourceFailures.explain(settings, null, e);
    }
  }

  /** Null if there is no binlog. */
  static @Nullable BinlogPoint binlogEnd(Connection connection, MySqlFlavor flavor)
      throws SQLException {
    if (flavor == MySqlFlavor.MYSQL) {
      try {
        return binlogEnd(connection, "SHOW BINARY LOG STATUS");
      } catch (SQLException e) {
        if (e.getErrorCode() != SYNTAX) {
          throw e;
        }
        // Before MySQL 8.2.
      }
    }
    return binlogEnd(connection, "SHOW MASTER STATUS");
  }

  private static @Nullable BinlogPoint binlogEnd(Connection connection, String sql)
      throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      return rows.next() ? new BinlogPoint(rows.getString(1), rows.getLong(2)) : null;
    }
  }

  /** A global variable's value; null if this server has no such variable. */
  static @Nullable String variable(Connection connection, String name) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SELECT @@GLOBAL." + name)) {
      return rows.next() ? rows.getString(1) : null;
    } catch (SQLException e) {
      if (e.getErrorCode() == UNKNOWN_VARIABLE) {
        return null;
      }
      throw e;
    }
  }
}
