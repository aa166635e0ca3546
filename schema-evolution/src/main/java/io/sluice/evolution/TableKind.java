package io.sluice.evolution;

/** What a lake table is to its source. */
public enum TableKind {

  /**
   * A copy of a database's table, row for row: it has that table's key, merges by the order of the
   * log, and follows only those changes of columns that leave no row in doubt.
   */
  COPY,

  /**
   * What messages add up to: it may be without a key, may merge in any way, its columns become
   * wider where messages demand it, and a column that is in no message any more stays.
   */
  GATHERED
}
