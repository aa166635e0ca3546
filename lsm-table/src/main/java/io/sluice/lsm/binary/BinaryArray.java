package io.sluice.lsm.binary;

import io.sluice.lsm.schema.TypeRoot;

/**
 * An array in one stretch of bytes, bit for bit Paimon's (format description section 5.2):
 *
 * <pre>
 * | n: 4 bytes | null bits: ((n + 31) / 32) * 4 bytes | n elements | variable part, padded to 8 |
 *   element i is bit i; elements have 1, 2, 4 or 8 bytes by their type, and are padded to 8
 * </pre>
 *
 * All little-endian. Offsets count from the array's start.
 */
public final class BinaryArray extends BinarySlots {

  private final int count;
  private final int firstSlot;

  BinaryArray(int count, byte[] array, int offset, int length) {
    super(array, offset, length);
    this.count = count;
    this.firstSlot = offset + headerBytes(count);
  }

  /**
   * The array in these bytes. Element types are not stored: the width of its elements follows from
   * the method that reads them.
   */
  public static BinaryArray at(byte[] array, int offset, int length) {
    int count = (int) BinaryRow.INT.get(array, offset);
    if (count < 0 || headerBytes(count) > length) {
      throw new IllegalArgumentException(
          "An array of " + count + " elements does not fit into " + length + " bytes");
    }
    return new BinaryArray(count, array, offset, length);
  }

  static int headerBytes(int elements) {
    return 4 + ((elements + 31) / 32) * 4;
  }

  static int elementBytes(TypeRoot root) {
    return switch (root) {
      case BOOLEAN, TINYINT -> 1;
      case SMALLINT -> 2;
      case INT, FLOAT, DATE, TIME -> 4;
      default -> 8;
    };
  }

  @Override
  int slot(int element, int bytes) {
    return firstSlot + element * bytes;
  }

  @Override
  public int size() {
    return count;
  }

  @Override
  public boolean isNullAt(int element) {
    return (array[offset + 4 + (element >> 3)] & (1 << (element & 7))) != 0;
  }

  /** Bytes, a multiple of 8. */
  public int length() {
    return length;
  }

  public byte[] toByteArray() {
    return java.util.Arrays.copyOfRange(array, offset, offset + length);
  }
}
