package io.sluice.replicator.demo;

import java.sql.Connection;
import java.sql.SQLException;

/** Opens connections to the demo's database; an empty name for no database. */
@FunctionalInterface
public interface Connector {
  Connection connect(String database) throws SQLException;
}
