package io.sluice.replicator.daemon;

import io.sluice.lsm.expire.ConsumerFiles;
import io.sluice.lsm.io.FileIO;
import io.sluice.lsm.io.FileIO.FileStatus;
import io.sluice.sinks.epoch.EpochStore;
import io.sluice.sinks.epoch.LakeTable;
import io.sluice.sinks.pipeline.Pipeline;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Ends a pipeline for good: its folder, its lease and its consumer files go, its tables stay. */
public final class PipelineEnd {

  private final FileIO fileIO;
  private final String warehouse;
  private final String pipeline;
  private final EpochStore store;

  public PipelineEnd(FileIO fileIO, String warehouse, String pipeline) {
    this.fileIO = fileIO;
    this.warehouse = warehouse;
    this.pipeline = pipeline;
    this.store = new EpochStore(fileIO, warehouse, pipeline);
  }

  /** Whether there is anything of it. */
  public boolean isKnown() throws IOException {
    return !fileIO.list(store.folder()).isEmpty();
  }

  /**
   * Takes the lease and ends it; may be called again after a failure, or a kill.
   *
   * <p>The epoch files go last, the newest at the very end: as long as it is there, a start goes on
   * from it.
   *
   * @param id used by nobody else
   * @return the tables that had a consumer file: they stay
   * @throws io.sluice.sinks.PipelineStoppedException PROTECTED if a daemon runs the pipeline
   */
  public List<LakeTable> forget(String id) throws IOException {
    try (Lease lease = new Lease(fileIO, store.folder(), id)) {
      lease.take(false, new CompletableFuture<>());
      List<LakeTable> tables = deletePins();
      for (FileStatus file : fileIO.list(store.folder())) {
        if (!file.folder() && !file.name().startsWith("epoch-") && !file.name().equals("lease")) {
          fileIO.delete(file.path());
        }
      }
      for (long epoch : store.list()) {
        store.delete(epoch);
      }
      return tables;
    } finally {
      if (fileIO.list(store.folder()).isEmpty()) {
        fileIO.deleteQuietly(store.folder());
      }
    }
  }

  private List<LakeTable> deletePins() throws IOException {
    List<LakeTable> found = new ArrayList<>();
    String consumer = Pipeline.consumer(pipeline);
    for (FileStatus database : fileIO.list(warehouse)) {
      if (!database.folder() || !database.name().endsWith(".db")) {
        continue;
      }
      String name = database.name().substring(0, database.name().length() - ".db".length());
      for (FileStatus folder : fileIO.list(database.path())) {
        LakeTable table = new LakeTable(name, folder.name());
        ConsumerFiles consumers = new ConsumerFiles(fileIO, table.paths(warehouse));
        if (folder.folder() && consumers.read(consumer).isPresent()) {
          consumers.delete(consumer);
          found.add(table);
        }
      }
    }
    found.sort(Comparator.naturalOrder());
    return found;
  }
}
