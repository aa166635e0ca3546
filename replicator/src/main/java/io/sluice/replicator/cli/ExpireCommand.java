package io.sluice.replicator.cli;

import io.sluice.lsm.expire.OrphanFiles;
import io.sluice.lsm.expire.PartitionExpiry;
import io.sluice.lsm.expire.Retention;
import io.sluice.lsm.expire.SnapshotExpiry;
import io.sluice.lsm.io.FileIO;
import io.sluice.lsm.io.FileIOs;
import io.sluice.lsm.schema.TableOptions;
import io.sluice.lsm.table.LsmTable;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Removes what is no longer needed. */
@Command(
    name = "expire",
    description = {
      "Removes old snapshots of a table with the files that only they need, and tags whose time to"
          + " live is over. What tags, branches and consumers (so each pipeline) need stays. Before,"
          + " partitions whose partition.expiration-time is over are dropped, if the table has that"
          + " option.",
      "With --orphans, files that nothing leads to, instead."
    })
final class ExpireCommand implements Callable<Integer> {

  private static final Pattern DURATION = Pattern.compile("(\\d{1,9})\\s*(ms|s|m|min|h|d)");

  /** A file takes no longer from its first byte to the snapshot that names it. */
  private static final Duration ORPHAN_AGE_MIN = Duration.ofHours(1);

  private final Context context;

  @Mixin private TableArgument table = new TableArgument();

  @Option(
      names = "--older-than",
      paramLabel = "TIME",
      description = {
        "Snapshots, or orphans, of this age go: 90s, 30m, 12h, 7d. Default: the table's"
            + " snapshot.time-retained; for orphans 1d."
      })
  private @Nullable String olderThan;

  @Option(
      names = "--keep",
      paramLabel = "N",
      description = {
        "So many of the newest snapshots stay, however old. Default: the table's"
            + " snapshot.num-retained.min."
      })
  private @Nullable Integer keep;

  @Option(
      names = "--orphans",
      description = {
        "Delete files that no snapshot, tag, branch or epoch file leads to. Refused while a pipeline"
            + " that owns the table runs: it knows files that nothing leads to yet."
      })
  private boolean orphans;

  @Option(names = "--dry-run", description = "With --orphans: only list them.")
  private boolean dryRun;

  @Option(
      names = "--force",
      description =
          "With --orphans: delete also files younger than an hour. Only if nobody at all writes the"
              + " table: what a writer has not committed yet looks like an orphan.")
  private boolean force;

  ExpireCommand(Context context) {
    this.context = context;
  }

  @Override
  public Integer call() throws Exception {
    if (dryRun && !orphans) {
      throw new CommandFailedException(ExitCode.USAGE, "--dry-run goes with --orphans only.");
    }
    if (force && !orphans) {
      throw new CommandFailedException(ExitCode.USAGE, "--force goes with --orphans only.");
    }
    if (orphans && keep != null) {
      throw new CommandFailedException(ExitCode.USAGE, "--keep does not go with --orphans.");
    }
    if (keep != null && keep < 1) {
      throw new CommandFailedException(
          ExitCode.USAGE, "--keep must be at least 1: the newest snapshot is the table.");
    }
    LsmTable opened = table.open(context);
    if (orphans) {
      cleanOrphans(opened);
      return ExitCode.OK;
    }
    Retention options = Retention.of(TableOptions.of(opened.newestSchema()).retention());
    int least = keep == null ? options.snapshotsMin() : keep;
    Retention retention =
        new Retention(
            olderThan == null ? options.time() : duration(olderThan),
            least,
            Math.max(least, options.snapshotsMax()),
            options.snapshotsPerRunMax());
    expire(opened, retention);
    return ExitCode.OK;
  }

