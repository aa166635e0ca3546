package io.sluice.replicator.messages;

/** A message, or a value in it, that can't be represented in its table. */
public final class BadMessageException extends Exception {

  private static final long serialVersionUID = 1;

  /** Few and fixed, since they are a metric's label. */
  public enum Reason {
    /** The bytes are not what the format says. */
    MALFORMED,
    /** Whole, but a part that the format demands is missing. */
    INCOMPLETE,
    /** A value has no place in its column's type. */
    VALUE,
    /** A key column has no value. */
    KEY,
    /** The table can't become what the message needs. */
    SCHEMA,
    /** No rule says which table it goes to. */
    UNROUTED;

    /** As it stands in metrics and in the dead letters' table. */
    public String text() {
      return name().toLowerCase(java.util.Locale.ROOT);
    }
  }

  private final Reason reason;

  /**
   * @param message what is wrong, with the field's name and the value where there is one (cut to a
   *     readable length)
   */
  public BadMessageException(Reason reason, String message) {
    super(message);
    this.reason = reason;
  }

  public BadMessageException(Reason reason, String message, Throwable cause) {
    super(message, cause);
    this.reason = reason;
  }

  public Reason reason() {
    return reason;
  }
}
