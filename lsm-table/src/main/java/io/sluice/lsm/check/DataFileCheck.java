package io.sluice.lsm.check;

import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.binary.BinaryRowProjection;
import io.sluice.lsm.binary.BucketHash;
import io.sluice.lsm.datafile.DataFileMeta;
import io.sluice.lsm.datafile.FileFormat;
import io.sluice.lsm.datafile.KeyValueReader;
import io.sluice.lsm.datafile.StoredFile;
import io.sluice.lsm.error.LsmException;
import io.sluice.lsm.io.FileIO;
import io.sluice.lsm.manifest.ManifestEntry;
import io.sluice.lsm.merge.SerializedKeyComparator;
import io.sluice.lsm.schema.RowType;
import io.sluice.lsm.schema.TableSchema;
import io.sluice.lsm.schema.UnsupportedFeatures;
import java.io.IOException;
import java.util.Arrays;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Reads a data file wholly, and compares it with its entry. */
final class DataFileCheck {

  private final FileIO fileIO;
  private final FileFormat format;

  DataFileCheck(FileIO fileIO, FileFormat format) {
    this.fileIO = fileIO;
    this.format = format;
  }

  /**
   * Tells what is wrong.
   *
   * @param schema that wrote the file
   */
  void check(ManifestEntry entry, String path, TableSchema schema, Consumer<String> faults) {
    DataFileMeta file = entry.file();
    int[] readable = new int[schema.rowType().size()];
    int count = 0;
    for (int i = 0; i < readable.length; i++) {
      if (!UnsupportedFeatures.holdsVariant(schema.rowType().type(i))) {
        readable[count++] = i;
      }
    }
    RowType type = schema.rowType().project(Arrays.copyOf(readable, count));
    try (KeyValueReader rows =
        format.createReader(fileIO, new StoredFile(path, file, schema, type))) {
      compare(entry, schema, type, rows, faults);
    } catch (IOException | LsmException e) {
      faults.accept("can't be read: " + e.getMessage());
    } catch (RuntimeException e) {
      faults.accept("can't be read: " + e);
    }
  }

  private static void compare(
      ManifestEntry entry,
      TableSchema schema,
      RowType type,
      KeyValueReader rows,
      Consumer<String> faults)
      throws IOException {
    DataFileMeta file = entry.file();
    boolean keyed = !schema.primaryKeys().isEmpty();
    SerializedKeyComparator order = new SerializedKeyComparator(schema);
    BinaryRowProjection keys =
        new BinaryRowProjection(type, type.positions(schema.trimmedPrimaryKeys()));
    BinaryRowProjection bucketKeys =
        new BinaryRowProjection(type, type.positions(schema.bucketKeys()));
    boolean hashed =
        entry.totalBuckets() > 0
            && schema
                .options()
                .getOrDefault("bucket-function.type", "default")
                .trim()
                .equals("default");
    long count = 0;
    long deletes = 0;
    long strayed = 0;
    long unsorted = 0;
    long minSequence = Long.MAX_VALUE;
    long maxSequence = Long.MIN_VALUE;
    byte @Nullable [] first = null;
    byte @Nullable [] last = null;
    while (rows.advance()) {
      count++;
      deletes += rows.kind().isRetract() ? 1 : 0;
      minSequence = Math.min(minSequence, rows.sequenceNumber());
      maxSequence = Math.max(maxSequence, rows.sequenceNumber());
      if (keyed) {
        byte[] key = keys.apply(rows.row()).serialize();
        unsorted += last != null && order.compare(last, key) >= 0 ? 1 : 0;
        first = first == null ? key : first;
        last = key;
      }
      if (hashed) {
        BinaryRow bucketKey = bucketKeys.apply(rows.row());
        strayed += BucketHash.bucket(bucketKey, entry.totalBuckets()) == entry.bucket() ? 0 : 1;
      }
    }
    expect("records", count, file.rowCount(), faults);
    Long deleted = file.deleteRowCount();
    if (deleted != null) {
      expect("deletes", deletes, deleted, faults);
    }
    if (unsorted > 0) {
      faults.accept(unsorted + " records don't have a larger key than the one before");
    }
    if (strayed > 0) {
      faults.accept(strayed + " records belong to other buckets than " + entry.bucket());
    }
    if (keyed && count > 0) {
      if (!Arrays.equals(first, file.minKey())) {
        faults.accept("its first key is not the smallest key that the manifest tells");
      }
      if (!Arrays.equals(last, file.maxKey())) {
        faults.accept("its last key is not the largest key that the manifest tells");
      }
      if (minSequence < file.minSequenceNumber() || maxSequence > file.maxSequenceNumber()) {
        faults.accept(
            "it has sequence numbers from "
                + minSequence
                + " to "
                + maxSequence
                + ", the manifest tells "
                + file.minSequenceNumber()
                + " to "
                + file.maxSequenceNumber());
      }
    }
  }

  private static void expect(String what, long found, long told, Consumer<String> faults) {
    if (found != told) {
      faults.accept("it has " + found + " " + what + ", the manifest tells " + told);
    }
  }
}
