package io.sluice.replicator.demo.servers;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;

/**
 * One running database server with a binary log in ROW format, full row images and metadata, and
 * GTIDs. It starts empty, with two accounts: {@link #ROOT} may do everything, {@link #CDC} has the
 * rights that replication needs and no more.
 *
 * <p>Thread safety: connections may be opened from any thread; the life cycle belongs to one
 * thread.
 */
public interface ThrowawayServer extends AutoCloseable {
  /** May do everything. */
  Account ROOT = new Account("root", "");

  /** May read and follow the binary log. */
  Account CDC = new Account("cdc", "cdc");

  ServerKind kind();

  String host();

  int port();

  /** What the server calls its version, such as {@code 9.7.4-2} or {@code 11.4.5-MariaDB}. */
  String version();

  /** JDBC address of a database of this server; an empty name for none. */
  default String jdbcUrl(String database) {
    return kind().jdbcUrl(host(), port(), database);
  }

  /** A new connection as {@link #ROOT}; the caller closes it. */
  default Connection connect(String database) throws SQLException {
    return connect(database, ROOT);
  }

  /** A new connection; the caller closes it. */
  default Connection connect(String database, Account account) throws SQLException {
    return DriverManager.getConnection(jdbcUrl(database), account.user(), account.password());
  }

  /** Shuts the server down in order; its data stay. */
  void stop();

  /** Ends the process at once, as {@code kill -9} does; its data stay as they are. */
  void kill();

  /**
   * Starts again after {@link #stop} or {@link #kill} with the same data and port, and waits until
   * it answers. The arguments are added behind the usual ones, so they win, such as {@code
   * --binlog-row-image=MINIMAL}; they hold for this start only.
   */
  void start(String... extraArguments);

  /** {@link #stop}, then {@link #start}. */
  default void restart(String... extraArguments) {
    stop();
    start(extraArguments);
  }

  /** Ends the server and deletes its data. Never throws for a server that is gone already. */
  @Override
  void close();
}
