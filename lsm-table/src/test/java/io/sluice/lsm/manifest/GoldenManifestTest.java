package io.sluice.lsm.manifest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.lsm.error.CorruptTableException;
import io.sluice.lsm.io.FileIO;
import io.sluice.lsm.io.LocalFileIO;
import io.sluice.lsm.io.TablePaths;
import io.sluice.lsm.schema.RowType;
import io.sluice.lsm.schema.TableSchema;
import io.sluice.lsm.snapshot.SchemaStore;
import io.sluice.lsm.snapshot.Snapshot;
import io.sluice.lsm.snapshot.SnapshotStore;
import io.sluice.lsm.testing.MemoryFileIO;
import io.sluice.lsm.testing.TestIds;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.avro.Schema;
import org.apache.avro.file.CodecFactory;
import org.apache.avro.file.DataFileStream;
import org.apache.avro.file.DataFileWriter;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.GenericRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Manifests that Paimon 1.4.2 has written are read, and written again, without a difference. */
class GoldenManifestTest {

  private static final Path GOLDEN = Path.of("src/test/resources/golden");

  private final FileIO disk = new LocalFileIO(new TestIds());

  private record Case(TablePaths paths, TableSchema schema, JsonNode expected) {}

  private Case open(String name) throws IOException {
    Path folder = GOLDEN.resolve(name).toAbsolutePath();
    JsonNode expected = new ObjectMapper().readTree(folder.resolve("expected.json").toFile());
    TablePaths paths = new TablePaths(folder + "/" + expected.get("table").asText());
    return new Case(paths, new SchemaStore(disk, paths).findLatest(), expected);
  }

  @ParameterizedTest
  @ValueSource(strings = {"dedup-orc", "partitioned", "sequence-field", "all-types"})
  void knowsTheLiveFiles(String name) throws IOException {
    Case golden = open(name);
    Snapshot latest = new SnapshotStore(disk, golden.paths()).findLatest();
    ManifestStore store = store(golden);
    PartitionPaths folders = new PartitionPaths(golden.paths(), golden.schema());

    LiveFiles live = store.liveFiles(latest);

    Set<String> files = new HashSet<>();
    for (ManifestEntry entry : live.entries()) {
      var file = entry.file();
      files.add(
          folders.partitionPath(entry.partition())
              + "|"
              + String.join(
                  " ",
                  file.fileName(),
                  "" + entry.bucket(),
                  "" + entry.totalBuckets(),
                  "" + file.level(),
                  "" + file.rowCount(),
                  "" + file.deleteRowCount(),
                  "" + file.minSequenceNumber(),
                  "" + file.maxSequenceNumber(),
                  "" + file.schemaId(),
                  file.fileSource() == 0 ? "APPEND" : "COMPACT"));
      assertThat(disk.exists(folders.file(entry.partition(), entry.bucket(), file.fileName())))
          .isTrue();
    }
    Set<String> wanted = new HashSet<>();
    for (JsonNode file : golden.expected().get("liveFiles")) {
      String bucketFolder = file.get("path").asText();
      int cut = bucketFolder.lastIndexOf("/bucket-");
      wanted.add(
          (cut < 0 ? "" : bucketFolder.substring(0, cut))
              + "|"
              + String.join(
                  " ",
                  file.get("file").asText(),
                  file.get("bucket").asText(),
                  file.get("totalBuckets").asText(),
                  file.get("level").asText(),
                  file.get("rowCount").asText(),
                  file.get("deleteRowCount").asText(),
                  file.get("minSequence").asText(),
                  file.get("maxSequence").asText(),
                  file.get("schemaId").asText(),
                  file.get("fileSource").asText()));
    }
    assertThat(files).isEqualTo(wanted);
    assertThat(live.entries().stream().mapToLong(e -> e.file().rowCount()).sum())
        .isEqualTo(latest.totalRecordCount());
  }

  @ParameterizedTest
  @ValueSource(strings = {"dedup-orc", "partitioned", "sequence-field", "all-types"})
  void writesTheSameRecordsByteForByte(String name) throws IOException {
    Case golden = open(name);
    ManifestStore store = store(golden);
    MemoryFileIO memory = new MemoryFileIO();
    ManifestCache noCache = new ManifestCache(0);
    TablePaths ours = new TablePaths("/t");
    ManifestNames names = new ManifestNames(new TestIds());
    RowType partitions = PartitionPaths.partitionType(golden.schema());
    ManifestFile files =
        new ManifestFile(memory, ours, partitions, "zstd", 8 << 20, names, noCache);
    ManifestList lists = new ManifestList(memory, ours, "zstd", names, noCache);
    int compared = 0;
    for (FileIO.FileStatus file : disk.list(golden.paths().manifestFolder())) {
      if (file.name().startsWith("manifest-list-")) {
        List<ManifestFileMeta> list = store.lists().read(file.name());
        String written = lists.write(list).name();
        assertSameAvro(disk.readAll(file.path()), memory.readAll(ours.manifest(written)));
        assertThat(lists.read(written)).usingRecursiveComparison().isEqualTo(list);
        for (ManifestFileMeta meta : list) {
          // The description is derived from the entries just as Paimon derives it.
          List<ManifestEntry> entries = store.files().read(meta.fileName());
          ManifestFileMeta again = files.write(entries).get(0);
          assertThat(again)
              .usingRecursiveComparison()
              .ignoringFields("fileName", "fileSize")
              .isEqualTo(meta);
          assertSameAvro(
              disk.readAll(golden.paths().manifest(meta.fileName())),
              memory.readAll(ours.manifest(again.fileName())));
          compared++;
        }
      }
    }
    assertThat(compared).isGreaterThan(3);
  }

