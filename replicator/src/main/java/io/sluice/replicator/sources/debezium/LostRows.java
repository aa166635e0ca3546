package io.sluice.replicator.sources.debezium;

import io.sluice.evolution.SourceTableId;

/**
 * Changes of a captured table that the binlog has, or should have, and the stream doesn't bring: of
 * that table nothing behind them may be committed.
 *
 * @param behind a place in the binlog behind them
 * @param reason what happened, where, and what can be done
 */
record LostRows(SourceTableId table, BinlogPoint behind, String reason, Cause cause) {

  /** Why they don't come. */
  enum Cause {
    /** They can't be read, whatever is known of the table. */
    UNREADABLE,
    /** They don't fit the definition that is known of their table. */
    DEFINITION
  }

  /** Both, told by the first one's reason. */
  LostRows and(LostRows later) {
    BinlogPoint end = later.behind.compareTo(behind) > 0 ? later.behind : behind;
    return new LostRows(table, end, reason, cause);
  }
}
