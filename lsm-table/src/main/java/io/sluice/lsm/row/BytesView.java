package io.sluice.lsm.row;

import java.util.Arrays;

/** A movable window onto bytes that somebody else owns. Fields are public: it is a register. */
public final class BytesView {

  public byte[] array = new byte[0];
  public int offset;
  public int length;

  public void set(byte[] newArray, int newOffset, int newLength) {
    array = newArray;
    offset = newOffset;
    length = newLength;
  }

  /** Unsigned bytewise order, a prefix before its extensions. */
  public int compareTo(BytesView other) {
    return Arrays.compareUnsigned(
        array, offset, offset + length, other.array, other.offset, other.offset + other.length);
  }

  public byte[] toByteArray() {
    return Arrays.copyOfRange(array, offset, offset + length);
  }
}
