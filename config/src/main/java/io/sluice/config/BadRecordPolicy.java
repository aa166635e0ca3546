package io.sluice.config;

/** What becomes of a record whose values can't be represented in the lake. */
public enum BadRecordPolicy {
  /** The pipeline stops and names table, column and position. */
  FAIL,
  /** The record is set aside. Not available in this version; {@link ConfigLoader} refuses it. */
  DEAD_LETTER
}
