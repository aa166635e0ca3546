package io.sluice.sinks.shard;

import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.schema.TableSchema;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Rows of one bucket and one schema on their way to its worker, copied:
 *
 * <pre>
 * | sequence number 8 | row length 4 | row bytes | next ...
 * </pre>
 *
 * Starts small and grows, so that many quiet tables cost little. Filled by one thread, then read by
 * another.
 */
public final class RowBatch implements ShardMessage {

  /** A batch of this size is handed on. */
  public static final int BYTES_MAX = 48 << 10;

  private static final int BYTES_MIN = 1 << 10;
  private static final int HEADER_BYTES = 12;
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

  private final Bucket bucket;
  private final TableSchema schema;
  private final @Nullable OpenChunk chunk;
  private byte[] bytes;
  private int end;
  private int count;

  /**
   * @param chunk whose rows these are; null for the stream's
   * @param bytesExpected a guess
   */
  public RowBatch(Bucket bucket, TableSchema schema, @Nullable OpenChunk chunk, int bytesExpected) {
    this.bucket = bucket;
    this.schema = schema;
    this.chunk = chunk;
    this.bytes = new byte[Math.max(BYTES_MIN, bytesExpected)];
  }

  public void add(BinaryRow row, long sequenceNumber) {
    int length = row.length();
    int needed = end + HEADER_BYTES + length;
    if (needed > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(needed, Math.min(2 * bytes.length, BYTES_MAX + 4096)));
    }
    LONG.set(bytes, end, sequenceNumber);
    INT.set(bytes, end + 8, length);
    System.arraycopy(row.array(), row.offset(), bytes, end + HEADER_BYTES, length);
    end = needed;
    count++;
  }

  /** Whether it should be handed on now. */
  public boolean full() {
    return end >= BYTES_MAX;
  }

  public Bucket bucket() {
    return bucket;
  }

  public TableSchema schema() {
    return schema;
  }

  @Nullable OpenChunk chunk() {
    return chunk;
  }

  public int count() {
    return count;
  }

  @Override
  public int bytes() {
    return bytes.length;
  }

  /** A walk over the rows; the row is one view that moves. */
  Cursor cursor() {
    return new Cursor();
  }

  final class Cursor {
    final BinaryRow row = new BinaryRow(schema.rowType().size());
    long sequenceNumber;
    private int next;

    boolean advance() {
      if (next >= end) {
        return false;
      }
      sequenceNumber = (long) LONG.get(bytes, next);
      int length = (int) INT.get(bytes, next + 8);
      row.pointTo(bytes, next + HEADER_BYTES, length);
      next += HEADER_BYTES + length;
      return true;
    }
  }
}
