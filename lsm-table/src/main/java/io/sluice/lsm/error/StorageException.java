package io.sluice.lsm.error;

/**
 * Storage refused or failed: retry, free space, or mend permissions. The outcome of a write may be
 * unknown.
 */
public final class StorageException extends LsmException {

  private static final long serialVersionUID = 1L;

  public StorageException(String message) {
    super(message);
  }

  public StorageException(String message, Throwable cause) {
    super(message, cause);
  }
}
