package io.sluice.sinks.pipeline;

import io.sluice.lsm.commit.CommitMessage;
import io.sluice.lsm.datafile.DataFileMeta;
import io.sluice.lsm.expire.ConsumerFiles;
import io.sluice.lsm.expire.Retention;
import io.sluice.lsm.io.Backoff;
import io.sluice.lsm.io.FileIO;
import io.sluice.lsm.snapshot.Snapshot;
import io.sluice.lsm.table.LsmTable;
import io.sluice.lsm.testing.TestFiles;
import io.sluice.lsm.testing.TestIds;
import io.sluice.sinks.PipelineListener;
import io.sluice.sinks.PipelineStoppedException;
import io.sluice.sinks.Succession;
import io.sluice.sinks.epoch.EpochCommitter;
import io.sluice.sinks.epoch.EpochCommitter.Gathered;
import io.sluice.sinks.epoch.EpochFile;
import io.sluice.sinks.epoch.EpochFile.Kind;
import io.sluice.sinks.epoch.EpochFile.SchemaText;
import io.sluice.sinks.epoch.EpochFile.TableChange;
import io.sluice.sinks.epoch.EpochStore;
import io.sluice.sinks.epoch.LakeTable;
import io.sluice.sinks.epoch.LakeTables;
import io.sluice.sinks.epoch.SchemaPublisher;
import io.sluice.sinks.epoch.StorageRetry;
import io.sluice.sinks.pipeline.OrdersWorld.Actor;
import io.sluice.sinks.pipeline.OrdersWorld.Rule;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A daemon without threads: the real recovery, committer and expiry, fed by a script. One
 * transaction is one epoch; what happens beside the epochs in a real daemon happens between them.
 */
final class OrdersDaemon {

  private static final Retention SHORT = new Retention(Duration.ZERO, 1, 1, 10);

  private final OrdersWorld world;
  private final Actor self;
  private final OrdersScript script;
  private final FileIO storage;
  private final TestIds ids;
  private final LakeTables lake;
  private final EpochStore store;
  private final StorageRetry retry = new StorageRetry(Backoff.NONE, 30, PipelineListener.NONE);
  private final EpochCommitter committer;
  private EpochFile last;

  OrdersDaemon(OrdersWorld world, Actor self) {
    this.world = world;
    this.self = self;
    this.script = world.scenario.script();
    this.storage = new OrdersStorage(world, self);
    this.ids = new TestIds(self.name);
    this.lake =
        new LakeTables(storage, OrdersWorld.WAREHOUSE, world.clock, ids, LsmTable.Waits.NONE);
    this.store = new EpochStore(storage, OrdersWorld.WAREHOUSE, OrdersWorld.PIPELINE);
    this.committer =
        new EpochCommitter(
            store, lake, Pipeline.consumer(OrdersWorld.PIPELINE), retry, Runnable::run);
  }

  static String incarnation(Actor daemon) {
    return "incarnation-" + daemon.name;
  }

  void deliver() throws IOException {
    Recovery.Result start =
        new Recovery(OrdersWorld.PIPELINE, lake, store, committer, retry, world.clock)
            .recover(incarnation(self), Succession.ofAnybody(), new TestLake.Source());
    last = start.epoch();
    String text = last.position();
    int position = text == null ? 0 : Integer.parseInt(text.replaceAll("\\D", ""));
    world.recovered(self, position, start.state().history());
    while (position < script.end()) {
      position++;
      commit(position);
    }
  }

  private void commit(int position) throws IOException {
    List<TableChange> changes = committer.prepare(gather(position));
    long number = last.number() + 1;
    SortedMap<LakeTable, Long> lastEpochs = new TreeMap<>(last.lastEpochs());
    changes.forEach(change -> lastEpochs.put(change.table(), number));
    EpochFile epoch = epoch(position, number, changes, lastEpochs);
    self.afterEpochFile = () -> compact(epoch);
    Map<LakeTable, Snapshot> made;
    try {
      made = committer.publish(epoch);
    } catch (PipelineStoppedException e) {
      if (world.scenario.without().contains(Rule.R7_KEEP_FILES)) {
        script.at(position).keySet().forEach(this::deleteRows);
      }
      throw e;
    }
    last = epoch;
    world.published(position);
    committer.finish(epoch, made);
    if (position % 2 == 0) {
      maintain(made);
    }
  }

