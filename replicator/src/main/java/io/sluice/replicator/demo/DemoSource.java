package io.sluice.replicator.demo;

import io.sluice.replicator.demo.servers.NativeMariaDb;
import io.sluice.replicator.demo.servers.NativeMySql;
import io.sluice.replicator.demo.servers.ServerKind;
import io.sluice.replicator.demo.servers.ThrowawayServer;
import java.net.URI;
import java.net.URISyntaxException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Where the demo's shop lives: on a throwaway server, or on a server of the user's own, in a
 * database that the demo makes and drops.
 */
final class DemoSource implements AutoCloseable {
  private final ServerKind kind;
  private final String host;
  private final int port;
  private final String user;
  private final String password;
  private final @Nullable ThrowawayServer server;
  private boolean made;

  private DemoSource(
      ServerKind kind,
      String host,
      int port,
      String user,
      String password,
      @Nullable ThrowawayServer server) {
    this.kind = kind;
    this.host = host;
    this.port = port;
    this.user = user;
    this.password = password;
    this.server = server;
  }

  /**
   * @param text {@code mariadb}, {@code mysql}, or {@code mysql://user:password@host:port} (also
   *     {@code mariadb://...})
   * @throws IllegalArgumentException if it is neither
   */
  static DemoSource open(String text) {
    return switch (text.toLowerCase(Locale.ROOT)) {
      case "mariadb" -> throwaway(NativeMariaDb.start());
      case "mysql" -> throwaway(NativeMySql.start());
      default -> own(text);
    };
  }

  private static DemoSource throwaway(ThrowawayServer server) {
    return new DemoSource(
        server.kind(),
        server.host(),
        server.port(),
        ThrowawayServer.ROOT.user(),
        ThrowawayServer.ROOT.password(),
        server);
  }

  private static DemoSource own(String text) {
    String advice =
        " is no source. Write mariadb, mysql, or mysql://USER:PASSWORD@HOST:PORT (or mariadb://...).";
    URI uri;
    try {
      uri = new URI(text.startsWith("jdbc:") ? text.substring("jdbc:".length()) : text);
    } catch (URISyntaxException e) {
      throw new IllegalArgumentException("the given address" + advice, e);
    }
    ServerKind kind =
        switch (uri.getScheme() == null ? "" : uri.getScheme()) {
          case "mysql" -> ServerKind.MYSQL;
          case "mariadb" -> ServerKind.MARIADB;
          default ->
              throw new IllegalArgumentException(
                  (uri.getUserInfo() == null ? text : "the given address") + advice);
        };
    if (uri.getHost() == null) {
      throw new IllegalArgumentException("the given address" + advice);
    }
    String login = uri.getUserInfo() == null ? "root" : uri.getUserInfo();
    int colon = login.indexOf(':');
    return new DemoSource(
        kind,
        uri.getHost(),
        uri.getPort() < 0 ? 3306 : uri.getPort(),
        colon < 0 ? login : login.substring(0, colon),
        colon < 0 ? "" : login.substring(colon + 1),
        null);
  }

  ServerKind kind() {
    return kind;
  }

  String host() {
    return host;
  }

  int port() {
    return port;
  }

  /** The account that the daemon logs in with; on a throwaway server one with few rights. */
  String replicationUser() {
    return server == null ? user : ThrowawayServer.CDC.user();
  }

  String replicationPassword() {
    return server == null ? password : ThrowawayServer.CDC.password();
  }

  boolean isThrowaway() {
    return server != null;
  }

  /** How to look at the database by hand. */
  String clientCommand() {
    String program = kind == ServerKind.MARIADB ? "mariadb" : "mysql";
    return program
        + " -h "
        + host
        + " -P "
        + port
        + " -u "
        + user
        + (password.isEmpty() ? "" : " -p")
        + " "
        + Shop.DATABASE;
  }

  Connection connect(String database) throws SQLException {
    return DriverManager.getConnection(kind.jdbcUrl(host, port, database), user, password);
  }

  /**
   * Makes the shop.
   *
   * @throws SQLException also when there is a database of that name already: it stays untouched
   */
  void makeShop(Shop.Size size) throws SQLException {
    try (Connection connection = connect("");
        Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery("SHOW DATABASES LIKE '" + Shop.DATABASE + "'")) {
      if (result.next()) {
        throw new SQLException(
            "the server has a database "
                + Shop.DATABASE
                + " already; the demo makes its own and does not touch yours. Drop or rename it, or use another server.");
      }
    }
    made = true;
    Shop.create(this::connect, size);
  }

  /** Ends the throwaway server; on a server of one's own drops the shop. */
  @Override
  public void close() throws SQLException {
    if (server != null) {
      server.close();
    } else if (made) {
      Shop.drop(this::connect);
    }
  }
}
