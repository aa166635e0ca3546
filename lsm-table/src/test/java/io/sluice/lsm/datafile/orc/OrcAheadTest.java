package io.sluice.lsm.datafile.orc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.lsm.datafile.DataFileMeta;
import io.sluice.lsm.datafile.DataFileReader;
import io.sluice.lsm.datafile.DecodingThreads;
import io.sluice.lsm.datafile.KeyValueWriter;
import io.sluice.lsm.datafile.NewFile;
import io.sluice.lsm.datafile.StoredFile;
import io.sluice.lsm.error.CorruptTableException;
import io.sluice.lsm.error.LsmException;
import io.sluice.lsm.error.StorageException;
import io.sluice.lsm.io.LocalFileIO;
import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.DataTypes;
import io.sluice.lsm.schema.RowType;
import io.sluice.lsm.schema.TableSchema;
import io.sluice.lsm.testing.CanonicalRows;
import io.sluice.lsm.testing.CountingFileIO;
import io.sluice.lsm.testing.RandomValues;
import io.sluice.lsm.testing.TestIds;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Large ORC files, decoded ahead by several threads: the same as by one. */
@Timeout(300)
class OrcAheadTest {

  private static final int BATCH = 1024;

  @TempDir Path folder;

  private final OrcFormat format = new OrcFormat(Clock.systemUTC());

  private final CountingFileIO storage = new CountingFileIO(new LocalFileIO(new TestIds()));

  /** A file and the schema that wrote it. */
  private record Written(String path, DataFileMeta meta, TableSchema schema) {

    StoredFile wanting(RowType columns, DecodingThreads threads) {
      return new StoredFile(path, meta, schema, columns, null, threads);
    }
  }

  private Written write(Random random, String name, int columns, int rows) throws Exception {
    RandomValues values = new RandomValues(random, "orc");
    List<DataField> fields = new ArrayList<>();
    fields.add(new DataField(0, "id", DataTypes.BIGINT.withNullable(false)));
    fields.addAll(values.columns(columns, 1));
    Map<String, String> options = new HashMap<>();
    options.put("bucket", "1");
    options.put("file.format", "orc");
    options.put("orc.timestamp-ltz.legacy.type", "false");
    options.put("data-file.thin-mode", "true");
    options.put("file.compression", List.of("zstd", "none").get(random.nextInt(2)));
    if (random.nextBoolean()) {
      options.put("file.block-size", "200 kb");
    }
    TableSchema schema =
        new TableSchema(0, new RowType(fields), 1000, List.of(), List.of("id"), options, null, 0);
    // Rows that come again make dictionaries; making each anew would take longest of all.
    List<List<Object>> some = new ArrayList<>();
    for (int i = 0; i < 500; i++) {
      some.add(values.row(schema.rowType()));
    }
    String path = folder + "/" + name + ".orc";
    KeyValueWriter writer =
        format.createWriter(
            storage, new NewFile(path, schema, 1, DataFileMeta.SOURCE_COMPACTION, NewFile.UNKNOWN));
    for (long id = 0; id < rows; id++) {
      List<Object> row = some.get(random.nextInt(some.size()));
      row.set(0, id);
      writer.write(
          RandomValues.binary(schema.rowType(), row, RowKind.INSERT),
          random.nextLong(),
          RowKind.INSERT);
    }
    return new Written(path, writer.finish(), schema);
  }

  private List<String> records(StoredFile file) throws Exception {
    List<String> records = new ArrayList<>();
    try (DataFileReader reader = format.createReader(storage, file)) {
      while (reader.advance()) {
        records.add(
            reader.kind()
                + " "
                + reader.sequenceNumber()
                + " at "
                + reader.positionInFile()
                + " "
                + CanonicalRows.of(file.wanted(), reader.row()));
      }
    }
    return records;
  }

  private List<String> values(StoredFile file) throws Exception {
    List<String> records = new ArrayList<>();
    try (DataFileReader reader = format.createValueReader(storage, file)) {
      while (reader.advance()) {
        records.add(CanonicalRows.of(file.wanted(), reader.row()).toString());
      }
    }
    return records;
  }

  /** Some columns of the file in any order, among them perhaps one that it lacks. */
  private static RowType wanted(Random random, TableSchema schema) {
    List<DataField> fields = new ArrayList<>(schema.rowType().fields());
    Collections.shuffle(fields, random);
    List<DataField> some = new ArrayList<>(fields.subList(0, 1 + random.nextInt(fields.size())));
    if (random.nextBoolean()) {
      some.add(random.nextInt(some.size() + 1), new DataField(5000, "new", DataTypes.STRING));
    }
    return new RowType(some);
  }

  @Test
  void isTheSameAsReadByOneThread() throws Exception {
    long seed = Long.getLong("test.seed", System.nanoTime());
    for (int i = 0; i < Integer.getInteger("test.rounds", 4); i++) {
      Random random = new Random(seed + i);
      try (DecodingThreads threads = new DecodingThreads(1 + random.nextInt(4))) {
        Written file =
            write(random, "data-" + i, random.nextInt(9), 16 * BATCH + random.nextInt(3000));
        RowType all = file.schema().rowType();
        assertThat(records(file.wanting(all, threads)))
            .isEqualTo(records(file.wanting(all, null)))
            .hasSize((int) file.meta().rowCount());
        RowType some = wanted(random, file.schema());
        assertThat(records(file.wanting(some, threads)))
            .isEqualTo(records(file.wanting(some, null)));
        assertThat(values(file.wanting(some, threads))).isEqualTo(values(file.wanting(some, null)));
        assertThat(storage.openFiles()).as("files left open").isZero();
      } catch (Exception | AssertionError e) {
        throw new AssertionError("Replay with -Dtest.seed=" + (seed + i), e);
      }
    }
  }

