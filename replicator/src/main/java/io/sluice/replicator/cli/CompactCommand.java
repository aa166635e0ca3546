package io.sluice.replicator.cli;

import io.sluice.lsm.compaction.CompactionListener;
import io.sluice.lsm.compaction.TableCompactor;
import io.sluice.lsm.error.CommitConflictException;
import io.sluice.lsm.level.BucketId;
import io.sluice.lsm.table.LsmTable;
import io.sluice.lsm.table.TableStatistics;
import java.io.IOException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Merges sorted runs. */
@Command(
    name = "compact",
    description = {
      "Merges the sorted runs of a table where there are too many of them, or joins the small files"
          + " of a table without a key, under a commit user of its own. May run beside a pipeline:"
          + " whoever commits a bucket second tries it again."
    })
final class CompactCommand implements Callable<Integer> {

  private static final int TRIES = 5;

  private final Context context;

  @Mixin private TableArgument table = new TableArgument();

  @Option(
      names = "--full",
      description =
          "Merge each bucket into one run, whatever it has; join all small files of a table without"
              + " a key.")
  private boolean full;

  CompactCommand(Context context) {
    this.context = context;
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    LsmTable opened = table.open(context);
    FirstFailure failure = new FirstFailure(CompactionListener.logging(opened.paths().root()));
    TableStatistics before = opened.statistics(opened.snapshots().findLatest());
    try (TableCompactor compactor =
        opened.newCompactor(
            TableCompactor.Settings.of("sluice-compact-" + context.freshIds().get()),
            Runnable::run,
            failure)) {
      if (full) {
        compactFully(compactor);
      } else {
        // In this thread, until nothing is to be done.
        compactor.wake();
      }
    }
    failure.rethrow();
    TableStatistics after = opened.statistics(opened.snapshots().findLatest());
    context
        .out()
        .println(
            "Table "
                + opened.paths().root()
                + ": "
                + told(before)
                + " before, "
                + told(after)
                + " now. Files that are no longer needed go when their snapshots expire.");
    return ExitCode.OK;
  }

  /** In the background a failure is tried again; here it is the end. */
  private static final class FirstFailure implements CompactionListener {
    private final CompactionListener log;
    private @Nullable Throwable first;

    FirstFailure(CompactionListener log) {
      this.log = log;
    }

    @Override
    public void committed(Set<BucketId> buckets, long snapshotId) {
      log.committed(buckets, snapshotId);
    }

    @Override
    public void conflicted(Set<BucketId> buckets, Throwable cause) {
      log.conflicted(buckets, cause);
    }

    @Override
    public synchronized void failed(String what, Throwable cause, Duration retryIn) {
      if (first == null) {
        first = cause;
      }
    }

    synchronized void rethrow() throws IOException {
      if (first instanceof IOException io) {
        throw io;
      }
      if (first instanceof RuntimeException runtime) {
        throw runtime;
      }
      if (first != null) {
        throw new IOException(first);
      }
    }
  }

  /** A bucket that a pipeline has compacted meanwhile is looked at again. */
  private static void compactFully(TableCompactor compactor)
      throws IOException, InterruptedException {
    for (int attempt = 1; ; attempt++) {
      try {
        compactor.compactFully();
        return;
      } catch (CommitConflictException e) {
        if (attempt == TRIES) {
          throw e;
        }
      }
    }
  }

  private static String told(TableStatistics statistics) {
    return statistics.files()
        + " files with "
        + statistics.records()
        + " records, at most "
        + statistics.sortedRunsMax()
        + " runs in a bucket";
  }
}
