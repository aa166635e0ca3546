package io.sluice.config;

/** What one table's fault does to the others. */
public enum TableErrorPolicy {
  /** The pipeline stops. */
  STOP,
  /** It is parked, the others go on. */
  PARK
}
