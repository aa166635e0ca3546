package io.sluice.replicator.cli;

/** What the process says when it ends. */
final class ExitCode {

  static final int OK = 0;

  /** The check found differences or faults. */
  static final int FAULTS = 1;

  /** Wrong usage or config. */
  static final int USAGE = 2;

  /** Source or warehouse unreachable. */
  static final int UNREACHABLE = 3;

  /** Stopped to protect data. */
  static final int PROTECTED = 4;

  private ExitCode() {}
}
