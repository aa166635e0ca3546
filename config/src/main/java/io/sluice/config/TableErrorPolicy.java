package io.sluice.config;

/** What one table's fault does to the others. */
public enum TableErrorPolicy {
  /** The pipeline stops. */
  STOP,
  /** The others go on. Not available in this version; {@link ConfigLoader} refuses it. */
  PARK
}
