package io.sluice.lsm.write;

import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.binary.BinaryRowProjection;
import io.sluice.lsm.binary.BucketHash;
import io.sluice.lsm.error.UnsupportedTableException;
import io.sluice.lsm.row.Row;
import io.sluice.lsm.schema.RowType;
import io.sluice.lsm.schema.TableOptions;
import io.sluice.lsm.schema.TableSchema;
import io.sluice.lsm.schema.TypeRoot;
import java.util.List;

/**
 * Tells the partition and the bucket of rows of one schema (fixed buckets, or none in a table
 * without a key; format description sections 6 and 15). One thread at a time: it reuses its
 * buffers.
 */
public final class BucketAssigner {

  /** The option {@code bucket-function.type}. */
  private enum Function {
    HASH,
    INT_MODULO,
    BIGINT_MODULO
  }

  private final int totalBuckets;
  private final Function function;
  private final BinaryRowProjection partition;
  private final BinaryRowProjection bucketKey;
  private final BinaryRowProjection key;
  private final boolean partitioned;

  /** The column where the bucket key is one BIGINT that is hashed, else -1. */
  private final int hashedBigint;

  /**
   * @throws UnsupportedTableException if the table has no fixed number of buckets or hashes them in
   *     a way that this engine lacks
   */
  public BucketAssigner(TableSchema schema) {
    RowType rowType = schema.rowType();
    this.totalBuckets = bucketCount(schema);
    this.function = function(schema);
    this.partitioned = !schema.partitionKeys().isEmpty();
    this.partition = new BinaryRowProjection(rowType, rowType.positions(schema.partitionKeys()));
    this.bucketKey = new BinaryRowProjection(rowType, rowType.positions(schema.bucketKeys()));
    this.key = new BinaryRowProjection(rowType, rowType.positions(schema.trimmedPrimaryKeys()));
    int[] hashed = rowType.positions(schema.bucketKeys());
    this.hashedBigint =
        function == Function.HASH
                && hashed.length == 1
                && rowType.type(hashed[0]).root() == TypeRoot.BIGINT
            ? hashed[0]
            : -1;
  }

  private static int bucketCount(TableSchema schema) {
    int count = TableOptions.of(schema).bucket();
    if (count == -1 && schema.primaryKeys().isEmpty()) {
      return count;
    }
    if (count <= 0) {
      throw new UnsupportedTableException(
          "The table has bucket="
              + count
              + " and this engine writes fixed buckets only. Create it with bucket=1 or more.");
    }
    return count;
  }

  private static Function function(TableSchema schema) {
    String text = schema.options().getOrDefault("bucket-function.type", "default").trim();
    List<String> bucketKeys = schema.bucketKeys();
    if (text.equals("default")) {
      return Function.HASH;
    }
    if (text.equals("mod") && bucketKeys.size() == 1) {
      TypeRoot root = schema.rowType().type(schema.rowType().positions(bucketKeys)[0]).root();
      if (root == TypeRoot.INT) {
        return Function.INT_MODULO;
      }
      if (root == TypeRoot.BIGINT) {
        return Function.BIGINT_MODULO;
      }
    }
    throw new UnsupportedTableException(
        "The table has bucket-function.type="
            + text
            + " over "
            + bucketKeys
            + "; this engine writes with 'default', or 'mod' over one INT or BIGINT column.");
  }

  /** The option {@code bucket}; -1: a table without a key whose rows are all in bucket 0. */
  public int totalBuckets() {
    return totalBuckets;
  }

  /**
   * Partition values of a row: a view, good until the next call; {@link BinaryRow#EMPTY} without.
   */
  public BinaryRow partition(Row row) {
    return partitioned ? partition.apply(row) : BinaryRow.EMPTY;
  }

  public int bucket(Row row) {
    if (totalBuckets < 0) {
      return 0;
    }
    if (hashedBigint >= 0 && !row.isNullAt(hashedBigint)) {
      return BucketHash.bucket(row.getLong(hashedBigint), totalBuckets);
    }
    BinaryRow keyRow = bucketKey.apply(row);
    return switch (function) {
      case HASH -> BucketHash.bucket(keyRow, totalBuckets);
      case INT_MODULO -> Math.floorMod(keyRow.getInt(0), totalBuckets);
      case BIGINT_MODULO -> (int) Math.floorMod(keyRow.getLong(0), (long) totalBuckets);
    };
  }

  /** The trimmed primary key of a row: a view, good until the next call. */
  public BinaryRow key(Row row) {
    return key.apply(row);
  }
}
