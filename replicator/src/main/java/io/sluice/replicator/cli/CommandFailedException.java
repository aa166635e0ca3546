package io.sluice.replicator.cli;

/** A command can't go on; the message is all that the person needs. */
final class CommandFailedException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final int exitCode;

  CommandFailedException(int exitCode, String message) {
    super(message);
    this.exitCode = exitCode;
  }

  int exitCode() {
    return exitCode;
  }
}
