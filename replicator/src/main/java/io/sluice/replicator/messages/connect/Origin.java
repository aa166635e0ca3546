package io.sluice.replicator.messages.connect;

import org.jspecify.annotations.Nullable;

/** Whose types a schema's {@code __debezium.source.column.type} names. */
public enum Origin {
  MYSQL,
  MARIADB,
  /** Another database, or nobody says. */
  OTHER;

  /**
   * By the name of the schema of an envelope's {@code source}, e.g. {@code
   * io.debezium.connector.mysql.Source}.
   */
  public static Origin of(@Nullable String sourceSchemaName) {
    if (sourceSchemaName == null) {
      return OTHER;
    }
    if (sourceSchemaName.startsWith("io.debezium.connector.mysql.")) {
      return MYSQL;
    }
    return sourceSchemaName.startsWith("io.debezium.connector.mariadb.") ? MARIADB : OTHER;
  }
}
