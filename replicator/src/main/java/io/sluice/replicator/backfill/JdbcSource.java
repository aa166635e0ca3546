package io.sluice.replicator.backfill;

import io.sluice.config.ConnectionConfig;
import io.sluice.config.Secret;
import io.sluice.config.TlsMode;
import io.sluice.replicator.values.MySqlFlavor;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Locale;
import java.util.Properties;

/**
 * Where existing rows are read: the server whose binlog is followed, no replica of it. Connections
 * are set so that no driver and no session setting changes a value: results in utf8mb4, time zone
 * UTC, an empty SQL mode (CHAR without its padding, zero dates as they are), the text protocol.
 */
public record JdbcSource(MySqlFlavor flavor, ConnectionConfig connection) {

  private static final int WRITE_TIMEOUT_SECONDS = 86_400;

  /** Rows that MariaDB's driver takes from the socket, and holds, at once: at most. */
  private static final int MARIADB_FETCH_ROWS_MAX = 1_000;

  private static final long MARIADB_FETCH_BYTES_MAX = 8 << 20;

  /** A new connection in autocommit mode; the caller closes it. */
  public Connection connect() throws SQLException {
    Properties properties = new Properties();
    properties.putAll(connection.properties());
    properties.setProperty("user", connection.user());
    connection.password().map(Secret::reveal).ifPresent(p -> properties.setProperty("password", p));
    Connection opened =
        flavor == MySqlFlavor.MYSQL ? connectMySql(properties) : connectMariaDb(properties);
    try (Statement statement = opened.createStatement()) {
      statement.execute("SET NAMES utf8mb4");
      statement.execute(
          "SET SESSION time_zone = '+00:00', sql_mode = '', autocommit = 1, "
              + (flavor == MySqlFlavor.MYSQL ? "transaction_isolation" : "tx_isolation")
              + " = 'REPEATABLE-READ', net_write_timeout = "
              + WRITE_TIMEOUT_SECONDS
              // DEFAULT would be the server's own limit: rows beyond it would be missing, unsaid.
              + ", sql_select_limit = 18446744073709551615, "
              + (flavor == MySqlFlavor.MYSQL ? "max_execution_time" : "max_statement_time")
              + " = 0"
              // A day old statistics say 0 rows of a table that was just filled.
              + (flavor == MySqlFlavor.MYSQL ? ", information_schema_stats_expiry = 0" : ""));
      return opened;
    } catch (SQLException e) {
      opened.close();
      throw e;
    }
  }

  private Connection connectMySql(Properties properties) throws SQLException {
    TlsMode tls = connection.effectiveTls();
    properties.putIfAbsent("sslMode", tls.name());
    if (tls == TlsMode.DISABLED) {
      properties.putIfAbsent("allowPublicKeyRetrieval", "true");
    }
    properties.setProperty("characterEncoding", "UTF-8");
    properties.setProperty("characterSetResults", "UTF-8");
    properties.setProperty("useServerPrepStmts", "false");
    properties.setProperty("useCursorFetch", "false");
    properties.setProperty("zeroDateTimeBehavior", "CONVERT_TO_NULL");
    properties.setProperty("tinyInt1isBit", "false");
    properties.setProperty("yearIsDateType", "false");
    // The driver would set the server's write timeout before each streaming SELECT.
    properties.setProperty("netTimeoutForStreamingResults", "0");
    properties.setProperty("dontTrackOpenResources", "true");
    properties.putIfAbsent("connectTimeout", Long.toString(connection.timeout().toMillis()));
    properties.putIfAbsent("socketTimeout", Long.toString(connection.readTimeout().toMillis()));
    properties.putIfAbsent("tcpKeepAlive", "true");
    return open(new com.mysql.cj.jdbc.Driver(), "jdbc:mysql://" + address() + "/", properties);
  }

  private Connection connectMariaDb(Properties properties) throws SQLException {
    properties.setProperty("useServerPrepStmts", "false");
    properties.setProperty("tinyInt1isBit", "false");
    properties.setProperty("yearIsDateType", "false");
    properties.putIfAbsent("connectTimeout", Long.toString(connection.timeout().toMillis()));
    properties.putIfAbsent("socketTimeout", Long.toString(connection.readTimeout().toMillis()));
    properties.putIfAbsent("tcpKeepAlive", "true");
    String url = "jdbc:mariadb://" + address() + "/";
    if (properties.containsKey("sslMode")) {
      return open(new org.mariadb.jdbc.Driver(), url, properties);
    }
    TlsMode tls = connection.effectiveTls();
    properties.setProperty(
        "sslMode",
        switch (tls) {
          case DISABLED -> "disable";
          case PREFERRED, AUTO, REQUIRED -> "trust";
          case VERIFY_CA -> "verify-ca";
          case VERIFY_IDENTITY -> "verify-full";
        });
    try {
      return open(new org.mariadb.jdbc.Driver(), url, properties);
    } catch (SQLException e) {
      // The driver has no mode that encrypts only if the server offers it.
      if (tls != TlsMode.PREFERRED || !String.valueOf(e.getMessage()).contains("ssl not enabled")) {
        throw e;
      }
      properties.setProperty("sslMode", "disable");
      return open(new org.mariadb.jdbc.Driver(), url, properties);
    }
  }

  private static Connection open(Driver driver, String url, Properties properties)
      throws SQLException {
    Connection opened = driver.connect(url, properties);
    if (opened == null) {
      throw new SQLException("The driver does not take " + url);
    }
    return opened;
  }

  /**
   * A statement whose result is read as it arrives, never held as a whole.
   *
   * @param rowBytesMax bytes that a row may have; 1 or more
   */
  Statement streamingStatement(Connection on, long rowBytesMax) throws SQLException {
    Statement statement =
        on.createStatement(
            java.sql.ResultSet.TYPE_FORWARD_ONLY, java.sql.ResultSet.CONCUR_READ_ONLY);
    long rows = Math.min(MARIADB_FETCH_ROWS_MAX, MARIADB_FETCH_BYTES_MAX / rowBytesMax);
    statement.setFetchSize(
        flavor == MySqlFlavor.MYSQL ? Integer.MIN_VALUE : (int) Math.max(1, rows));
    return statement;
  }

  String address() {
    String host = connection.host();
    boolean bareV6 = host.indexOf(':') >= 0 && !host.startsWith("[");
    return (bareV6 ? "[" + host + "]" : host) + ":" + connection.port();
  }

  @Override
  public String toString() {
    return flavor.name().toLowerCase(Locale.ROOT) + "://" + address();
  }
}
