package io.sluice.lsm.commit;

import io.sluice.lsm.snapshot.Snapshot;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Turns prepared files into snapshots of one table: base list with manifest merging, exclusive
 * creation, retry after a lost race. Made by {@link io.sluice.lsm.table.LsmTable#committer}. Thread
 * safe; commits of one table from one process are serialized here.
 */
public interface SnapshotCommitter {

  /**
   * Writes delta manifests and their list; nothing is visible yet. They and the new data files are
   * durable on return.
   *
   * @throws io.sluice.lsm.io.NotDurableException one of them isn't. A new data file that isn't
   *     never will be: its rows have to be written anew
   */
  PreparedDelta prepare(List<CommitMessage> messages) throws IOException;

  /**
   * Publishes one snapshot.
   *
   * @return the snapshot; null if the guard found it there already, or nothing was left to delete
   * @throws io.sluice.lsm.error.CommitConflictException only for a Compaction whose inputs are gone
   *     or whose outputs overlap what is there
   * @throws io.sluice.lsm.error.CommitUnknownException it cannot be told whether the commit took
   *     place, or whether readers see it: stop, delete nothing
   * @throws IOException storage failed; the outcome may be unknown, so no file of the request may
   *     be deleted. The same request to the same committer takes it up again; to another committer,
   *     the guard finds out. A Compaction may also be left alone for good: plan anew from the
   *     newest snapshot and let its outputs be, live or not
   */
  @Nullable Snapshot commit(CommitRequest request, CommitRequest.AttemptGuard guard)
      throws IOException;

  /**
   * Whether readers that follow the chain of snapshots come to this one, which is there. It may
   * have been put into a hole that expiry has left behind the newest ones. In the chain are: one
   * whose predecessor is there, the newest, and one whose files the next one began with.
   */
  boolean isInChain(Snapshot snapshot) throws IOException;
}