  /** The daemon's own compaction of what this epoch changes, in every second epoch. */
  private void compact(EpochFile epoch) {
    self.afterEpochFile = () -> {};
    if (epoch.number() % 2 == 0) {
      return;
    }
    boolean rule6 = !world.scenario.without().contains(Rule.R6_OWN_COMPACTION_USER);
    for (TableChange change : epoch.changes()) {
      try {
        OrdersForeign.compact(
            storage,
            lake.open(change.table()),
            change.table().table(),
            ids,
            Pipeline.compactionUser(OrdersWorld.PIPELINE),
            epoch.number(),
            rule6
                ? Map.of()
                : Map.of(
                    "sluice.pipeline",
                    OrdersWorld.PIPELINE,
                    "sluice.epoch",
                    Long.toString(epoch.number())));
      } catch (IOException e) {
        // Planned anew another time.
        continue;
      }
    }
  }

  /** Every second epoch folds the history into a file. */
  private EpochFile epoch(
      int position, long number, List<TableChange> changes, SortedMap<LakeTable, Long> lastEpochs) {
    String historyFile = last.historyFile();
    List<String> history = new ArrayList<>(last.history());
    history.add(OrdersScript.token(position));
    if (position % 2 == 0) {
      List<String> all = new ArrayList<>();
      for (int at = 1; at <= position; at++) {
        all.add(OrdersScript.token(at));
      }
      String fresh = ids.get();
      historyFile = retry.run("writing history", () -> store.writeHistory(number, fresh, all));
      history = List.of();
    }
    return new EpochFile(
        number,
        OrdersWorld.PIPELINE,
        last.incarnation(),
        TestLake.position(position).text(),
        position,
        world.clock.millis(),
        position * 10L,
        changes,
        lastEpochs,
        Map.of(),
        historyFile,
        history);
  }

  private List<Gathered> gather(int position) throws IOException {
    List<Gathered> result = new ArrayList<>();
    for (Map.Entry<String, OrdersScript.Act> entry : script.at(position).entrySet()) {
      String table = entry.getKey();
      LakeTable name = OrdersWorld.lake(table);
      List<SchemaText> schemas =
          switch (entry.getValue()) {
            case CREATE, CREATE_WITH_ROW, ALTER_AND_ROW ->
                List.of(SchemaPublisher.text(script.schema(table, position)));
            case ROW, TRUNCATE -> List.of();
          };
      switch (entry.getValue()) {
        case CREATE -> {
          lake.plan(name, script.schema(table, position));
          result.add(new Gathered(name, Kind.SCHEMA, schemas, List.of()));
        }
        case TRUNCATE -> result.add(new Gathered(name, Kind.OVERWRITE, schemas, List.of()));
        case CREATE_WITH_ROW -> {
          lake.plan(name, script.schema(table, position));
          result.add(new Gathered(name, Kind.APPEND, schemas, rows(table, position)));
        }
        case ROW, ALTER_AND_ROW ->
            result.add(new Gathered(name, Kind.APPEND, schemas, rows(table, position)));
      }
    }
    return result;
  }

  /** What a careless writer would do when another has taken over. */
  private void deleteRows(String table) {
    for (FileIO.FileStatus file :
        world.shelf.list(OrdersWorld.fileOf(table, "x").replace("/x", ""))) {
      if (file.name().contains("~" + self.name + "-")) {
        storage.deleteQuietly(file.path());
      }
    }
  }

  private List<CommitMessage> rows(String table, int position) throws IOException {
    return List.of(TestFiles.append(0, file(storage, table, OrdersScript.token(position), ids, 0)));
  }

  /** A data file that is there, and whose name says what is in it. */
  static DataFileMeta file(FileIO storage, String table, String tokens, TestIds ids, int level)
      throws IOException {
    String name = tokens + "~" + ids.get();
    try (OutputStream out = storage.create(OrdersWorld.fileOf(table, name))) {
      out.write(1);
    }
    return TestFiles.file(name, level, 0, 1000);
  }

  /** As in Maintenance: first the pin, then what lies before it. */
  private void maintain(Map<LakeTable, Snapshot> made) throws IOException {
    for (Map.Entry<LakeTable, Snapshot> entry : new TreeMap<>(made).entrySet()) {
      try {
        LsmTable lsm = lake.known(entry.getKey());
        new ConsumerFiles(storage, lsm.paths())
            .advance(Pipeline.consumer(OrdersWorld.PIPELINE), entry.getValue().id());
        lsm.newExpiry().expire(SHORT);
      } catch (IOException | RuntimeException e) {
        // Tried again after a later epoch.
        continue;
      }
    }
  }
}
