package io.sluice.replicator.values;

/**
 * What becomes of a DATE, DATETIME or TIMESTAMP whose year, month or day is zero ({@code
 * 0000-00-00}, {@code 2023-00-15}): no lake type can hold it.
 */
public enum ZeroDates {
  /** Null, and the {@link ValueListener} is told. */
  NULL,
  /**
   * {@link UnencodableValueException}. In the stream a zero date of a nullable column can't be told
   * from null (the binlog reader gives null for both) and stays null.
   */
  FAIL
}
