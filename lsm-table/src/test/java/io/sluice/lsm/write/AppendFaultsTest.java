package io.sluice.lsm.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.binary.TestRows;
import io.sluice.lsm.check.TableCheck.Depth;
import io.sluice.lsm.commit.CommitMessage;
import io.sluice.lsm.commit.CommitRequest;
import io.sluice.lsm.commit.CommitRequest.AttemptGuard.Decision;
import io.sluice.lsm.commit.PreparedDelta;
import io.sluice.lsm.datafile.DataFileMeta;
import io.sluice.lsm.error.LsmException;
import io.sluice.lsm.io.FileIO;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.DataTypes;
import io.sluice.lsm.schema.RowType;
import io.sluice.lsm.schema.TableSchema;
import io.sluice.lsm.snapshot.Snapshot;
import io.sluice.lsm.table.LsmTable;
import io.sluice.lsm.testing.CanonicalRows;
import io.sluice.lsm.testing.FakeClock;
import io.sluice.lsm.testing.FaultyFileIO;
import io.sluice.lsm.testing.FaultyFileIO.Fault;
import io.sluice.lsm.testing.MemoryFileIO;
import io.sluice.lsm.testing.PaimonOracle;
import io.sluice.lsm.testing.PaimonStorage;
import io.sluice.lsm.testing.PowerCutFileIO;
import io.sluice.lsm.testing.TestIds;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A table without a primary key, where nothing hides a row that is written twice: every operation
 * on storage goes wrong in every way, and each row is there once.
 */
class AppendFaultsTest {

  private static final String ROOT = "/lake/w.db/log";
  private static final int BATCHES = 3;
  private static final int ROWS = 40;

  private final TestIds ids = new TestIds();

  private static TableSchema schema(String format) {
    return new TableSchema(
        0,
        new RowType(
            List.of(new DataField(0, "n", DataTypes.INT), new DataField(1, "v", DataTypes.STRING))),
        1,
        List.of(),
        List.of(),
        Map.of("bucket", "-1", "file.format", format),
        null,
        0);
  }

  /** A process that writes batch after batch until it is killed. */
  private final class Process {
    private final LsmTable table;
    private final TableSchema schema;
    private final BucketWriter writer;
    private int batch;
    private boolean written;
    private @Nullable List<DataFileMeta> files;
    private @Nullable PreparedDelta delta;

    Process(FileIO storage) throws IOException {
      table = LsmTable.open(storage, ROOT, new FakeClock(), ids, LsmTable.Waits.NONE);
      schema = table.newestSchema();
      writer = table.newBucketWriter(schema, BinaryRow.EMPTY, 0, new MemoryPool(1 << 20));
      batch = 0;
      while (batch < BATCHES && committed(table.snapshots().findLatest(), batch)) {
        batch++;
      }
    }

    private boolean committed(@Nullable Snapshot latest, int wanted) throws IOException {
      for (long id = latest == null ? 0 : latest.id(); id > 0; id--) {
        if (table.snapshots().read(id).commitIdentifier() == wanted) {
          return true;
        }
      }
      return false;
    }

    /** Goes on where it was when storage failed. */
    void run() throws IOException {
      while (batch < BATCHES) {
        if (!written) {
          for (int i = 0; i < ROWS; i++) {
            int n = batch * ROWS + i;
            writer.write(TestRows.row(schema.rowType(), n, "some text to fill files " + n), n);
          }
          written = true;
        }
        if (files == null) {
          files = writer.drain();
        }
        if (delta == null) {
          CommitMessage message =
              new CommitMessage(BinaryRow.EMPTY, 0, -1, files, List.of(), List.of());
          delta = table.committer().prepare(List.of(message));
        }
        int current = batch;
        table
            .committer()
            .commit(
                new CommitRequest("u", current, new CommitRequest.Append(delta), Map.of()),
                latest ->
                    committed(latest, current) ? Decision.ALREADY_COMMITTED : Decision.PROCEED);
        batch++;
        written = false;
        files = null;
        delta = null;
      }
      writer.close();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"orc", "parquet", "avro"})
  void writesEachRowOnceWhateverGoesWrong(String format) throws Exception {
    MemoryFileIO empty = new MemoryFileIO();
    LsmTable.create(empty, ROOT, schema(format), new FakeClock(), ids);
    List<Map<String, String>> expected = new ArrayList<>();
    for (int n = 0; n < BATCHES * ROWS; n++) {
      expected.add(
          CanonicalRows.of(
              schema(format).rowType(),
              TestRows.row(schema(format).rowType(), n, "some text to fill files " + n)));
    }
    // What the formats differ in is how they end when storage fails.
    for (Fault fault :
        format.equals("avro") ? Fault.values() : new Fault[] {Fault.FAIL, Fault.TEAR}) {
      int broken = 0;
      for (int n = 1; ; n++) {
        MemoryFileIO memory = empty.copy();
        PowerCutFileIO disk = new PowerCutFileIO(memory, n);
        FaultyFileIO faulty = new FaultyFileIO(disk);
        Process process = new Process(faulty);
        int before = faulty.operations();
        faulty.inject(before + n, fault);
        String at = fault + " at " + n;
        for (int tries = 0; ; tries++) {
          assertThat(tries).as(at).isLessThan(5);
          try {
            process.run();
            break;
          } catch (IOException | LsmException e) {
            broken++;
            assertThat(e).as(at).hasMessageFindingMatch("Injected|The process is dead");
            if (faulty.crashed()) {
              faulty.heal();
              // The machine went down with the process.
              disk.cutPower();
              process = new Process(faulty);
            }
          }
        }
        faulty.landLateRequests();
        disk.cutPower();
        LsmTable table = LsmTable.open(memory, ROOT, new FakeClock(), ids, LsmTable.Waits.NONE);
        assertThat(CanonicalRows.read(table.newScan()))
            .as(at)
            .containsExactlyInAnyOrderElementsOf(expected);
        assertThat(table.newCheck().run(Depth.RECORDS).findings()).as(at).isEmpty();
        if (faulty.operations() < before + n) {
          assertThat(new PaimonOracle(new PaimonStorage(memory), ROOT).readLatest())
              .isEqualTo(CanonicalRows.sorted(expected));
          break;
        }
      }
      assertThat(broken).as("%s", fault).isPositive();
    }
  }
}
