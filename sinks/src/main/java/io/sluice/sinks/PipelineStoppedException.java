package io.sluice.sinks;

import org.jspecify.annotations.Nullable;

/** The pipeline has ended, or must end: why, and what that means to whoever started it. */
public class PipelineStoppedException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /** What the operator's exit code will be. */
  public enum Reason {
    /** Asked to stop: 0. */
    CLOSED(0),
    /** A table or record that cannot be followed: 1. */
    REFUSED(1),
    /** Config and lake contradict each other: 2. */
    MISCONFIGURED(2),
    /** Source or warehouse unreachable after all retries: 3. */
    UNREACHABLE(3),
    /** Stopped to protect data (fenced, position lost, corrupt table, unknowable outcome): 4. */
    PROTECTED(4);

    private final int exitCode;

    Reason(int exitCode) {
      this.exitCode = exitCode;
    }

    public int exitCode() {
      return exitCode;
    }
  }

  private final Reason reason;

  public PipelineStoppedException(Reason reason, String message) {
    this(reason, message, null);
  }

  public PipelineStoppedException(Reason reason, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.reason = reason;
  }

  public Reason reason() {
    return reason;
  }
}
