package io.sluice.replicator.cli;

import io.sluice.lsm.io.FileIO;
import io.sluice.lsm.table.LsmTable;
import io.sluice.replicator.daemon.PipelineHold;
import io.sluice.sinks.epoch.EpochFile;
import io.sluice.sinks.epoch.EpochStore;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** The pipelines that write a table, and what they are about to commit. */
final class TablePipelines {

  static final String CONSUMER_PREFIX = "sluice-";

  private final FileIO fileIO;
  private final LsmTable table;

  TablePipelines(FileIO fileIO, LsmTable table) {
    this.fileIO = fileIO;
    this.table = table;
  }

  /** Names of the pipelines that own the table: each pins its snapshots with a consumer file. */
  List<String> owners() throws IOException {
    List<String> owners = new ArrayList<>();
    for (String consumer : table.consumers().list().keySet()) {
      if (consumer.startsWith(CONSUMER_PREFIX)) {
        owners.add(consumer.substring(CONSUMER_PREFIX.length()));
      }
    }
    return owners;
  }

  /** The folder that holds the table's database. */
  private String warehouse() {
    String root = table.paths().root();
    int table = root.lastIndexOf('/');
    int database = table < 0 ? -1 : root.lastIndexOf('/', table - 1);
    return database < 0 ? root : root.substring(0, database);
  }

  /**
   * Holds all owners until the answer is closed: none of them runs.
   *
   * @throws io.sluice.sinks.PipelineStoppedException PROTECTED if one of them does
   * @throws CommandFailedException if the folder of one can't be found
   */
  AutoCloseable hold(Context context) throws IOException {
    List<PipelineHold> holds = new ArrayList<>();
    try {
      for (String pipeline : owners()) {
        EpochStore epochs = new EpochStore(fileIO, warehouse(), pipeline);
        if (epochs.list().isEmpty()) {
          throw new CommandFailedException(
              ExitCode.PROTECTED,
              "Pipeline "
                  + pipeline
                  + " owns table "
                  + table.paths().root()
                  + ", but "
                  + epochs.folder()
                  + " holds no epoch file, so it can't be known what it is about to commit. If the"
                  + " pipeline is gone for good, delete "
                  + table.paths().consumer(CONSUMER_PREFIX + pipeline)
                  + ".");
        }
        holds.add(PipelineHold.take(fileIO, warehouse(), pipeline, context.freshIds().get()));
      }
    } catch (IOException | RuntimeException e) {
      close(holds);
      throw e;
    }
    return () -> close(holds);
  }

  private static void close(List<PipelineHold> holds) {
    for (PipelineHold hold : holds) {
      hold.close();
    }
  }

  /** Manifest lists that stand in epoch files: they may still become part of a snapshot. */
  List<String> pendingDeltaLists() throws IOException {
    List<String> lists = new ArrayList<>();
    for (FileIO.FileStatus folder : fileIO.list(warehouse() + "/_sluice")) {
      if (!folder.folder()) {
        continue;
      }
      EpochStore epochs = new EpochStore(fileIO, warehouse(), folder.name());
      for (long number : epochs.list()) {
        EpochFile epoch;
        try {
          epoch = epochs.read(number);
        } catch (FileNotFoundException e) {
          // Finished meanwhile: what it names is in snapshots now.
          continue;
        }
        for (EpochFile.TableChange change : epoch.changes()) {
          if (change.delta() != null
              && change.table().root(warehouse()).equals(table.paths().root())) {
            lists.add(change.delta().manifestList());
          }
        }
      }
    }
    return lists;
  }
}
