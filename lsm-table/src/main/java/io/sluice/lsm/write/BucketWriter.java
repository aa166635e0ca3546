package io.sluice.lsm.write;

import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.datafile.DataFileMeta;
import java.io.IOException;
import java.util.List;

/**
 * The write path of one bucket: rows go to a sorted memtable, a full memtable becomes a level-0
 * file. What was flushed since the last {@link #drain} is handed over by the next one and belongs
 * to nobody else before. In a table without a primary key rows stay as they come. Made by {@link
 * io.sluice.lsm.table.LsmTable#newBucketWriter}. One thread at a time.
 */
public interface BucketWriter {

  /**
   * Takes one record of the current schema; its kind stands in the row, its bytes are copied.
   * Records of one key may come in any order of sequence numbers; the largest number wins.
   */
  void write(BinaryRow row, long sequenceNumber) throws IOException;

  /** Bytes of the memtable. */
  long memtableBytes();

  /** Records waiting in memory or in files not yet handed over. */
  long pendingRecords();

  /** Writes the memtable to level-0 files, which wait for {@link #drain}. */
  void flush() throws IOException;

  /**
   * Flushes and hands over exactly the files flushed since the last drain, oldest first. They are
   * durable once {@link io.sluice.lsm.commit.SnapshotCommitter#prepare} has taken them.
   */
  List<DataFileMeta> drain() throws IOException;

  /** Flushes, then goes on with rows of a newer schema. Files of both may be in one drain. */
  void changeSchema(io.sluice.lsm.schema.TableSchema newSchema) throws IOException;

  /** The schema of the rows now taken. */
  long schemaId();

  /** Drops all records since the last drain, files included (TRUNCATE). */
  void discard();

  /** Releases memory; what was not drained is deleted. */
  void close();
}
