package io.sluice.lsm.error;

/**
 * It cannot be known whether a commit took place, or whether readers will ever see it: snapshots
 * between are gone, or the new one lies in a hole. Never guess: stop the pipeline (exit code 4),
 * delete nothing, let a person look.
 */
public final class CommitUnknownException extends LsmException {

  private static final long serialVersionUID = 1L;

  public CommitUnknownException(String message) {
    super(message);
  }

  public CommitUnknownException(String message, Throwable cause) {
    super(message, cause);
  }
}