  private void expire(LsmTable opened, Retention retention) throws IOException {
    List<String> tags =
        opened
            .newTagRemoval()
            .deleteOver(LocalDateTime.ofInstant(context.clock().instant(), ZoneId.systemDefault()));
    tags.forEach(tag -> context.out().println("Tag " + tag + " was over and is gone."));
    expirePartitions(opened);
    int snapshots = 0;
    int files = 0;
    SnapshotExpiry.Result result;
    do {
      result = opened.newExpiry().expire(retention);
      if (result.skipped() != null) {
        throw new CommandFailedException(
            ExitCode.USAGE,
            "Nothing of table "
                + opened.paths().root()
                + " was expired: "
                + result.skipped()
                + ". Let Paimon expire it.");
      }
      snapshots += result.snapshots();
      files += result.dataFiles() + result.manifests();
    } while (result.more());
    context
        .out()
        .println(
            "Table "
                + opened.paths().root()
                + ": "
                + snapshots
                + " snapshots expired, "
                + files
                + " files deleted.");
  }

  private void expirePartitions(LsmTable opened) throws IOException {
    PartitionExpiry expiry = opened.newPartitionExpiry();
    PartitionExpiry.Result result;
    do {
      result = expiry.expire("sluice-expire");
      result
          .dropped()
          .forEach(
              partition ->
                  context.out().println("Partition " + partition + " was over and is dropped."));
    } while (result.more());
    if (!result.unreadable().isEmpty()) {
      context.err().println(result.unreadableText());
    }
  }

  private void cleanOrphans(LsmTable opened) throws Exception {
    Duration age = olderThan == null ? Duration.ofDays(1) : duration(olderThan);
    String root = opened.paths().root();
    if (!dryRun && !force && age.compareTo(ORPHAN_AGE_MIN) < 0) {
      throw new CommandFailedException(
          ExitCode.USAGE,
          "Files of table "
              + root
              + " that are younger than 1h may belong to a writer that has not committed them yet,"
              + " such as a compaction or a job of another engine; they would be lost to it. Give"
              + " --older-than 1h or more; or --force if nobody writes the table.");
    }
    OrphanFiles files = opened.newOrphanFiles();
    if (files.unsupported() != null) {
      throw new CommandFailedException(
          ExitCode.USAGE,
          "Orphans of table " + root + " can't be told: " + files.unsupported() + ".");
    }
    try (FileIO fileIO = FileIOs.forUri(root, context.freshIds())) {
      TablePipelines pipelines = new TablePipelines(fileIO, opened);
      AutoCloseable hold = dryRun ? () -> {} : pipelines.hold(context);
      try (hold) {
        long now = dryRun ? context.clock().millis() : storageMillis(fileIO, root);
        long before = now - age.toMillis();
        List<OrphanFiles.Orphan> found = files.find(before, pipelines::pendingDeltaLists);
        long bytes = 0;
        for (OrphanFiles.Orphan orphan : found) {
          context.out().println(orphan.path());
          bytes += orphan.bytes();
        }
        int deleted = dryRun ? 0 : files.delete(found);
        context
            .err()
            .println(
                found.size()
                    + " orphans with "
                    + bytes
                    + " bytes"
                    + (dryRun ? ", nothing was deleted." : ", " + deleted + " deleted."));
      }
    }
  }

  /** The time that storage gives a file written now: it is by this clock that files have an age. */
  private long storageMillis(FileIO fileIO, String root) throws IOException {
    String probe = root + "/.sluice-clock-" + context.freshIds().get();
    try {
      try (OutputStream out = fileIO.create(probe)) {
        out.write(1);
      }
      for (FileIO.FileStatus file : fileIO.list(root)) {
        if (probe.endsWith("/" + file.name())) {
          return file.modifiedMillis();
        }
      }
    } finally {
      fileIO.deleteQuietly(probe);
    }
    throw new IOException(
        probe + " was written, but " + root + " does not list it; nothing was deleted");
  }

  static Duration duration(String text) {
    Matcher matcher = DURATION.matcher(text.strip().toLowerCase(Locale.ROOT));
    if (!matcher.matches()) {
      throw new CommandFailedException(
          ExitCode.USAGE, "\"" + text + "\" is no age. Write 90s, 30m, 12h or 7d.");
    }
    long number = Long.parseLong(matcher.group(1));
    return switch (matcher.group(2)) {
      case "ms" -> Duration.ofMillis(number);
      case "s" -> Duration.ofSeconds(number);
      case "h" -> Duration.ofHours(number);
      case "d" -> Duration.ofDays(number);
      default -> Duration.ofMinutes(number);
    };
  }
}
