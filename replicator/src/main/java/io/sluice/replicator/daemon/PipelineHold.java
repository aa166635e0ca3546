package io.sluice.replicator.daemon;

import io.sluice.lsm.io.FileIO;
import io.sluice.sinks.epoch.EpochStore;
import java.io.IOException;
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
   * Takes the lease: at once if its holder is known to be dead, else after watching for 15 s.
   *
   * @param id used by nobody else
   * @throws io.sluice.sinks.PipelineStoppedException PROTECTED if a daemon runs the pipeline
   */
  public static PipelineHold take(FileIO fileIO, String warehouse, String pipeline, String id) {
    Lease lease = new Lease(fileIO, new EpochStore(fileIO, warehouse, pipeline).folder(), id);
    lease.take(false, new CompletableFuture<>());
    lease.keep("sluice-hold-" + pipeline, () -> false, () -> {});
    return new PipelineHold(lease);
  }

  @Override
  public void close() throws IOException {
    lease.close();
  }
}
