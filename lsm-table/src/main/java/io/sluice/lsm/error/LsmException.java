package io.sluice.lsm.error;

/**
 * Parent of all that a table reports. A message says what failed, where (table, file) and what to
 * do; the subclasses differ in what the caller does next.
 */
public abstract sealed class LsmException extends RuntimeException
    permits CorruptTableException,
        CommitConflictException,
        UnsupportedTableException,
        StorageException,
        CommitUnknownException {

  private static final long serialVersionUID = 1L;

  protected LsmException(String message) {
    super(message);
  }

  protected LsmException(String message, Throwable cause) {
    super(message, cause);
  }
}
