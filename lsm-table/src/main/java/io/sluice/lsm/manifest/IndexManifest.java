package io.sluice.lsm.manifest;

import static io.sluice.lsm.manifest.AvroFiles.bytesOf;
import static io.sluice.lsm.manifest.AvroFiles.intOf;
import static io.sluice.lsm.manifest.AvroFiles.longOf;
import static io.sluice.lsm.manifest.AvroFiles.optional;
import static io.sluice.lsm.manifest.AvroFiles.optionalLong;
import static io.sluice.lsm.manifest.AvroFiles.optionalText;
import static io.sluice.lsm.manifest.AvroFiles.required;

import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.io.FileIO;
import io.sluice.lsm.io.TablePaths;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.avro.generic.GenericRecord;

/**
 * Reads index manifests: Avro files of {@link IndexEntry} (format description section 4.5, {@code
 * _VERSION} 1). One is the full list of a snapshot's index files, not a change of another. Thread
 * safe.
 */
public final class IndexManifest {

  private static final int VERSION = 1;

  private final FileIO fileIO;
  private final TablePaths paths;

  public IndexManifest(FileIO fileIO, TablePaths paths) {
    this.fileIO = fileIO;
    this.paths = paths;
  }

  /**
   * All entries, in order.
   *
   * @throws java.io.FileNotFoundException if there is no such file
   * @throws io.sluice.lsm.error.CorruptTableException if it is not an index manifest
   */
  public List<IndexEntry> read(String name) throws IOException {
    return AvroFiles.read(fileIO, paths.manifest(name), null, IndexManifest::decode);
  }

  private static IndexEntry decode(GenericRecord record) {
    int version = intOf(record, "_VERSION");
    if (version != VERSION) {
      throw new IllegalArgumentException("index entries of version " + version);
    }
    int kind = intOf(record, "_KIND");
    if (kind != 0) {
      throw new IllegalArgumentException("an index entry of kind " + kind);
    }
    List<IndexEntry.Range> ranges = new ArrayList<>();
    // The format's own spelling.
    Object stored = optional(record, "_DELETIONS_VECTORS_RANGES");
    if (stored != null) {
      for (Object range : (List<?>) stored) {
        if (range == null) {
          throw new IllegalArgumentException("an empty range of deletion vectors");
        }
        GenericRecord fields = (GenericRecord) range;
        ranges.add(
            new IndexEntry.Range(
                required(fields, "f0").toString(),
                intOf(fields, "f1"),
                intOf(fields, "f2"),
                optionalLong(fields, "_CARDINALITY")));
      }
    }
    return new IndexEntry(
        BinaryRow.deserialize(bytesOf(record, "_PARTITION")),
        intOf(record, "_BUCKET"),
        required(record, "_INDEX_TYPE").toString(),
        required(record, "_FILE_NAME").toString(),
        longOf(record, "_FILE_SIZE"),
        longOf(record, "_ROW_COUNT"),
        ranges,
        optionalText(record, "_EXTERNAL_PATH"));
  }
}