  @Test
  void mayBeLeftInTheMiddle() throws Exception {
    Random random = new Random(7);
    Written file = write(random, "data", 6, 20 * BATCH);
    try (DecodingThreads threads = new DecodingThreads(2)) {
      for (int rows : new int[] {0, 1, BATCH, BATCH + 1, 10 * BATCH}) {
        try (DataFileReader reader =
            format.createReader(storage, file.wanting(file.schema().rowType(), threads))) {
          for (int i = 0; i < rows; i++) {
            assertThat(reader.advance()).isTrue();
          }
        }
        assertThat(storage.openFiles()).as("files left open after " + rows + " rows").isZero();
      }
    }
  }

  @Test
  void goesOnWithoutThreadsThatHaveEnded() throws Exception {
    Written file = write(new Random(8), "data", 4, 20 * BATCH);
    DecodingThreads threads = new DecodingThreads(2);
    RowType all = file.schema().rowType();
    List<String> expected = records(file.wanting(all, null));
    threads.close();
    assertThat(records(file.wanting(all, threads))).isEqualTo(expected);
  }

  @Test
  void storageThatFailsAtAnyReadIsSaidToHaveFailed() throws Exception {
    Written file = write(new Random(9), "data", 5, 16 * BATCH);
    try (DecodingThreads threads = new DecodingThreads(2)) {
      StoredFile stored = file.wanting(file.schema().rowType(), threads);
      storage.takeReads(0);
      List<String> expected = records(stored);
      int reads = storage.takeReads(0);
      assertThat(reads).isGreaterThan(5);
      for (int n = 1; n <= reads; n++) {
        storage.takeReads(n);
        assertThatThrownBy(() -> records(stored))
            .isInstanceOf(StorageException.class)
            .hasMessageContaining(file.path())
            .hasMessageContaining("does not answer");
        assertThat(storage.openFiles()).as("files left open after read " + n).isZero();
      }
      storage.takeReads(0);
      assertThat(records(stored)).isEqualTo(expected);
    }
  }

  @Test
  void aColumnThatIsNotWhatItsSchemaSaysLeavesNoFileOpen() throws Exception {
    Written file = write(new Random(10), "data", 6, 16 * BATCH);
    List<DataField> fields = new ArrayList<>(file.schema().rowType().fields());
    DataField last = fields.get(fields.size() - 1);
    boolean text = last.type().root().isText();
    fields.set(
        fields.size() - 1,
        new DataField(last.id(), last.name(), text ? DataTypes.BIGINT : DataTypes.STRING));
    TableSchema wrong =
        new TableSchema(
            0,
            new RowType(fields),
            1000,
            List.of(),
            List.of("id"),
            file.schema().options(),
            null,
            0);
    try (DecodingThreads threads = new DecodingThreads(2)) {
      for (DecodingThreads some : new DecodingThreads[] {threads, null}) {
        StoredFile stored =
            new StoredFile(file.path(), file.meta(), wrong, wrong.rowType(), null, some);
        assertThatThrownBy(() -> records(stored))
            .isInstanceOf(CorruptTableException.class)
            .hasMessageContaining(file.path())
            .hasMessageContaining(last.name());
        assertThat(storage.openFiles()).as("files left open").isZero();
      }
    }
  }

  /** Rows, or null if the file is said to be damaged. */
  private List<String> recordsIfWhole(StoredFile file) throws Exception {
    try {
      return records(file);
    } catch (LsmException e) {
      assertThat(e).isInstanceOf(CorruptTableException.class).hasMessageContaining(file.path());
      return null;
    }
  }

  @Test
  void damageIsSeenByWhomeverItIsRead() throws Exception {
    long seed = Long.getLong("test.seed", System.nanoTime());
    Random random = new Random(seed);
    Written file = write(random, "data", 4, 16 * BATCH);
    byte[] bytes = Files.readAllBytes(Path.of(file.path()));
    try (DecodingThreads threads = new DecodingThreads(2)) {
      RowType all = file.schema().rowType();
      for (int i = 0; i < Integer.getInteger("test.rounds", 40); i++) {
        byte[] damaged = bytes.clone();
        for (int changes = 1 + random.nextInt(3); changes > 0; changes--) {
          damaged[random.nextInt(damaged.length)] ^= (byte) (1 << random.nextInt(8));
        }
        Files.write(Path.of(file.path()), damaged);
        assertThat(recordsIfWhole(file.wanting(all, threads)))
            .as("Replay with -Dtest.seed=" + seed)
            .isEqualTo(recordsIfWhole(file.wanting(all, null)));
        assertThat(storage.openFiles()).as("files left open").isZero();
      }
    }
  }
}
