package io.sluice.lsm.index;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.lsm.check.TableCheck.Depth;
import io.sluice.lsm.error.CorruptTableException;
import io.sluice.lsm.table.LsmTable;
import io.sluice.lsm.testing.CanonicalRows;
import io.sluice.lsm.testing.FakeClock;
import io.sluice.lsm.testing.Golden;
import io.sluice.lsm.testing.MemoryFileIO;
import io.sluice.lsm.testing.TestIds;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import org.apache.avro.file.DataFileReader;
import org.apache.avro.file.DataFileWriter;
import org.apache.avro.file.SeekableByteArrayInput;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.GenericRecord;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.roaringbitmap.RoaringBitmap;

/** What an index manifest tells of deletion vectors is held against their files, all of it. */
class DeletionVectorsTest {

  private static final String ROOT = "/lake/w.db/t";

  private final MemoryFileIO files = new MemoryFileIO();
  private String manifest = "";

  /** The newest snapshot's index file that tells of most vectors. */
  private String index = "";

  private List<Map<String, String>> rows = List.of();

  @BeforeEach
  void copy() throws Exception {
    Path folder = Golden.of("deletion-vectors").folder();
    try (Stream<Path> all = Files.walk(folder)) {
      for (Path path : all.filter(Files::isRegularFile).toList()) {
        files.put(ROOT + "/" + folder.relativize(path), Files.readAllBytes(path));
      }
    }
    LsmTable table = open();
    manifest = table.paths().manifest(table.snapshots().findLatest().indexManifest());
    GenericRecord largest = null;
    for (GenericRecord entry : entries(files.readAll(manifest))) {
      if (largest == null || ranges(entry).size() > ranges(largest).size()) {
        largest = entry;
      }
    }
    index = ROOT + "/index/" + largest.get("_FILE_NAME");
    rows = read();
  }

  private LsmTable open() throws IOException {
    return LsmTable.open(files, ROOT, new FakeClock(), new TestIds(), LsmTable.Waits.NONE);
  }

  private List<Map<String, String>> read() throws IOException {
    return CanonicalRows.sorted(CanonicalRows.read(open().newScan()));
  }

  private static List<GenericRecord> entries(byte[] avro) throws IOException {
    try (DataFileReader<GenericRecord> in =
        new DataFileReader<>(new SeekableByteArrayInput(avro), new GenericDatumReader<>())) {
      List<GenericRecord> records = new ArrayList<>();
      in.forEach(records::add);
      return records;
    }
  }

  @SuppressWarnings("unchecked") // the type that the format gives
  private static List<GenericRecord> ranges(GenericRecord entry) {
    return (List<GenericRecord>) entry.get("_DELETIONS_VECTORS_RANGES");
  }

  /** Changes what the manifest tells of {@link #index}. */
  private void change(Consumer<GenericRecord> change) throws IOException {
    List<GenericRecord> entries = entries(files.readAll(manifest));
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataFileWriter<GenericRecord> out = new DataFileWriter<>(new GenericDatumWriter<>())) {
      out.create(entries.get(0).getSchema(), bytes);
      for (GenericRecord entry : entries) {
        if (index.endsWith("/" + entry.get("_FILE_NAME"))) {
          change.accept(entry);
        }
        out.append(entry);
      }
    }
    files.put(manifest, bytes.toByteArray());
  }

  private void assertRefused(String reason) throws IOException {
    assertThatThrownBy(this::read)
        .isInstanceOf(CorruptTableException.class)
        .hasMessageContaining(index.substring(index.lastIndexOf('/') + 1))
        .hasMessageContaining(reason);
    assertThat(open().newCheck().run(Depth.RECORDS).findings()).isNotEmpty();
  }

  @Test
  void readsAManifestThatSaysTheSame() throws IOException {
    change(entry -> {});
    assertThat(read()).isEqualTo(rows).isNotEmpty();
    assertThat(open().newCheck().run(Depth.RECORDS).findings()).isEmpty();
  }

  @Test
  void refusesAFileOfAnotherLength() throws IOException {
    // The vectors are where they should be, as in an exchanged file that begins with equal ones.
    byte[] content = files.readAll(index);
    files.put(index, Arrays.copyOf(content, content.length + 1));
    assertRefused("the file has " + (content.length + 1) + " bytes, the manifest says");
  }

  @Test
  void refusesAnotherVersion() throws IOException {
    byte[] content = files.readAll(index);
    content[0] = 2;
    files.put(index, content);
    assertRefused("the file has the version 2");
  }

  @Test
  void refusesVectorsThatAreNotToldOf() throws IOException {
    change(entry -> entry.put("_ROW_COUNT", (long) entry.get("_ROW_COUNT") + 1));
    assertRefused("it tells of ");
  }

  @Test
  void refusesAManifestWithoutTheVectors() throws IOException {
    change(entry -> entry.put("_DELETIONS_VECTORS_RANGES", null));
    assertRefused("it tells of 0 of ");
  }

  @Test
  void refusesVectorsThatOverlap() throws IOException {
    change(entry -> ranges(entry).get(0).put("f1", 0));
    assertRefused("the one at byte 0 begins before byte 1");
  }

  @Test
  void refusesVectorsBeyondTheFile() throws IOException {
    change(
        entry -> {
          GenericRecord last = ranges(entry).get(ranges(entry).size() - 1);
          last.put("f2", (int) last.get("f2") + 1000);
        });
    assertRefused("they end at byte ");
  }

  @Test
  void refusesAnotherNumberOfRows() throws IOException {
    change(
        entry ->
            ranges(entry)
                .forEach(range -> range.put("_CARDINALITY", (long) range.get("_CARDINALITY") + 1)));
    assertRefused("rows, the manifest says ");
  }

  /** So the one that nobody can detect is this: nothing on storage tells the two files apart. */
  @Test
  void canNotTellAFileThatAgreesInAllNumbers() throws IOException {
    byte[] content = files.readAll(index);
    change(
        entry -> {
          for (GenericRecord range : ranges(entry)) {
            moveFirst(content, (int) range.get("f1"));
          }
        });
    files.put(index, content);
    assertThat(read()).isNotEqualTo(rows);
  }

  /** Marks the row behind the first one instead of it, in the same number of bytes. */
  private static void moveFirst(byte[] content, int at) {
    ByteBuffer buffer = ByteBuffer.wrap(content);
    int size = buffer.getInt(at);
    RoaringBitmap bitmap = new RoaringBitmap();
    try {
      bitmap.deserialize(ByteBuffer.wrap(content, at + 8, size - 4).slice());
      int first = bitmap.first();
      int free = first;
      while (bitmap.contains(free)) {
        free++;
      }
      bitmap.remove(first);
      bitmap.add(free);
      assertThat(bitmap.serializedSizeInBytes()).isEqualTo(size - 4);
      bitmap.serialize(ByteBuffer.wrap(content, at + 8, size - 4).slice());
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    CRC32 crc = new CRC32();
    crc.update(content, at + 4, size);
    buffer.putInt(at + 4 + size, (int) crc.getValue());
  }
}
