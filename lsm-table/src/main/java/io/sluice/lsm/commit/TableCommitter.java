package io.sluice.lsm.commit;

import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.commit.CommitRequest.Append;
import io.sluice.lsm.commit.CommitRequest.AttemptGuard;
import io.sluice.lsm.commit.CommitRequest.Compaction;
import io.sluice.lsm.commit.CommitRequest.DeleteAll;
import io.sluice.lsm.commit.CommitRequest.DeletePartitions;
import io.sluice.lsm.datafile.DataFileMeta;
import io.sluice.lsm.error.CommitConflictException;
import io.sluice.lsm.error.CommitUnknownException;
import io.sluice.lsm.error.CorruptTableException;
import io.sluice.lsm.error.StorageException;
import io.sluice.lsm.error.UnsupportedTableException;
import io.sluice.lsm.io.Backoff;
import io.sluice.lsm.io.FileIO;
import io.sluice.lsm.io.NotDurableException;
import io.sluice.lsm.io.TablePaths;
import io.sluice.lsm.manifest.LiveFiles;
import io.sluice.lsm.manifest.ManifestCache;
import io.sluice.lsm.manifest.ManifestEntry;
import io.sluice.lsm.manifest.ManifestEntry.Kind;
import io.sluice.lsm.manifest.ManifestFileMeta;
import io.sluice.lsm.manifest.ManifestList;
import io.sluice.lsm.manifest.ManifestMerge;
import io.sluice.lsm.manifest.ManifestStore;
import io.sluice.lsm.merge.SerializedKeyComparator;
import io.sluice.lsm.schema.TableSchema;
import io.sluice.lsm.snapshot.CommitKind;
import io.sluice.lsm.snapshot.SchemaStore;
import io.sluice.lsm.snapshot.Snapshot;
import io.sluice.lsm.snapshot.SnapshotStore;
import io.sluice.lsm.snapshot.SnapshotStore.Creation;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The committer of one table. One attempt:
 *
 * <ol>
 *   <li>Find the newest snapshot k-1 and ask the guard.
 *   <li>Compaction: check that its inputs are still live and its outputs overlap nothing.
 *   <li>Write the base list: the manifests of k-1, merged where there are many small ones. Nothing
 *       waits for the disk yet.
 *   <li>Create {@code snapshot-<k>} exclusively, once all that was written for it is durable.
 *       Taken: read it back; if it isn't ours, drop what step 3 has written and start again from 1.
 *   <li>{@code snapshot-<k-1>} must still be there, or k+1 be built on k: else k may lie in a hole
 *       that expiry has left.
 *   <li>Write the hint {@code LATEST}.
 * </ol>
 *
 * <p>No answer in step 4 leaves the outcome open: the request may still land. Nothing that it names
 * is deleted until another's snapshot is seen under its number, and a later call for the same user,
 * identifier and kind takes up the same attempt.
 *
 * <p>What is durable when. The disk is waited for twice in an attempt: for what was written in
 * steps 2 and 3 together with the content of the snapshot's file, all side by side; then for its
 * name. {@link #prepare} waits once, for the flushed data files with the manifests and the list
 * that name them; a compaction has made its data files durable when it wrote them. So, if the power
 * fails
 *
 * <ul>
 *   <li>before prepare returns: files without a name anywhere, of which some may be lost or torn.
 *       Whoever holds the delta, an epoch file say, holds it only once all are durable.
 *   <li>before the first wait ends: likewise, of the attempt. The newest snapshot is k-1.
 *   <li>before the second ends: snapshot k is there or not, and if it is, whole, with all that it
 *       leads to. Others may have seen it by then and built on it: their own snapshot lies in the
 *       same folder and is durable after it. Nobody was told that the commit took place.
 *   <li>later: snapshot k is there. The hint {@code LATEST} may be old or torn; nobody trusts it.
 * </ul>
 *
 * A file that can't be made durable in the first wait ends the attempt with {@link
 * NotDurableException}; there is no snapshot then, so its files go, and a later try writes others.
 *
 * <p>Thread safe: commits are serialized by a lock, {@link #prepare} runs beside them.
 */
public final class TableCommitter implements SnapshotCommitter {

  private static final int LOSSES_MAX = 1000;

  private final TablePaths paths;
  private final SnapshotStore snapshots;
  private final SchemaStore schemas;
  private final ManifestStore manifests;
  private final ConflictCheck conflictCheck;
  private final TableState state;
  private final Clock clock;
  private final Backoff backoff;
  private final ReentrantLock lock = new ReentrantLock();
  private final Map<RequestKey, Attempt> open = new HashMap<>();

  /**
   * @param schema any schema of the table, which need not be on storage before the first commit
   * @param backoff between attempts after lost races
   */
  public TableCommitter(
      TablePaths paths,
      TableSchema schema,
      SnapshotStore snapshots,
      SchemaStore schemas,
      ManifestStore manifests,
      Clock clock,
      Backoff backoff) {
    this.paths = paths;
    this.snapshots = snapshots;
    this.schemas = schemas;
    this.manifests = manifests;
    this.conflictCheck = new ConflictCheck(new SerializedKeyComparator(schema));
    this.state = new TableState(paths, snapshots, manifests);
    this.clock = clock;
    this.backoff = backoff;
  }

  /** A committer with stores of its own. */
  public static TableCommitter of(
      FileIO fileIO,
      TablePaths paths,
      TableSchema schema,
      Clock clock,
      Supplier<String> ids,
      ManifestCache cache) {
    return new TableCommitter(
        paths,
        schema,
        new SnapshotStore(fileIO, paths),
        new SchemaStore(fileIO, paths),
        new ManifestStore(fileIO, paths, schema, ids, cache),
        clock,
        Backoff.exponential(Duration.ofMillis(5), Duration.ofSeconds(1)));
  }

  private record RequestKey(String user, long identifier, CommitKind kind) {}

  /**
   * One try to create a snapshot.
   *
   * @param created manifests that merging has made for it
   * @param ownDelta whether the delta was written for this attempt alone
   * @param deltaFiles paths of the delta's files where these may not be durable yet
   * @param baseFiles paths of the other files that were made for it
   */
  private record Attempt(
      Snapshot snapshot,
      List<ManifestFileMeta> created,
      boolean ownDelta,
      List<String> deltaFiles,
      List<String> baseFiles) {

    List<String> needed() {
      List<String> result = new ArrayList<>(deltaFiles);
      result.addAll(baseFiles);
      return result;
    }
  }

  /**
   * A delta that an attempt is built on.
   *
   * @param files paths of its files where these may not be durable yet
   */
  private record Delta(PreparedDelta prepared, List<String> files) {}

  @Override
  public PreparedDelta prepare(List<CommitMessage> messages) throws IOException {
    List<ManifestEntry> entries = new ArrayList<>();
    for (CommitMessage message : messages) {
      if (!message.compactBefore().isEmpty() || !message.compactAfter().isEmpty()) {
        throw new IllegalArgumentException(
            "An append takes no compacted files; commit them as a Compaction");
      }
      add(message, message.newFiles(), Kind.ADD, entries);
    }
    ManifestStore.WrittenDelta written = manifests.writeDelta(entries);
    manifests.makeDurable(written, entries);
    return prepared(written, entries);
  }

  @Override
  public @Nullable Snapshot commit(CommitRequest request, AttemptGuard guard) throws IOException {
    lock.lock();
    try {
      return new Commit(request, guard).run();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public boolean isInChain(Snapshot snapshot) throws IOException {
    long id = snapshot.id();
    if (id > Snapshot.FIRST_ID && snapshots.exists(id - 1)) {
      return true;
    }
    // Expiry begins with the lowest: what lies in a hole has newer ones above it, at any time.
    List<Long> ids = snapshots.listIds();
    if (ids.isEmpty() || ids.get(ids.size() - 1) <= id) {
      return true;
    }
    Snapshot next = snapshots.readIfThere(id + 1);
    return next != null && builtOn(snapshot, next);
  }

  /** Whether the files that a snapshot began with are those that the one before it ended with. */
  private boolean builtOn(Snapshot snapshot, Snapshot next) throws IOException {
    LiveFiles before = manifests.liveFiles(snapshot);
    LiveFiles base = manifests.baseFiles(next);
    return before.count() == base.count() && before.entries().stream().allMatch(base::contains);
  }

  private static void add(
      CommitMessage message, List<DataFileMeta> files, Kind kind, List<ManifestEntry> into) {
    BinaryRow partition =
        message.partition().size() == 0 ? BinaryRow.EMPTY : message.partition().copy();
    for (DataFileMeta file : files) {
      into.add(new ManifestEntry(kind, partition, message.bucket(), message.totalBuckets(), file));
    }
  }

  private Delta write(List<ManifestEntry> entries) throws IOException {
    ManifestStore.WrittenDelta written = manifests.writeDelta(entries);
    return new Delta(prepared(written, entries), written.files());
  }

  private static PreparedDelta prepared(
      ManifestStore.WrittenDelta written, List<ManifestEntry> entries) {
    long records = 0;
    long added = 0;
    for (ManifestEntry entry : entries) {
      long rows = entry.file().rowCount();
      records += entry.kind() == Kind.ADD ? rows : -rows;
      added += entry.kind() == Kind.ADD ? 1 : 0;
    }
    return new PreparedDelta(written.list().name(), written.list().size(), records, added);
  }

  /** One call of {@link #commit}. Lives under the lock. */
  private final class Commit {
    private final CommitRequest request;
    private final AttemptGuard guard;
    private final RequestKey key;
    private @Nullable Delta compactionDelta;
    private Set<BinaryRow> partitions = Set.of();

    Commit(CommitRequest request, AttemptGuard guard) {
      this.request = request;
      this.guard = guard;
      this.key = new RequestKey(request.user(), request.identifier(), kind());
    }

    private CommitKind kind() {
      if (request.change() instanceof Append) {
        return CommitKind.APPEND;
      }
      return request.change() instanceof Compaction ? CommitKind.COMPACT : CommitKind.OVERWRITE;
    }

    @Nullable Snapshot run() throws IOException {
      for (int losses = 0; ; ) {
        Snapshot latest = state.refresh();
        if (guard.beforeAttempt(latest) == AttemptGuard.Decision.ALREADY_COMMITTED) {
          open.remove(key);
          return null;
        }
        Attempt attempt = open.get(key);
        Snapshot landed = attempt == null ? null : landed(attempt, latest);
        if (landed != null) {
          return succeed(landed);
        }
        // landed() has closed an attempt that lost.
        attempt = open.get(key);
        if (attempt == null && nothingToDelete(latest)) {
          return null;
        }
        if (attempt == null) {
          attempt = buildIfThere(latest);
        }
        Snapshot committed = attempt == null ? null : create(attempt);
        if (committed != null) {
          return succeed(committed);
        }
        if (++losses == LOSSES_MAX) {
          throw new StorageException(
              "Cannot commit to table "
                  + paths.root()
                  + ": "
                  + losses
                  + " attempts lost against other writers. Find out who commits there so often.");
        }
        backoff.pause(losses);
      }
    }

    /**
     * The snapshot of an attempt whose outcome was open, if it is there; null if it isn't. An
     * attempt that lost is closed, one that may still land stays open and is tried again as it is.
     */
    private @Nullable Snapshot landed(Attempt attempt, @Nullable Snapshot latest)
        throws IOException {
      long id = attempt.snapshot().id();
      Snapshot there = snapshots.readIfThere(id);
      if (there != null) {
        if (isSame(there, attempt.snapshot())) {
          return there;
        }
        lost(attempt);
        return null;
      }
      long latestId = latest == null ? 0 : latest.id();
      if (latestId != id - 1) {
        throw new CommitUnknownException(
            "Cannot tell whether "
                + describe()
                + " took place: there was no answer when "
                + paths.snapshot(id)
                + " was created, and it is not there now, while the newest snapshot is "
                + latestId
                + ". Look into the snapshots that are left before the pipeline goes on.");
      }
      return null;
    }

    /** The snapshot if it is ours now, null if another took the number. */
    private @Nullable Snapshot create(Attempt attempt) throws IOException {
      boolean maybeBefore = open.put(key, attempt) != null;
      long id = attempt.snapshot().id();
      try {
        if (snapshots.tryCreate(attempt.snapshot(), attempt.needed()) == Creation.CREATED) {
          return attempt.snapshot();
        }
      } catch (NotDurableException e) {
        if (!maybeBefore) {
          // There is no snapshot that leads to its files, nor will there be.
          lost(attempt);
          discardCompactionDelta();
        }
        throw e;
      } catch (IOException noAnswer) {
        Snapshot there = readBack(id, noAnswer);
        if (there != null && isSame(there, attempt.snapshot())) {
          return there;
        }
        if (there == null) {
          throw new IOException(
              "No answer when "
                  + paths.snapshot(id)
                  + " was created for "
                  + describe()
                  + "; it may be there or still appear. Commit again to find out. "
                  + noAnswer.getMessage(),
              noAnswer);
        }
        lost(attempt);
        return null;
      }
      Snapshot there = snapshots.readIfThere(id);
      if (there != null && isSame(there, attempt.snapshot())) {
        return there;
      }
      if (there == null && maybeBefore) {
        throw new CommitUnknownException(
            "Cannot tell whether "
                + describe()
                + " took place: "
                + paths.snapshot(id)
                + " was there and is gone. Look into the snapshots that are left before the"
                + " pipeline goes on.");
      }
      lost(attempt);
      return null;
    }

    private @Nullable Snapshot readBack(long id, IOException noAnswer) throws IOException {
      try {
        return snapshots.readIfThere(id);
      } catch (IOException e) {
        noAnswer.addSuppressed(e);
        return null;
      }
    }

    /** Another's snapshot has the attempt's number: what was written for it alone goes. */
    private void lost(Attempt attempt) {
      open.remove(key);
      manifests.discardList(attempt.snapshot().baseManifestList());
      manifests.merge().discard(attempt.created());
      if (attempt.ownDelta()) {
        manifests.discardDelta(attempt.snapshot().deltaManifestList());
      } else if (request.change() instanceof Compaction) {
        compactionDelta = new Delta(delta(attempt.snapshot()), attempt.deltaFiles());
      }
    }

    private void discardCompactionDelta() {
      if (compactionDelta != null) {
        manifests.discardDelta(compactionDelta.prepared().manifestList());
        compactionDelta = null;
      }
    }

    private PreparedDelta delta(Snapshot snapshot) {
      Long size = snapshot.deltaManifestListSize();
      return new PreparedDelta(
          snapshot.deltaManifestList(), size == null ? 0 : size, snapshot.deltaRecordCount(), 0);
    }

    private Snapshot succeed(Snapshot snapshot) throws IOException {
      requireInChain(snapshot);
      open.remove(key);
      state.advance(snapshot);
      snapshots.writeLatestHint(snapshot.id());
      return snapshot;
    }

    /** A snapshot without its predecessor may lie where nobody looks. */
    private void requireInChain(Snapshot snapshot) throws IOException {
      if (!isInChain(snapshot)) {
        throw new CommitUnknownException(
            "Cannot tell whether readers will see "
                + describe()
                + ": "
                + paths.snapshot(snapshot.id())
                + " was created, but the snapshot before it has expired meanwhile, so others may"
                + " have committed past it. Look into the snapshots that are left before the"
                + " pipeline goes on.");
      }
    }

    /** Asks which partitions go, if that is what is wanted. */
    private boolean nothingToDelete(@Nullable Snapshot latest) throws IOException {
      if (!(request.change() instanceof DeletePartitions delete)) {
        return false;
      }
      partitions = Set.of();
      try {
        partitions = Set.copyOf(delete.choice().of(state.liveFilesOf(latest, null).entries()));
        return partitions.isEmpty();
      } catch (FileNotFoundException e) {
        if (latest == null || snapshots.exists(latest.id())) {
          throw e;
        }
        // It has expired meanwhile, which building on it will find, too.
        return false;
      }
    }

    /** Null if the newest snapshot has expired meanwhile: others have gone far ahead. */
    private @Nullable Attempt buildIfThere(@Nullable Snapshot latest) throws IOException {
      try {
        return build(latest);
      } catch (FileNotFoundException e) {
        if (latest == null || snapshots.exists(latest.id())) {
          throw e;
        }
        return null;
      }
    }

    private Attempt build(@Nullable Snapshot latest) throws IOException {
      boolean ownDelta = kind() == CommitKind.OVERWRITE;
      Delta delta;
      if (request.change() instanceof Append append) {
        delta = new Delta(append.delta(), List.of());
      } else if (request.change() instanceof Compaction compaction) {
        delta = compactionDelta(compaction, latest);
      } else {
        delta = deletion(latest);
      }
      ManifestMerge.Result base = null;
      try {
        base = manifests.merge().merge(state.manifestsOf(latest));
        ManifestList.Written list = manifests.lists().write(base.manifests());
        List<String> baseFiles = new ArrayList<>();
        base.created().forEach(made -> baseFiles.add(paths.manifest(made.fileName())));
        baseFiles.add(paths.manifest(list.name()));
        return new Attempt(
            snapshot(latest, delta.prepared(), list),
            base.created(),
            ownDelta,
            delta.files(),
            baseFiles);
      } catch (IOException | RuntimeException e) {
        if (base != null) {
          manifests.merge().discard(base.created());
        }
        if (ownDelta) {
          manifests.discardDelta(delta.prepared().manifestList());
        }
        discardCompactionDelta();
        throw e;
      }
    }

    private Delta compactionDelta(Compaction compaction, @Nullable Snapshot latest)
        throws IOException {
      if (latest != null && latest.indexManifest() != null) {
        throw new UnsupportedTableException(
            "Cannot compact table "
                + paths.root()
                + ": snapshot "
                + latest.id()
                + " has index files (deletion vectors or dynamic buckets), which this engine does"
                + " not rewrite. Let Paimon compact the table.");
      }
      List<ManifestEntry> entries = new ArrayList<>();
      for (CommitMessage message : compaction.messages()) {
        if (!message.newFiles().isEmpty()) {
          throw new IllegalArgumentException("A compaction takes no new files; append them");
        }
        add(message, message.compactBefore(), Kind.DELETE, entries);
        add(message, message.compactAfter(), Kind.ADD, entries);
      }
      LiveFiles live = state.bucketsOf(latest, entries, compaction.seen());
      String conflict = conflictCheck.findConflict(live, entries);
      if (conflict != null) {
        discardCompactionDelta();
        throw new CommitConflictException(
            "Cannot commit a compaction of table "
                + paths.root()
                + ": "
                + conflict
                + ". Drop its result and plan anew from the newest snapshot.");
      }
      Delta delta = compactionDelta;
      if (delta == null) {
        delta = write(entries);
        compactionDelta = delta;
      }
      return delta;
    }

    private Delta deletion(@Nullable Snapshot latest) throws IOException {
      BinaryRow partition =
          request.change() instanceof DeleteAll emptying ? emptying.partition() : null;
      boolean all = request.change() instanceof DeleteAll;
      if (latest != null && latest.indexManifest() != null && !(all && partition == null)) {
        throw new UnsupportedTableException(
            "Cannot drop partitions of table "
                + paths.root()
                + ": snapshot "
                + latest.id()
                + " has index files (deletion vectors or dynamic buckets), which this engine does"
                + " not rewrite. Let Paimon drop them.");
      }
      List<ManifestEntry> entries = new ArrayList<>();
      for (ManifestEntry live : state.liveFilesOf(latest, partition).entries()) {
        if (all || partitions.contains(live.partition())) {
          entries.add(
              new ManifestEntry(
                  Kind.DELETE, live.partition(), live.bucket(), live.totalBuckets(), live.file()));
        }
      }
      return write(entries);
    }

    private Snapshot snapshot(
        @Nullable Snapshot latest, PreparedDelta delta, ManifestList.Written base)
        throws IOException {
      long schemaId = schemas.findLatestId();
      if (schemaId < 0) {
        throw new CorruptTableException(
            "Cannot commit to table " + paths.root() + ": it has no schema file");
      }
      boolean emptied = request.change() instanceof DeleteAll;
      boolean sameSchema = latest != null && latest.schemaId() == schemaId;
      return new Snapshot(
          Snapshot.CURRENT_VERSION,
          latest == null ? Snapshot.FIRST_ID : latest.id() + 1,
          schemaId,
          base.name(),
          base.size(),
          delta.manifestList(),
          delta.manifestListSize(),
          null,
          null,
          latest == null || emptied ? null : latest.indexManifest(),
          request.user(),
          request.identifier(),
          kind(),
          // Time travel searches by time: it never runs back, whatever the clock does.
          Math.max(clock.millis(), latest == null ? 0 : latest.timeMillis()),
          (latest == null ? 0 : latest.totalRecordCount()) + delta.recordCount(),
          delta.recordCount(),
          null,
          newest(latest == null ? null : latest.watermark(), request.watermark()),
          sameSchema ? Objects.requireNonNull(latest).statistics() : null,
          request.properties(),
          latest == null || latest.nextRowId() == null ? Long.valueOf(0) : latest.nextRowId());
    }

    private static @Nullable Long newest(@Nullable Long before, @Nullable Long now) {
      return before == null ? now : now == null ? before : Long.valueOf(Math.max(before, now));
    }

    /** Whether a snapshot found under the number is this attempt's, by whichever request. */
    private boolean isSame(Snapshot there, Snapshot attempted) {
      return there.commitUser().equals(attempted.commitUser())
          && there.commitIdentifier() == attempted.commitIdentifier()
          && there.commitKind() == attempted.commitKind()
          && there.deltaManifestList().equals(attempted.deltaManifestList());
    }

    private String describe() {
      return key.kind()
          + " "
          + key.identifier()
          + " of user '"
          + key.user()
          + "' to table "
          + paths.root();
    }
  }
}
