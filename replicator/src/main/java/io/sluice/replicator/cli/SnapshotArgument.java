package io.sluice.replicator.cli;

import io.sluice.lsm.scan.TableScan;
import io.sluice.lsm.snapshot.Snapshot;
import io.sluice.lsm.snapshot.Tag;
import io.sluice.lsm.table.LsmTable;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/**
 * Which snapshot of the table is meant; the newest if none is named. At most one way to name it.
 */
final class SnapshotArgument {

  static final String EPOCH_PROPERTY = "sluice.epoch";

  @Option(names = "--snapshot", paramLabel = "N", description = "The snapshot of this number.")
  @Nullable Long snapshot;

  @Option(
      names = "--as-of",
      paramLabel = "TIME",
      description = {
        "The newest snapshot at this time: 2026-01-31T10:00:00Z, another offset, or none for UTC;"
            + " or epoch milliseconds."
      })
  @Nullable String asOf;

  @Option(names = "--tag", paramLabel = "T", description = "The snapshot that this tag keeps.")
  @Nullable String tag;

  @Option(
      names = "--epoch",
      paramLabel = "N",
      description = {
        "The table as of this epoch of its pipeline: the same number gives a consistent cut over"
            + " all tables of the pipeline."
      })
  @Nullable Long epoch;

  TableScan scan(LsmTable table) throws IOException {
    if (snapshot != null) {
      try {
        return table.newScan(snapshot);
      } catch (FileNotFoundException e) {
        throw gone("snapshot " + snapshot, table);
      }
    }
    if (asOf != null) {
      Snapshot found = table.snapshotAsOf(millis(asOf));
      if (found == null) {
        throw gone("a snapshot as old as " + asOf, table);
      }
      return table.newScan(found);
    }
    if (tag != null) {
      Tag found = table.tags().names().contains(tag) ? table.tags().readIfThere(tag) : null;
      if (found == null) {
        throw new CommandFailedException(
            ExitCode.USAGE,
            "Table "
                + table.paths().root()
                + " has no tag "
                + tag
                + "; it has "
                + table.tags().names()
                + ".");
      }
      return table.newScan(found.snapshot());
    }
    if (epoch != null) {
      return table.newScan(ofEpoch(table, epoch));
    }
    return table.newScan();
  }

  /** The newest snapshot of ours that belongs to this epoch or an earlier one. */
  private static Snapshot ofEpoch(LsmTable table, long epoch) throws IOException {
    List<Long> ids = table.snapshots().listIds();
    long newest = -1;
    for (int i = ids.size() - 1; i >= 0; i--) {
      Snapshot found = table.snapshots().readIfThere(ids.get(i));
      String of = found == null ? null : found.properties().get(EPOCH_PROPERTY);
      if (found == null || of == null) {
        continue;
      }
      long number = Long.parseLong(of);
      newest = Math.max(newest, number);
      if (number <= epoch) {
        return found;
      }
    }
    if (newest < 0) {
      throw new CommandFailedException(
          ExitCode.USAGE,
          "Table " + table.paths().root() + " has no snapshot of a pipeline's epoch.");
    }
    throw gone("a snapshot of epoch " + epoch, table);
  }

  private static CommandFailedException gone(String what, LsmTable table) throws IOException {
    List<Long> ids = table.snapshots().listIds();
    String there =
        ids.isEmpty()
            ? "It has none yet."
            : "It has " + ids.get(0) + " to " + ids.get(ids.size() - 1) + ".";
    return new CommandFailedException(
        ExitCode.USAGE,
        "Table "
            + table.paths().root()
            + " has not, or no longer, "
            + what
            + ". "
            + there
            + " 'sluice snapshots' lists them.");
  }

  static long millis(String time) {
    if (time.matches("\\d{9,}")) {
      return Long.parseLong(time);
    }
    String text = time.strip().replace(' ', 'T');
    try {
      if (text.matches("\\d{4}-\\d\\d-\\d\\d")) {
        return LocalDate.parse(text).atStartOfDay(ZoneOffset.UTC).toInstant().toEpochMilli();
      }
      return text.matches(".*(Z|[+-]\\d\\d:?\\d\\d)")
          ? java.time.OffsetDateTime.parse(text).toInstant().toEpochMilli()
          : LocalDateTime.parse(text).toInstant(ZoneOffset.UTC).toEpochMilli();
    } catch (DateTimeException e) {
      throw new CommandFailedException(
          ExitCode.USAGE,
          "\"" + time + "\" is no time. Write 2026-01-31T10:00:00Z or epoch milliseconds.");
    }
  }

  /** A moment as the other commands show it. */
  static String shown(long epochMillis) {
    return Instant.ofEpochMilli(epochMillis).toString();
  }
}
