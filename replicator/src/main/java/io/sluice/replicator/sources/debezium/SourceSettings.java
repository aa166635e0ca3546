package io.sluice.replicator.sources.debezium;

import io.sluice.evolution.SourceTableId;
import io.sluice.replicator.values.MySqlFlavor;
import io.sluice.sinks.TableTarget;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;

/**
 * Everything the source needs to know.
 *
 * @param pipeline names the engine; the same name must be used for the same history
 * @param password empty: the user has none
 * @param tls one of {@code disabled, preferred, required, verify_ca, verify_identity}
 * @param readTimeout how long the server may say nothing while it owes an answer
 * @param serverId under which to join the source's replication, 1 to 2^32-1
 * @param databaseRegexes which databases' definitions are followed, whole match; Debezium ignores
 *     case. These and the next are made for a list: every comma is behind a backslash
 * @param tableRegexes which tables' rows are asked for, whole match of {@code database.table}; a
 *     superset of what {@code target} knows
 * @param target where a table goes, exact in case; empty: not captured
 * @param engine further properties of the Debezium engine
 * @param pollInterval how long a batch may wait for more
 */
public record SourceSettings(
    String pipeline,
    MySqlFlavor flavor,
    String host,
    int port,
    String user,
    String password,
    Tls tls,
    Duration connectTimeout,
    Duration readTimeout,
    long serverId,
    List<String> databaseRegexes,
    List<String> tableRegexes,
    Function<SourceTableId, Optional<TableTarget>> target,
    Map<String, String> engine,
    Duration pollInterval) {

  /** Encryption of all connections to the server. */
  public enum Tls {
    DISABLED("disabled", "disable"),
    /** Encrypted if the server offers it. */
    PREFERRED("preferred", "trust"),
    REQUIRED("required", "trust"),
    VERIFY_CA("verify_ca", "verify_ca"),
    VERIFY_IDENTITY("verify_identity", "verify_full");

    private final String mySql;
    private final String mariaDb;

    Tls(String mySql, String mariaDb) {
      this.mySql = mySql;
      this.mariaDb = mariaDb;
    }

    /** Debezium's word. MariaDB's connector has none for "preferred". */
    String word(MySqlFlavor flavor) {
      return flavor == MySqlFlavor.MARIADB ? mariaDb : mySql;
    }
  }

  public SourceSettings {
    databaseRegexes = List.copyOf(databaseRegexes);
    tableRegexes = List.copyOf(tableRegexes);
    engine = Map.copyOf(engine);
  }

  /** Whether statements on a database are asked for. */
  boolean follows(String database) {
    return databaseRegexes.stream()
        .anyMatch(
            regex -> Pattern.compile(regex, Pattern.CASE_INSENSITIVE).matcher(database).matches());
  }

  @Override
  public String toString() {
    return flavor + " " + user + "@" + host + ":" + port + " for pipeline " + pipeline;
  }
}
