package io.sluice.replicator.daemon;

/** The processes of this machine. Thread safe. */
interface ProcessTable {

  ProcessIdentity own();

  /**
   * Whether a process certainly runs no more. {@code false} if it runs or if that can't be told
   * from here.
   */
  boolean isKnownDead(ProcessIdentity process);
}
