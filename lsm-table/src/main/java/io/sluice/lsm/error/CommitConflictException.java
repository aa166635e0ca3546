package io.sluice.lsm.error;

/** Another writer changed what this commit builds on: re-read the newest snapshot and plan anew. */
public final class CommitConflictException extends LsmException {

  private static final long serialVersionUID = 1L;

  public CommitConflictException(String message) {
    super(message);
  }

  public CommitConflictException(String message, Throwable cause) {
    super(message, cause);
  }
}
