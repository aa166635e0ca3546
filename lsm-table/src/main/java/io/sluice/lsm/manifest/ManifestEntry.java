package io.sluice.lsm.manifest;

import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.datafile.DataFileMeta;

/**
 * One file added to or deleted from a table.
 *
 * @param partition values of the partition columns; {@link BinaryRow#EMPTY} without partitions
 * @param totalBuckets the table's bucket count at writing
 */
public record ManifestEntry(
    Kind kind, BinaryRow partition, int bucket, int totalBuckets, DataFileMeta file) {

  /** The format's _KIND: 0 ADD, 1 DELETE. */
  public enum Kind {
    ADD,
    DELETE
  }
}
