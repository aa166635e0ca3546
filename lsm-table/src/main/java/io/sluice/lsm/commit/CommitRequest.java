package io.sluice.lsm.commit;

import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.manifest.ManifestEntry;
import io.sluice.lsm.snapshot.Snapshot;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One snapshot to be made.
 *
 * @param identifier of the commit within its user; grows
 * @param properties go into the snapshot
 * @param watermark time up to which all is in the table, epoch milliseconds; the snapshot keeps the
 *     one of its predecessor where that is newer, or where this is null
 */
public record CommitRequest(
    String user,
    long identifier,
    Change change,
    Map<String, String> properties,
    @Nullable Long watermark) {

  /** Of which no watermark is known. */
  public CommitRequest(
      String user, long identifier, Change change, Map<String, String> properties) {
    this(user, identifier, change, properties, null);
  }

  /** What the snapshot does to the table. */
  public sealed interface Change {}

  /** APPEND of files whose delta is already written. */
  public record Append(PreparedDelta delta) implements Change {}

  /**
   * COMPACT: every {@code compactBefore} file must still be live at its level, else
   * CommitConflictException and nothing of the table is changed.
   *
   * @param seen what is known of the buckets, so that only what was committed since is read; null
   *     if nothing is
   */
  public record Compaction(List<CommitMessage> messages, @Nullable Seen seen) implements Change {
    public Compaction(List<CommitMessage> messages) {
      this(messages, null);
    }
  }

  /**
   * All live files of some buckets in a snapshot. It may be outdated, but must have been true.
   *
   * @param files ADD entries, of every bucket that the compaction changes
   */
  public record Seen(Snapshot snapshot, List<ManifestEntry> files) {
    public Seen {
      files = List.copyOf(files);
    }
  }

  /**
   * OVERWRITE that deletes every live file (of one partition, or of all), computed anew for each
   * attempt: TRUNCATE.
   */
  public record DeleteAll(@Nullable BinaryRow partition) implements Change {}

  /**
   * OVERWRITE that deletes every live file of some partitions. Where there are none left the commit
   * returns null.
   *
   * @param choice asked anew for each attempt
   */
  public record DeletePartitions(PartitionChoice choice) implements Change {}

  /** Tells which partitions go. */
  @FunctionalInterface
  public interface PartitionChoice {
    /**
     * @param live files of the snapshot that the attempt goes by
     */
    Set<BinaryRow> of(Collection<ManifestEntry> live);
  }

  /** Looks at the table before each attempt, the first one included. */
  @FunctionalInterface
  public interface AttemptGuard {
    enum Decision {
      PROCEED,
      /** The snapshot that this request wants is there already: commit returns null. */
      ALREADY_COMMITTED
    }

    /**
     * @param latest newest snapshot, null if there is none
     * @throws RuntimeException to give up: the commit ends with it
     */
    Decision beforeAttempt(@Nullable Snapshot latest) throws java.io.IOException;

    AttemptGuard ALWAYS = latest -> Decision.PROCEED;
  }
}
