package io.sluice.lsm.binary;

import io.sluice.lsm.row.Row;
import io.sluice.lsm.row.RowKind;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * A row in one stretch of bytes, bit for bit Paimon's (format description section 5.1):
 *
 * <pre>
 * | null bits: ((n + 63 + 8) / 64) * 8 bytes | n slots of 8 bytes | variable part, padded to 8 |
 *   byte 0 is the row kind; field i is bit i + 8
 * </pre>
 *
 * All little-endian. Offsets in slots count from the row's start. A movable view: {@link #pointTo}
 * sets it on other bytes. Not thread safe while moved.
 */
public final class BinaryRow extends BinarySlots implements Row {

  static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
  static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  static final VarHandle SHORT =
      MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN);
  static final VarHandle FLOAT =
      MethodHandles.byteArrayViewVarHandle(float[].class, ByteOrder.LITTLE_ENDIAN);
  static final VarHandle DOUBLE =
      MethodHandles.byteArrayViewVarHandle(double[].class, ByteOrder.LITTLE_ENDIAN);

  /** The row of no fields, as partitions of unpartitioned tables have it. */
  public static final BinaryRow EMPTY = new BinaryRow(0, new byte[8], 0, 8);

  private final int fieldCount;
  private final int nullBytes;

  public BinaryRow(int fieldCount) {
    this(fieldCount, new byte[0], 0, 0);
  }

  public BinaryRow(int fieldCount, byte[] array, int offset, int length) {
    super(array, offset, length);
    this.fieldCount = fieldCount;
    this.nullBytes = nullBytes(fieldCount);
  }

  /** Bytes of the null-bit area of a row of this many fields. */
  public static int nullBytes(int fieldCount) {
    return ((fieldCount + 63 + 8) / 64) * 8;
  }

  public void pointTo(byte[] newArray, int newOffset, int newLength) {
    this.array = newArray;
    this.offset = newOffset;
    this.length = newLength;
  }

  public byte[] array() {
    return array;
  }

  public int offset() {
    return offset;
  }

  /** Bytes, a multiple of 8. */
  public int length() {
    return length;
  }

  /** The row's own bytes, without the arity header of the serialized form. */
  public byte[] toByteArray() {
    return Arrays.copyOfRange(array, offset, offset + length);
  }

  public BinaryRow copy() {
    return new BinaryRow(fieldCount, toByteArray(), 0, length);
  }

  /** The form inside Avro (section 5.4): big-endian arity, then the row. */
  public byte[] serialize() {
    byte[] result = new byte[4 + length];
    result[0] = (byte) (fieldCount >>> 24);
    result[1] = (byte) (fieldCount >>> 16);
    result[2] = (byte) (fieldCount >>> 8);
    result[3] = (byte) fieldCount;
    System.arraycopy(array, offset, result, 4, length);
    return result;
  }

  /** Reads {@link #serialize}'s form; the caller has checked that the arity fits its type. */
  public static BinaryRow deserialize(byte[] bytes) {
    if (bytes.length < 12) {
      throw new IllegalArgumentException(
          "A serialized row has at least 12 bytes, not " + bytes.length);
    }
    int arity =
        (bytes[0] & 0xff) << 24
            | (bytes[1] & 0xff) << 16
            | (bytes[2] & 0xff) << 8
            | bytes[3] & 0xff;
    if (arity < 0 || nullBytes(arity) + 8L * arity > bytes.length - 4) {
      throw new IllegalArgumentException(
          "A row of " + arity + " fields does not fit into " + bytes.length + " bytes");
    }
    return new BinaryRow(arity, bytes, 4, bytes.length - 4);
  }

  @Override
  public int size() {
    return fieldCount;
  }

  @Override
  public RowKind kind() {
    return RowKind.of(array[offset]);
  }

  public void setKind(RowKind kind) {
    array[offset] = kind.toByte();
  }

  @Override
  int slot(int column, int bytes) {
    return offset + nullBytes + (column << 3);
  }

  @Override
  public boolean isNullAt(int column) {
    int bit = column + 8;
    return (array[offset + (bit >> 3)] & (1 << (bit & 7))) != 0;
  }

  /** Byte equality, as Paimon's: rows of one type made by one writer. */
  @Override
  public boolean equals(Object other) {
    return other instanceof BinaryRow that
        && fieldCount == that.fieldCount
        && Arrays.equals(
            array, offset, offset + length, that.array, that.offset, that.offset + that.length);
  }

  @Override
  public int hashCode() {
    return BucketHash.hash(array, offset, length);
  }
}
