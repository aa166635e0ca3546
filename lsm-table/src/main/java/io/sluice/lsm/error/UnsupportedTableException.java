package io.sluice.lsm.error;

/** A valid table that uses something this engine does not do: change the table or its options. */
public final class UnsupportedTableException extends LsmException {

  private static final long serialVersionUID = 1L;

  public UnsupportedTableException(String message) {
    super(message);
  }

  public UnsupportedTableException(String message, Throwable cause) {
    super(message, cause);
  }
}
