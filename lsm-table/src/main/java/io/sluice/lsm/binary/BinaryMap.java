package io.sluice.lsm.binary;

import io.sluice.lsm.row.MapValues;
import io.sluice.lsm.row.Values;

/**
 * A map in one stretch of bytes, bit for bit Paimon's (format description section 5.2):
 *
 * <pre>
 * | bytes of the keys: 4 | keys, a {@link BinaryArray} | values, a {@link BinaryArray} |
 * </pre>
 *
 * A MULTISET is a map from its elements to INT counts.
 */
public final class BinaryMap implements MapValues {

  private final BinaryArray keys;
  private final BinaryArray values;

  private BinaryMap(BinaryArray keys, BinaryArray values) {
    this.keys = keys;
    this.values = values;
  }

  /** The map in these bytes. */
  public static BinaryMap at(byte[] array, int offset, int length) {
    int keyBytes = (int) BinaryRow.INT.get(array, offset);
    if (keyBytes < 4 || keyBytes > length - 8) {
      throw new IllegalArgumentException(
          "A map with keys of " + keyBytes + " bytes does not fit into " + length + " bytes");
    }
    BinaryArray keys = BinaryArray.at(array, offset + 4, keyBytes);
    BinaryArray values = BinaryArray.at(array, offset + 4 + keyBytes, length - 4 - keyBytes);
    if (keys.size() != values.size()) {
      throw new IllegalArgumentException(
          "A map of " + keys.size() + " keys and " + values.size() + " values");
    }
    return new BinaryMap(keys, values);
  }

  @Override
  public int size() {
    return keys.size();
  }

  @Override
  public Values keys() {
    return keys;
  }

  @Override
  public Values values() {
    return values;
  }
}
