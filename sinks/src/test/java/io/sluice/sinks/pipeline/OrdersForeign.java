package io.sluice.sinks.pipeline;

import io.sluice.lsm.commit.CommitRequest;
import io.sluice.lsm.commit.CommitRequest.AttemptGuard;
import io.sluice.lsm.datafile.DataFileMeta;
import io.sluice.lsm.error.CommitConflictException;
import io.sluice.lsm.error.CommitUnknownException;
import io.sluice.lsm.expire.Retention;
import io.sluice.lsm.io.FileIO;
import io.sluice.lsm.manifest.ManifestEntry;
import io.sluice.lsm.snapshot.Snapshot;
import io.sluice.lsm.table.LsmTable;
import io.sluice.lsm.testing.TestFiles;
import io.sluice.lsm.testing.TestIds;
import io.sluice.sinks.pipeline.OrdersWorld.Actor;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Another program on one table: commits rows, compacts, lets snapshots expire by Paimon's rules
 * (the newest stays, and what consumer files hold).
 */
record OrdersForeign(String name, String table, List<Act> acts) {

  enum Act {
    COMMIT,
    COMPACT,
    EXPIRE
  }

  void run(OrdersWorld world, Actor self) throws IOException {
    FileIO storage = new OrdersStorage(world, self);
    String root = OrdersWorld.lake(table).root(OrdersWorld.WAREHOUSE);
    if (!LsmTable.exists(storage, root)) {
      return;
    }
    TestIds ids = new TestIds(name);
    LsmTable lsm = LsmTable.open(storage, root, world.clock, ids, LsmTable.Waits.NONE);
    for (int i = 0; i < acts.size(); i++) {
      switch (acts.get(i)) {
        case COMMIT -> commit(world, storage, lsm, ids, i);
        case COMPACT -> compact(storage, lsm, table, ids, name, i, Map.of());
        case EXPIRE -> expire(lsm);
      }
    }
  }

  private static void expire(LsmTable lsm) throws IOException {
    try {
      lsm.newExpiry().expire(new Retention(Duration.ZERO, 1, 1, 10));
    } catch (FileNotFoundException e) {
      // Another expires at the same time; the next run goes on.
      return;
    }
  }

  private void commit(OrdersWorld world, FileIO storage, LsmTable lsm, TestIds ids, int i)
      throws IOException {
    String token = "w" + name + i;
    DataFileMeta file = OrdersDaemon.file(storage, table, token, ids, 0);
    try {
      lsm.committer()
          .commit(
              new CommitRequest(
                  name,
                  i,
                  new CommitRequest.Append(
                      lsm.committer().prepare(List.of(TestFiles.append(0, file)))),
                  Map.of()),
              AttemptGuard.ALWAYS);
      world.foreignCommitted(table, token);
    } catch (CommitUnknownException e) {
      // Its own affair.
      return;
    }
  }

  /** All files of the table's bucket become one. */
  static void compact(
      FileIO storage,
      LsmTable lsm,
      String table,
      TestIds ids,
      String user,
      long identifier,
      Map<String, String> properties)
      throws IOException {
    Snapshot latest = lsm.snapshots().findLatest();
    if (latest == null) {
      return;
    }
    List<DataFileMeta> before = new ArrayList<>();
    List<String> tokens = new ArrayList<>();
    for (ManifestEntry entry : lsm.liveFiles(latest)) {
      before.add(entry.file());
      tokens.addAll(OrdersWorld.tokensOf(entry.file().fileName()));
    }
    if (before.isEmpty()) {
      return;
    }
    DataFileMeta after = OrdersDaemon.file(storage, table, String.join("+", tokens), ids, 5);
    try {
      lsm.committer()
          .commit(
              new CommitRequest(
                  user,
                  identifier,
                  new CommitRequest.Compaction(
                      List.of(TestFiles.compact(0, before, List.of(after)))),
                  properties),
              AttemptGuard.ALWAYS);
    } catch (CommitConflictException | CommitUnknownException e) {
      // Planned anew another time; what it has written stays as an orphan.
      return;
    }
  }
}
