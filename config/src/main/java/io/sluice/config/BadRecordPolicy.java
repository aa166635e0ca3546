package io.sluice.config;

/** What becomes of a record whose values can't be represented in the lake. */
public enum BadRecordPolicy {
  /** The pipeline stops and names table, column and position. */
  FAIL,
  /** The record is kept in a table of its own and the others go on. Of topics only. */
  DEAD_LETTER
}
