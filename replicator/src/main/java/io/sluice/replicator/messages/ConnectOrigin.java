package io.sluice.replicator.messages;

import org.jspecify.annotations.Nullable;

/** Whose columns a schema of Kafka Connect describes; names of types mean different things. */
public enum ConnectOrigin {
  /** Debezium's connector of MySQL. */
  MYSQL,
  /** Debezium's connector of MariaDB. */
  MARIADB,
  /** Another connector of Debezium's. */
  DATABASE,
  /** Whatever else writes Connect's schemas. */
  PLAIN;

  /**
   * By the name of the schema of an envelope's {@code source}, such as {@code
   * io.debezium.connector.mysql.Source}.
   */
  public static ConnectOrigin ofSourceBlock(@Nullable String schemaName) {
    if (schemaName == null || !schemaName.startsWith("io.debezium.connector.")) {
      return PLAIN;
    }
    return switch (schemaName) {
      case "io.debezium.connector.mysql.Source" -> MYSQL;
      case "io.debezium.connector.mariadb.Source" -> MARIADB;
      default -> DATABASE;
    };
  }

  boolean speaksMySql() {
    return this == MYSQL || this == MARIADB;
  }
}
