package io.sluice.lsm.expire;

import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.error.CorruptTableException;
import io.sluice.lsm.io.FileIO;
import io.sluice.lsm.io.TablePaths;
import io.sluice.lsm.manifest.ManifestEntry;
import io.sluice.lsm.manifest.ManifestEntry.Kind;
import io.sluice.lsm.manifest.ManifestFileMeta;
import io.sluice.lsm.manifest.ManifestStore;
import io.sluice.lsm.manifest.PartitionPaths;
import io.sluice.lsm.schema.TableSchema;
import io.sluice.lsm.snapshot.BranchStore;
import io.sluice.lsm.snapshot.Snapshot;
import io.sluice.lsm.snapshot.SnapshotJson;
import io.sluice.lsm.snapshot.SnapshotStore;
import io.sluice.lsm.snapshot.Tag;
import io.sluice.lsm.snapshot.TagStore;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes old snapshots and the files that only they need (format description section 12.5), in an
 * order that a kill at any instant does not spoil:
 *
 * <ol>
 *   <li>Choose {@code end}, the oldest snapshot that stays; read all that the older ones have
 *       changed, and what {@code end}, every tag and every branch refer to in the partitions of the
 *       deleted files. Nothing is changed yet.
 *   <li>Hide the older snapshots, oldest first: a copy under {@code snapshot/.expiring-<id>}, then
 *       the snapshot file goes. From now on nobody can find it, so no reader meets one half
 *       deleted. Who makes a tag looks afterwards whether its snapshot is still there; so a tag
 *       that was made meanwhile is seen now, and its files stay.
 *   <li>Delete the data files that later deltas have deleted and that are live neither in {@code
 *       end} nor in a tag or branch; the changelog files of the older snapshots; then the
 *       manifests, lists, index and statistics files that none of those refers to.
 *   <li>Delete the copies. A run that finds some goes on with them as if they were its own.
 * </ol>
 *
 * <p>What cannot be read is kept: files of a snapshot whose manifests lack stay as orphans. Safe
 * beside committers, since they build on the newest snapshot, which always stays; safe beside other
 * expiring processes. One thread at a time.
 */
public final class SnapshotExpiry {

  private static final Logger log = LoggerFactory.getLogger(SnapshotExpiry.class);
  private static final String HIDDEN_PREFIX = ".expiring-";

  private final FileIO fileIO;
  private final TablePaths paths;
  private final SnapshotStore snapshots;
  private final ManifestStore manifests;
  private final ConsumerFiles consumers;
  private final TagStore tags;
  private final BranchStore branches;
  private final PartitionPaths partitionPaths;
  private final TableSchema schema;
  private final Clock clock;

  /**
   * @param schema any schema of the table
   */
  public SnapshotExpiry(
      FileIO fileIO,
      TablePaths paths,
      TableSchema schema,
      SnapshotStore snapshots,
      ManifestStore manifests,
      Clock clock) {
    this.fileIO = fileIO;
    this.paths = paths;
    this.schema = schema;
    this.snapshots = snapshots;
    this.manifests = manifests;
    this.consumers = new ConsumerFiles(fileIO, paths);
    this.tags = new TagStore(fileIO, paths, snapshots);
    this.branches = new BranchStore(fileIO, paths);
    this.partitionPaths = new PartitionPaths(paths, schema);
    this.clock = clock;
  }

  /**
   * What a run did.
   *
   * @param snapshots removed
   * @param dataFiles deleted, side files included
   * @param manifests deleted, lists included
   * @param more whether there is more to remove now than one run may
   * @param skipped why nothing was done although there may be something to do; null if all is well
   */
  public record Result(
      int snapshots, int dataFiles, int manifests, boolean more, @Nullable String skipped) {
    static final Result NOTHING = new Result(0, 0, 0, false, null);
  }

  /** Files to delete, in this order. */
  private record Plan(Set<String> dataFiles, Set<String> manifestFiles) {}

