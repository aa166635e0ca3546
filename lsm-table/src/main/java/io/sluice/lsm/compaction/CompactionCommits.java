package io.sluice.lsm.compaction;

import io.sluice.lsm.commit.CommitMessage;
import io.sluice.lsm.commit.CommitRequest;
import io.sluice.lsm.commit.CommitRequest.AttemptGuard;
import io.sluice.lsm.commit.SnapshotCommitter;
import io.sluice.lsm.datafile.DataFileMeta;
import io.sluice.lsm.error.CommitConflictException;
import io.sluice.lsm.error.StorageException;
import io.sluice.lsm.io.FileIO;
import io.sluice.lsm.level.BucketId;
import io.sluice.lsm.manifest.ManifestEntry;
import io.sluice.lsm.snapshot.Snapshot;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Puts results of compactions into snapshots: those that wait together into one, by whichever
 * thread comes first. Thread safe, by the lock of its {@link Owner}.
 */
final class CompactionCommits {

  /** The compactor whose results these are. */
  interface Owner {
    /** Guards the buckets. */
    Object lock();

    boolean isClosed();

    /** The snapshot that the levels of all buckets are of. Under lock. */
    @Nullable Snapshot known();

    /** The result is in a snapshot, or certainly in none. */
    void settled(List<CompactedBucket> buckets);

    /** Whether the result is in a snapshot can't be known. */
    void failed(CompactedBucket bucket, Throwable why);

    /** After so many failures. */
    Duration pause(int failures);

    void submitLater(Duration delay, Runnable task);
  }

  /** A result that waits for its snapshot. */
  private record Finished(CompactedBucket bucket, CompactionResult result) {}

  private final String commitUser;
  private final SnapshotCommitter committer;
  private final FileIO fileIO;
  private final CompactionListener listener;
  private final Owner owner;
  private final List<Finished> finished = new ArrayList<>();
  private boolean committing;
  private long lastIdentifier;

  CompactionCommits(
      String commitUser,
      SnapshotCommitter committer,
      FileIO fileIO,
      CompactionListener listener,
      Owner owner) {
    this.commitUser = commitUser;
    this.committer = committer;
    this.fileIO = fileIO;
    this.listener = listener;
    this.owner = owner;
  }

  /** Commits a result, or leaves it to the thread that is about it. */
  void commit(CompactedBucket bucket, CompactionResult result) {
    boolean here;
    synchronized (owner.lock()) {
      finished.add(new Finished(bucket, result));
      here = !committing;
      committing = true;
    }
    if (here) {
      commitFinished();
    }
  }

  /** Commits what is finished until nothing is; the caller has set {@code committing}. */
  private void commitFinished() {
    while (true) {
      List<Finished> batch;
      synchronized (owner.lock()) {
        if (finished.isEmpty() || owner.isClosed()) {
          committing = false;
          return;
        }
        batch = List.copyOf(finished);
        finished.clear();
      }
      if (!commit(batch, newRequest(batch), 0)) {
        return;
      }
    }
  }

  private CommitRequest newRequest(List<Finished> batch) {
    List<CommitMessage> messages = new ArrayList<>();
    synchronized (owner.lock()) {
      List<ManifestEntry> files = new ArrayList<>();
      for (Finished f : batch) {
        CompactedBucket bucket = f.bucket();
        BucketId id = bucket.id;
        messages.add(
            new CommitMessage(
                id.partition(),
                id.bucket(),
                bucket.totalBuckets,
                List.of(),
                f.result().before(),
                f.result().after()));
        for (DataFileMeta file : bucket.levels.files()) {
          files.add(
              new ManifestEntry(
                  ManifestEntry.Kind.ADD, id.partition(), id.bucket(), bucket.totalBuckets, file));
        }
      }
      Snapshot of = owner.known();
      // Grows with every commit, over restarts too: snapshot ids only grow.
      lastIdentifier = Math.max(lastIdentifier, of == null ? 0 : of.id()) + 1;
      return new CommitRequest(
          commitUser,
          lastIdentifier,
          new CommitRequest.Compaction(
              messages, of == null ? null : new CommitRequest.Seen(of, files)),
          Map.of());
    }
  }

  /** False if it goes on later, by itself. */
  private boolean commit(List<Finished> batch, CommitRequest request, int failuresBefore) {
    try {
      Snapshot snapshot = committer.commit(request, AttemptGuard.ALWAYS);
      listener.committed(idsOf(batch), snapshot == null ? 0 : snapshot.id());
      owner.settled(bucketsOf(batch));
      return true;
    } catch (CommitConflictException e) {
      return conflicted(batch, e);
    } catch (IOException | StorageException e) {
      Duration delay = owner.pause(failuresBefore + 1);
      listener.failed("committing a compaction (the outcome is open)", e, delay);
      owner.submitLater(
          delay,
          () -> {
            // The same request: the committer takes up the attempt that may have landed.
            if (commit(batch, request, failuresBefore + 1)) {
              commitFinished();
            }
          });
      return false;
    } catch (RuntimeException e) {
      // Whether it landed can't be known: its files stay, for orphan cleaning to judge.
      bucketsOf(batch).forEach(bucket -> owner.failed(bucket, e));
      return true;
    }
  }

  /** The batch is certainly in no snapshot. One bucket's conflict must not cost the others. */
  private boolean conflicted(List<Finished> batch, CommitConflictException e) {
    if (batch.size() > 1) {
      synchronized (owner.lock()) {
        finished.addAll(batch.subList(1, batch.size()));
      }
      List<Finished> first = batch.subList(0, 1);
      return commit(first, newRequest(first), 0);
    }
    batch.forEach(this::deleteOutputs);
    listener.conflicted(idsOf(batch), e);
    owner.settled(bucketsOf(batch));
    return true;
  }

  /**
   * Commits one result in the calling thread. The caller settles the bucket.
   *
   * @throws CommitConflictException another writer was faster; the outputs are deleted
   */
  void commitByHand(CompactedBucket bucket, CompactionResult result) throws IOException {
    Finished f = new Finished(bucket, result);
    List<Finished> batch = List.of(f);
    try {
      Snapshot snapshot = committer.commit(newRequest(batch), AttemptGuard.ALWAYS);
      listener.committed(idsOf(batch), snapshot == null ? 0 : snapshot.id());
    } catch (CommitConflictException e) {
      deleteOutputs(f);
      throw e;
    }
  }

  /** Deletes what was never handed to a committer, and so is certainly in no snapshot. */
  void drop() {
    synchronized (owner.lock()) {
      finished.forEach(this::deleteOutputs);
      finished.clear();
    }
  }

  private void deleteOutputs(Finished f) {
    f.result().writtenPaths().forEach(fileIO::deleteQuietly);
  }

  private static List<CompactedBucket> bucketsOf(List<Finished> batch) {
    return batch.stream().map(Finished::bucket).toList();
  }

  private static Set<BucketId> idsOf(List<Finished> batch) {
    Set<BucketId> ids = new HashSet<>();
    batch.forEach(f -> ids.add(f.bucket().id));
    return ids;
  }
}
