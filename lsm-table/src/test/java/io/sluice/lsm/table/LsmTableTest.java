package io.sluice.lsm.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.binary.BinaryRowWriter;
import io.sluice.lsm.commit.CommitMessage;
import io.sluice.lsm.commit.CommitRequest;
import io.sluice.lsm.compaction.CompactionListener;
import io.sluice.lsm.compaction.TableCompactor;
import io.sluice.lsm.datafile.DataFileMeta;
import io.sluice.lsm.io.LocalFileIO;
import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.scan.PredicateParser;
import io.sluice.lsm.scan.RowReader;
import io.sluice.lsm.scan.TableScan;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.DataTypes;
import io.sluice.lsm.schema.RowType;
import io.sluice.lsm.schema.TableSchema;
import io.sluice.lsm.snapshot.Snapshot;
import io.sluice.lsm.write.BucketWriter;
import io.sluice.lsm.write.MemoryPool;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The whole engine through its door: write, commit, compact, scan. */
class LsmTableTest {

  private static final TableSchema SCHEMA =
      new TableSchema(
          0,
          new RowType(
              List.of(
                  new DataField(0, "id", DataTypes.INT.withNullable(false)),
                  new DataField(1, "name", DataTypes.STRING))),
          1,
          List.of(),
          List.of("id"),
          Map.of("bucket", "1", "file.format", "orc"),
          null,
          0);

  @TempDir Path folder;
  private LsmTable table;
  private final MemoryPool memory = new MemoryPool(64 << 20);
  private final BinaryRowWriter rows = new BinaryRowWriter(2);
  private long sequence;
  private long identifier;

  @BeforeEach
  void create() throws IOException {
    table =
        LsmTable.create(
            new LocalFileIO(() -> UUID.randomUUID().toString()),
            folder + "/t",
            SCHEMA,
            Clock.systemUTC(),
            () -> UUID.randomUUID().toString());
  }

  private BinaryRow row(RowKind kind, int id, String name) {
    rows.reset();
    rows.writeInt(0, id);
    rows.writeString(1, name);
    return rows.finish(kind);
  }

  private void put(BucketWriter writer, int id, String name) throws IOException {
    writer.write(row(RowKind.INSERT, id, name), sequence++);
  }

  private Snapshot commit(BucketWriter writer) throws IOException {
    List<DataFileMeta> files = writer.drain();
    var delta =
        table
            .committer()
            .prepare(
                List.of(new CommitMessage(BinaryRow.EMPTY, 0, 1, files, List.of(), List.of())));
    return table
        .committer()
        .commit(
            new CommitRequest("test", ++identifier, new CommitRequest.Append(delta), Map.of()),
            CommitRequest.AttemptGuard.ALWAYS);
  }

  private static List<String> read(TableScan scan) throws IOException {
    List<String> result = new ArrayList<>();
    try (RowReader reader = scan.open()) {
      while (reader.advance()) {
        result.add(reader.row().getInt(0) + "=" + reader.row().getString(1));
      }
    }
    return result;
  }

  @Test
  void severalChangesOfOneKeyInOneCommitLeaveTheLast() throws IOException {
    BucketWriter writer = table.newBucketWriter(SCHEMA, BinaryRow.EMPTY, 0, memory);
    put(writer, 7, "a");
    writer.write(row(RowKind.UPDATE_AFTER, 7, "b"), sequence++);
    writer.write(row(RowKind.DELETE, 7, "b"), sequence++);
    put(writer, 7, "c");
    commit(writer);
    assertThat(read(table.newScan())).containsExactly("7=c");
  }

  @Test
  void manyInsertsThenUpdatesInOneCommit() throws IOException {
    BucketWriter writer = table.newBucketWriter(SCHEMA, BinaryRow.EMPTY, 0, memory);
    for (int i = 0; i < 110_000; i++) {
      put(writer, i, "old");
    }
    for (int i = 0; i < 100; i++) {
      put(writer, i * 1000, "new");
    }
    commit(writer);
    List<String> all = read(table.newScan());
    assertThat(all).hasSize(110_000);
    assertThat(all.stream().filter(r -> r.endsWith("=new"))).hasSize(100);
    assertThat(memory.bytesUsed()).isZero();
  }

  @Test
  void mergesOverFilesAndCompactsThem() throws Exception {
    BucketWriter writer = table.newBucketWriter(SCHEMA, BinaryRow.EMPTY, 0, memory);
    for (int commit = 0; commit < 6; commit++) {
      for (int i = commit; i < 20; i++) {
        put(writer, i, "v" + commit);
      }
      if (commit == 5) {
        writer.write(row(RowKind.DELETE, 19, "x"), sequence++);
      }
      commit(writer);
    }
    List<String> before = read(table.newScan());
    assertThat(before).hasSize(19).startsWith("0=v0", "1=v1").endsWith("17=v5", "18=v5");
    TableCompactor compactor =
        table.newCompactor(
            TableCompactor.Settings.of("test-compaction"),
            Runnable::run,
            CompactionListener.logging("t"));
    compactor.wake();
    assertThat(compactor.sortedRuns(BinaryRow.EMPTY, 0)).isEqualTo(1);
    assertThat(read(table.newScan())).isEqualTo(before);
    Snapshot latest = table.snapshots().findLatest();
    assertThat(latest.commitUser()).isEqualTo("test-compaction");
    assertThat(latest.totalRecordCount()).isEqualTo(19);
    assertThat(read(table.newScan(2))).hasSize(20).startsWith("0=v0", "1=v1", "2=v1");
    assertThat(read(table.newScan().where(PredicateParser.parse("id >= 3 AND name = \"v3\""))))
        .containsExactly("3=v3");
    compactor.close();
  }
}