  /**
   * Removes what the retention no longer keeps.
   *
   * @throws IOException the run stopped half-way; the next one goes on
   * @throws CorruptTableException if a consumer file, a tag or the oldest staying snapshot cannot
   *     be read: nothing was deleted
   */
  public Result expire(Retention retention) throws IOException {
    List<Long> ids = snapshots.listIds();
    if (ids.isEmpty()) {
      return Result.NOTHING;
    }
    long latest = ids.get(ids.size() - 1);
    long earliest = earliestOfChain(ids);
    long end = chooseEnd(retention, earliest, latest);
    SortedMap<Long, Snapshot> range = hiddenBefore(earliest);
    for (long id = earliest; id < end; id++) {
      range.put(id, snapshots.read(id));
    }
    if (range.isEmpty()) {
      return Result.NOTHING;
    }
    Snapshot endSnapshot = snapshots.read(end);
    String skipped = unsupported();
    if (skipped != null) {
      return new Result(0, 0, 0, false, skipped);
    }
    List<String> holders = holders();
    Plan plan = plan(range, endSnapshot);
    hide(range, earliest, end);
    if (!holders.equals(holders())) {
      plan = plan(range, endSnapshot);
    }
    int dataFiles = deleteAll(plan.dataFiles());
    int manifestFiles = deleteAll(plan.manifestFiles());
    for (long id : range.keySet()) {
      fileIO.delete(hidden(id));
    }
    return new Result(
        range.size(),
        dataFiles,
        manifestFiles,
        end - earliest >= retention.snapshotsPerRunMax(),
        null);
  }

  /** The oldest snapshot without a hole between it and the newest. */
  static long earliestOfChain(List<Long> ids) {
    int i = ids.size() - 1;
    while (i > 0 && ids.get(i - 1) == ids.get(i) - 1) {
      i--;
    }
    return ids.get(i);
  }

  /** The oldest snapshot that stays. */
  private long chooseEnd(Retention retention, long earliest, long latest) throws IOException {
    long most = latest - retention.snapshotsMin() + 1;
    for (long needed : consumers.list().values()) {
      most = Math.min(most, needed);
    }
    most = Math.min(most, earliest + retention.snapshotsPerRunMax());
    long tooMany = Math.max(latest - retention.snapshotsMax() + 1, earliest);
    long young = clock.millis() - retention.time().toMillis();
    for (long id = tooMany; id < most; id++) {
      if (snapshots.read(id).timeMillis() >= young) {
        return id;
      }
    }
    return Math.max(most, earliest);
  }

  private @Nullable String unsupported() throws IOException {
    if (!fileIO.list(paths.changelogFolder()).isEmpty()) {
      return "the table keeps changelogs longer than snapshots";
    }
    for (String option :
        List.of(
            "data-file.path-directory",
            "data-file.external-paths",
            "changelog.num-retained.min",
            "changelog.num-retained.max",
            "changelog.time-retained")) {
      if (schema.options().containsKey(option)) {
        return "the table sets " + option;
      }
    }
    if (Boolean.parseBoolean(schema.options().get("index-file-in-data-file-dir"))) {
      return "the table sets index-file-in-data-file-dir";
    }
    return null;
  }

  /**
   * All that holds files beside the snapshots. A tag that was made anew under its old name holds
   * others than before.
   */
  private List<String> holders() throws IOException {
    List<String> names = new ArrayList<>();
    addTags("", tags, names);
    for (String branch : branches.names()) {
      names.add("/" + branch);
      addTags("/" + branch + "/", branches.tags(branch), names);
    }
    return names;
  }

  private static void addTags(String prefix, TagStore of, List<String> names) throws IOException {
    for (Tag tag : of.list()) {
      Snapshot held = tag.snapshot();
      names.add(prefix + tag.name() + "/" + held.id() + "/" + held.deltaManifestList());
    }
  }

  // ---- planning: reads only

  private Plan plan(SortedMap<Long, Snapshot> range, Snapshot end) throws IOException {
    Set<String> dataFiles = new LinkedHashSet<>();
    Set<BinaryRow> partitions = new HashSet<>();
    List<Snapshot> deltas = new ArrayList<>(range.values());
    // What the oldest one deleted went with its predecessor.
    deltas.remove(0);
    deltas.add(end);
    boolean whole = end.id() - range.firstKey() == deltas.size();
    for (Snapshot snapshot : deltas) {
      whole &= markDeleted(snapshot, dataFiles, partitions);
    }
    ReachableFiles kept =
        new ReachableFiles(fileIO, paths, manifests, partitionPaths, manifests.only(partitions));
    String what = "Snapshot " + end.id();
    if (whole) {
      // What all deltas up to the end together delete and don't add again isn't live in it: its
      // manifests, of which there may be many, needn't be read.
      kept.addMetadata(end, what);
    } else {
      kept.add(end, what);
    }
    kept.addTags(tags, "");
    kept.addBranches(branches);
    dataFiles.removeAll(kept.all());
    Set<String> manifestFiles = new LinkedHashSet<>();
    for (Snapshot snapshot : range.values()) {
      markManifests(snapshot, kept, manifestFiles);
    }
    manifestFiles.removeAll(kept.all());
    return new Plan(dataFiles, manifestFiles);
  }

