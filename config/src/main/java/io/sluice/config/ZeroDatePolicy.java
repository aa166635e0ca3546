package io.sluice.config;

/** What becomes of {@code 0000-00-00} and of dates with a zero year, month or day. */
public enum ZeroDatePolicy {
  /** NULL in the lake, and counted. */
  NULL,
  /** The pipeline stops and names table, column and position. */
  FAIL
}