  @Test
  void readsOtherCodecsOrdersAndOlderFields() throws IOException {
    Case golden = open("dedup-orc");
    ManifestStore store = store(golden);
    Snapshot latest = new SnapshotStore(disk, golden.paths()).findLatest();
    MemoryFileIO memory = new MemoryFileIO();
    TablePaths ours = new TablePaths("/t");
    ManifestFile files =
        new ManifestFile(
            memory,
            ours,
            new RowType(List.of()),
            "none",
            8 << 20,
            new ManifestNames(new TestIds()),
            new ManifestCache(0));
    for (CodecFactory codec :
        List.of(
            CodecFactory.nullCodec(),
            CodecFactory.deflateCodec(6),
            CodecFactory.zstandardCodec(3))) {
      for (ManifestFileMeta meta : store.lists().read(latest.baseManifestList())) {
        byte[] foreign = foreignCopy(disk.readAll(golden.paths().manifest(meta.fileName())), codec);
        memory.put(ours.manifest("foreign"), foreign);

        List<ManifestEntry> entries = files.read("foreign");

        assertThat(entries)
            .usingRecursiveComparison()
            .ignoringFields("file.fileSource", "file.creationTimeMillis")
            .isEqualTo(store.files().read(meta.fileName()));
        assertThat(entries).allMatch(entry -> entry.file().fileSource() == null);
      }
    }
  }

  @Test
  void refusesWhatIsNoManifest() throws IOException {
    Case golden = open("dedup-orc");
    MemoryFileIO memory = new MemoryFileIO();
    TablePaths ours = new TablePaths("/t");
    ManifestStore store =
        new ManifestStore(memory, ours, golden.schema(), new TestIds(), new ManifestCache());
    Snapshot latest = new SnapshotStore(disk, golden.paths()).findLatest();
    byte[] list = disk.readAll(golden.paths().manifest(latest.baseManifestList()));
    memory.put(ours.manifest("torn"), java.util.Arrays.copyOf(list, list.length - 20));
    memory.put(ours.manifest("empty"), new byte[0]);
    memory.put(ours.manifest("list"), list);

    for (String name : List.of("torn", "empty")) {
      assertThatThrownBy(() -> store.lists().read(name))
          .isInstanceOf(CorruptTableException.class)
          .hasMessageContaining("/t/manifest/" + name);
    }
    assertThatThrownBy(() -> store.files().read("list"))
        .isInstanceOf(CorruptTableException.class)
        .hasMessageContaining("_KIND");
    assertThatThrownBy(() -> store.lists().read("gone"))
        .isInstanceOf(java.io.FileNotFoundException.class)
        .hasMessageContaining("/t/manifest/gone");
  }

  private ManifestStore store(Case golden) {
    return new ManifestStore(
        disk, golden.paths(), golden.schema(), new TestIds(), new ManifestCache());
  }

  /** The same records under other record names, in reverse field order, without newer fields. */
  private static byte[] foreignCopy(byte[] original, CodecFactory codec) throws IOException {
    ByteArrayOutputStream copy = new ByteArrayOutputStream();
    try (DataFileStream<GenericRecord> in = stream(original)) {
      Schema schema = reversed(in.getSchema(), "other");
      try (DataFileWriter<GenericRecord> out =
          new DataFileWriter<>(new GenericDatumWriter<GenericRecord>(schema)).setCodec(codec)) {
        out.create(schema, copy);
        for (GenericRecord record : in) {
          out.append(moved(record, schema));
        }
      }
    }
    return copy.toByteArray();
  }

  private static Schema reversed(Schema schema, String name) {
    List<Schema.Field> fields = new ArrayList<>();
    for (Schema.Field field : schema.getFields()) {
      if (field.name().equals("_FILE_SOURCE") || field.name().equals("_CREATION_TIME")) {
        continue;
      }
      Schema type =
          field.schema().getType() == Schema.Type.RECORD
              ? reversed(field.schema(), name + field.name())
              : field.schema();
      fields.add(0, new Schema.Field(field.name(), type, null, field.defaultVal()));
    }
    fields.add(0, new Schema.Field("_NEWER", Schema.create(Schema.Type.STRING), null, null));
    return Schema.createRecord(name, null, "foreign", false, fields);
  }

  private static GenericRecord moved(GenericRecord record, Schema schema) {
    GenericRecord result = new GenericData.Record(schema);
    for (Schema.Field field : schema.getFields()) {
      Object value = field.name().equals("_NEWER") ? "x" : record.get(field.name());
      result.put(
          field.name(),
          value instanceof GenericRecord nested ? moved(nested, field.schema()) : value);
    }
    return result;
  }

  private static DataFileStream<GenericRecord> stream(byte[] content) throws IOException {
    return new DataFileStream<>(new ByteArrayInputStream(content), new GenericDatumReader<>());
  }

  /** Equal header metadata and equal blocks once they are decompressed. */
  private static void assertSameAvro(byte[] golden, byte[] ours) throws IOException {
    try (DataFileStream<GenericRecord> a = stream(golden);
        DataFileStream<GenericRecord> b = stream(ours)) {
      assertThat(b.getMetaString("avro.schema")).isEqualTo(a.getMetaString("avro.schema"));
      assertThat(b.getMetaString("avro.codec")).isEqualTo(a.getMetaString("avro.codec"));
      while (a.hasNext()) {
        assertThat(b.hasNext()).isTrue();
        ByteBuffer blockA = a.nextBlock();
        ByteBuffer blockB = b.nextBlock();
        assertThat(blockB).isEqualTo(blockA);
      }
      assertThat(b.hasNext()).isFalse();
    }
  }
}
