package io.sluice.lsm.expire;

import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.commit.CommitRequest;
import io.sluice.lsm.commit.CommitRequest.AttemptGuard;
import io.sluice.lsm.commit.CommitRequest.DeletePartitions;
import io.sluice.lsm.commit.SnapshotCommitter;
import io.sluice.lsm.io.TablePaths;
import io.sluice.lsm.manifest.ManifestEntry;
import io.sluice.lsm.manifest.PartitionPaths;
import io.sluice.lsm.schema.TableOptions;
import io.sluice.lsm.schema.TableSchema;
import io.sluice.lsm.snapshot.Snapshot;
import io.sluice.lsm.snapshot.SnapshotStore;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Drops partitions whose time is over, as Paimon's {@code PartitionExpire} does (format description
 * section 11): all their files are deleted by one OVERWRITE snapshot; rows that come later make the
 * partition anew. One thread at a time.
 *
 * <p>Which partitions go is found out anew for each attempt of the commit: what another writer has
 * put into one meanwhile counts.
 */
public final class PartitionExpiry {

  /**
   * What one run did.
   *
   * @param dropped folders of partitions such as {@code dt=20240131}, sorted
   * @param unreadable partitions from whose values no time can be told, with the reason
   * @param more whether there were more to drop than one run may
   */
  public record Result(List<String> dropped, SortedMap<String, String> unreadable, boolean more) {
    static final Result NOTHING = new Result(List.of(), new TreeMap<>(), false);

    public Result {
      dropped = List.copyOf(dropped);
    }

    /** What is unreadable and what to do, for the operator. */
    public String unreadableText() {
      return unreadable.size()
          + " partitions tell no time and stay, among them "
          + unreadable.firstKey()
          + ": "
          + unreadable.get(unreadable.firstKey())
          + ". Correct partition.timestamp-pattern or partition.timestamp-formatter; or set"
          + " partition.expiration-strategy = update-time, which goes by the age of files; a DATE"
          + " is a number of days to Paimon and tells no time.";
    }
  }

  private final TablePaths paths;
  private final TableSchema schema;
  private final TableOptions.@Nullable PartitionExpiration options;
  private final SnapshotStore snapshots;
  private final PartitionPaths partitionPaths;
  private final SnapshotCommitter committer;
  private final Clock clock;
  private final PartitionPaths texts;
  private final PartitionTime time;

  /**
   * @param schema whose options say what goes
   */
  public PartitionExpiry(
      TablePaths paths,
      TableSchema schema,
      SnapshotStore snapshots,
      PartitionPaths partitionPaths,
      SnapshotCommitter committer,
      Clock clock) {
    this.paths = paths;
    this.schema = schema;
    this.options = TableOptions.of(schema).partitionExpiration();
    this.snapshots = snapshots;
    this.partitionPaths = partitionPaths;
    this.committer = committer;
    this.clock = clock;
    this.texts = PartitionPaths.plain(paths, schema);
    this.time = new PartitionTime(schema, texts);
  }

  /** Time between two runs; null where the table's options want no partition to expire. */
  public @Nullable Duration checkInterval() {
    return options == null || schema.partitionKeys().isEmpty() ? null : options.checkInterval();
  }

  /**
   * One run.
   *
   * @param user of the commit
   */
  public Result expire(String user) throws IOException {
    TableOptions.PartitionExpiration wanted = options;
    if (wanted == null || schema.partitionKeys().isEmpty() || snapshots.findLatest() == null) {
      return Result.NOTHING;
    }
    LocalDateTime before = LocalDateTime.now(clock).minus(wanted.time());
    Choice choice = new Choice(wanted, before);
    // Null if nothing is over, as in most runs.
    Snapshot made =
        committer.commit(
            new CommitRequest(user, clock.millis(), new DeletePartitions(choice::of), Map.of()),
            AttemptGuard.ALWAYS);
    return choice.result(made != null);
  }

  /** The partitions that go, as last asked. */
  private final class Choice {
    private final TableOptions.PartitionExpiration wanted;
    private final LocalDateTime before;
    private List<String> chosen = List.of();
    private final SortedMap<String, String> unreadable = new TreeMap<>();
    private boolean more;

    Choice(TableOptions.PartitionExpiration wanted, LocalDateTime before) {
      this.wanted = wanted;
      this.before = before;
    }

    Set<BinaryRow> of(Collection<ManifestEntry> live) {
      unreadable.clear();
      SortedMap<String, BinaryRow> over = new TreeMap<>();
      newestFiles(live)
          .forEach(
              (partition, newest) -> {
                if (isOver(partition, newest)) {
                  // Paimon takes them in the order of their joined values.
                  over.put(String.join(",", values(partition)) + '\0' + over.size(), partition);
                }
              });
      more = over.size() > wanted.partitionsMax();
      Set<BinaryRow> result = new HashSet<>();
      over.values().stream().limit(wanted.partitionsMax()).forEach(result::add);
      chosen = result.stream().map(partitionPaths::partitionPath).sorted().toList();
      return result;
    }

    /** When the newest file of each partition was made, in milliseconds as if it were UTC. */
    private Map<BinaryRow, Long> newestFiles(Collection<ManifestEntry> live) {
      Map<BinaryRow, Long> result = new LinkedHashMap<>();
      for (ManifestEntry entry : live) {
        Long made = entry.file().creationTimeMillis();
        // A file that doesn't say when it was made may be new.
        result.merge(entry.partition(), made == null ? Long.MAX_VALUE : made, Math::max);
      }
      return result;
    }

    private boolean isOver(BinaryRow partition, long newest) {
      if (!wanted.byValues()) {
        return before.toInstant(ZoneOffset.UTC).toEpochMilli() > newest;
      }
      try {
        return before.isAfter(time.of(partition));
      } catch (DateTimeParseException e) {
        unreadable.put(partitionPaths.partitionPath(partition), String.valueOf(e.getMessage()));
      } catch (PartitionTime.NullValueException e) {
        unreadable.put(partitionPaths.partitionPath(partition), "a value of it is NULL");
      }
      return false;
    }

    private List<String> values(BinaryRow partition) {
      List<String> result = new ArrayList<>();
      for (String value : texts.values(partition)) {
        result.add(value == null ? TableOptions.of(schema).partitionDefaultName() : value);
      }
      return result;
    }

    Result result(boolean dropped) {
      return new Result(dropped ? chosen : List.of(), new TreeMap<>(unreadable), more);
    }
  }
}
