package io.sluice.replicator.values;

/** The two servers that speak MySQL's protocol; they differ in types, positions and drivers. */
public enum MySqlFlavor {
  MYSQL,
  MARIADB
}
