package io.sluice.replicator.sources.debezium;

/**
 * A set of transactions in the server's own notation. Immutable. MySQL: intervals with gaps per
 * server uuid; MariaDB: the newest sequence per replication domain.
 */
sealed interface GtidSet permits MySqlGtidSet, MariaDbGtidSet {

  /** This set and one more transaction. */
  GtidSet with(String gtid);

  /** REQUIRES: both of one kind. */
  GtidSet union(GtidSet other);

  /** Whether every transaction of the other is in this one. REQUIRES: both of one kind. */
  boolean contains(GtidSet other);

  boolean isEmpty();

  /** The server's notation, empty for the empty set. */
  @Override
  String toString();
}
