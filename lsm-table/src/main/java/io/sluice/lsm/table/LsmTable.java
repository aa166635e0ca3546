package io.sluice.lsm.table;

import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.commit.SnapshotCommitter;
import io.sluice.lsm.io.FileIO;
import io.sluice.lsm.io.TablePaths;
import io.sluice.lsm.schema.TableSchema;
import io.sluice.lsm.write.BucketWriter;
import io.sluice.lsm.write.MemoryPool;
import java.io.IOException;
import java.time.Clock;
import java.util.function.Supplier;

/**
 * A table on storage: the door of this module. It holds no file open and may be kept for the life
 * of the process; what it tells is read when asked. Thread safe.
 */
public final class LsmTable {

  private LsmTable() {}

  /**
   * Opens a table for writing or reading.
   *
   * @param root folder of the table, e.g. {@code /lake/shop.db/orders}
   * @param freshIds texts that nobody else uses, such as random UUIDs; they become part of file
   *     names
   * @throws io.sluice.lsm.error.UnsupportedTableException if it uses a feature that this engine
   *     lacks
   * @throws java.io.FileNotFoundException if there is no schema file
   */
  public static LsmTable open(FileIO fileIO, String root, Clock clock, Supplier<String> freshIds)
      throws IOException {
    throw new UnsupportedOperationException();
  }

  /** Whether there is a table: a schema file. */
  public static boolean exists(FileIO fileIO, String root) throws IOException {
    throw new UnsupportedOperationException();
  }

  /**
   * Creates {@code schema-0} exclusively and opens the table. Throws CommitConflictException if
   * there is another {@code schema-0} with other content.
   */
  public static LsmTable create(
      FileIO fileIO, String root, TableSchema schema, Clock clock, Supplier<String> freshIds)
      throws IOException {
    throw new UnsupportedOperationException();
  }

  /**
   * A table that is written before it exists: whoever holds it publishes {@code schema-0} later,
   * but before the first commit (a pipeline does it with the epoch that creates the table). Until
   * then only bucket writers and {@link SnapshotCommitter#prepare} may be used; nothing is read or
   * created here.
   *
   * @param schema what will be {@code schema-0}
   */
  public static LsmTable planned(FileIO fileIO, String root, TableSchema schema, Clock clock) {
    throw new UnsupportedOperationException();
  }

  public TablePaths paths() {
    throw new UnsupportedOperationException();
  }

  /** A writer for one bucket, at the given schema (which need not be on storage yet). */
  public BucketWriter newBucketWriter(
      TableSchema schema, BinaryRow partition, int bucket, MemoryPool memory) {
    throw new UnsupportedOperationException();
  }

  public SnapshotCommitter committer() {
    throw new UnsupportedOperationException();
  }
}
