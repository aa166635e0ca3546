package io.sluice.lsm.error;

/** Bytes on storage are not what the format says: stop, keep the files. */
public final class CorruptTableException extends LsmException {

  private static final long serialVersionUID = 1L;

  public CorruptTableException(String message) {
    super(message);
  }

  public CorruptTableException(String message, Throwable cause) {
    super(message, cause);
  }
}
