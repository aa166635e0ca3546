package io.sluice.replicator.daemon;

import io.sluice.lsm.io.FileIO;
import io.sluice.sinks.epoch.EpochStore;
import java.util.concurrent.CompletableFuture;

/**
 * Keeps daemons of a pipeline from starting, by its lease: for work on its tables that must not
 * meet files of which only a running daemon knows.
 */
public final class PipelineHold implements AutoCloseable {

  private final Lease lease;

  private PipelineHold(Lease lease) {
    this.lease = lease;
  }

  /**
   * Takes the lease if nobody has it or its holder is known to be dead.
   *
   * @param id used by nobody else
   * @throws io.sluice.sinks.PipelineStoppedException PROTECTED if a daemon runs the pipeline, or if
   *     it has renewed nothing for 15 s and may yet be asleep: a lease alone does not keep it from
   *     going on
   */
  public static PipelineHold take(FileIO fileIO, String warehouse, String pipeline, String id) {
    return take(
        new Lease(fileIO, new EpochStore(fileIO, warehouse, pipeline).folder(), id), pipeline);
  }

  /** With a lease of this id that is not taken yet. */
  static PipelineHold take(Lease lease, String pipeline) {
    lease.takeFromNobody(new CompletableFuture<>());
    lease.keep("sluice-hold-" + pipeline, () -> false, () -> {});
    return new PipelineHold(lease);
  }

  @Override
  public void close() {
    lease.close();
  }
}