  /** False if they can't be read. */
  private boolean markDeleted(Snapshot snapshot, Set<String> marked, Set<BinaryRow> partitions)
      throws IOException {
    try {
      List<ManifestEntry> delta = manifests.delta(snapshot);
      for (ManifestEntry entry : delta) {
        if (entry.kind() == Kind.DELETE) {
          marked.addAll(ReachableFiles.files(partitionPaths, entry));
          partitions.add(entry.partition());
        }
      }
      // An upgrade deletes a file at one level and adds the same file at another.
      for (ManifestEntry entry : delta) {
        if (entry.kind() == Kind.ADD) {
          ReachableFiles.files(partitionPaths, entry).forEach(marked::remove);
        }
      }
      return true;
    } catch (FileNotFoundException | CorruptTableException e) {
      // Normal after a run that was killed: its manifests went after the data files they name.
      log.info(
          "Files that snapshot {} of {} has deleted and that are still there stay as orphans: {}",
          snapshot.id(),
          paths.root(),
          e.getMessage());
      return false;
    }
  }

  /** Changelog files too: nothing but their snapshot leads to them. */
  private void markManifests(Snapshot snapshot, ReachableFiles reachable, Set<String> marked)
      throws IOException {
    try {
      marked.addAll(reachable.changelogFiles(snapshot));
      marked.addAll(reachable.indexFiles(snapshot));
    } catch (FileNotFoundException | CorruptTableException e) {
      log.info(
          "Changelog or index files of snapshot {} of {} that are still there stay as orphans: {}",
          snapshot.id(),
          paths.root(),
          e.getMessage());
    }
    markManifests(snapshot.baseManifestList(), snapshot.baseManifestListSize(), marked);
    markManifests(snapshot.deltaManifestList(), snapshot.deltaManifestListSize(), marked);
    // Lists go after the manifests that they name, so that a broken run can name them again.
    if (snapshot.statistics() != null) {
      marked.add(paths.statistics(snapshot.statistics()));
    }
    for (String list : List.of(snapshot.baseManifestList(), snapshot.deltaManifestList())) {
      marked.remove(paths.manifest(list));
      marked.add(paths.manifest(list));
    }
  }

  private void markManifests(String list, @Nullable Long size, Set<String> marked)
      throws IOException {
    try {
      for (ManifestFileMeta manifest : manifests.lists().read(list, size)) {
        marked.add(paths.manifest(manifest.fileName()));
      }
    } catch (FileNotFoundException | CorruptTableException e) {
      log.debug("Manifests of {} stay: {}", list, e.getMessage());
    }
  }

  // ---- acting

  private void hide(SortedMap<Long, Snapshot> range, long earliest, long end) throws IOException {
    if (range.lastKey() < earliest) {
      return;
    }
    snapshots.writeEarliestHint(end);
    for (Snapshot snapshot : range.tailMap(earliest).values()) {
      fileIO.replace(hidden(snapshot.id()), SnapshotJson.write(snapshot));
      fileIO.delete(paths.snapshot(snapshot.id()));
    }
  }

  private int deleteAll(Set<String> files) throws IOException {
    int deleted = 0;
    for (String file : files) {
      deleted += fileIO.delete(file) ? 1 : 0;
    }
    return deleted;
  }

  private String hidden(long id) {
    return paths.snapshotFolder() + "/" + HIDDEN_PREFIX + id;
  }

  /** Snapshots that an earlier run has hidden and not finished. */
  private SortedMap<Long, Snapshot> hiddenBefore(long earliest) throws IOException {
    SortedMap<Long, Snapshot> result = new TreeMap<>();
    for (FileIO.FileStatus file : fileIO.list(paths.snapshotFolder())) {
      if (!file.folder() && file.name().startsWith(HIDDEN_PREFIX)) {
        long id;
        try {
          id = Long.parseLong(file.name().substring(HIDDEN_PREFIX.length()));
        } catch (NumberFormatException e) {
          continue; // a temporary file of somebody else
        }
        if (id < earliest) {
          result.put(id, snapshots.readCopy(file.path()));
        } else {
          // Hidden, but its snapshot was not yet deleted when a run broke off: it is still valid.
          fileIO.delete(file.path());
        }
      }
    }
    return result;
  }
}
