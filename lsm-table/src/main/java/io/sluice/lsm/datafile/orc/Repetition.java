package io.sluice.lsm.datafile.orc;

import org.apache.hadoop.hive.ql.exec.vector.BytesColumnVector;

/** Guesses from a column's first values whether a dictionary pays. */
final class Repetition {

  /** More distinct values than this share of the values: no dictionary. */
  private static final double DISTINCT_SHARE_MAX = 0.4;

  private Repetition() {}

  static boolean worthDictionary(BytesColumnVector vector, int size) {
    long[] seen = new long[64];
    int values = 0;
    for (int i = 0; i < size; i++) {
      if (!vector.noNulls && vector.isNull[i]) {
        continue;
      }
      values++;
      int hash = 1;
      byte[] bytes = vector.vector[i];
      int end = vector.start[i] + vector.length[i];
      for (int b = vector.start[i]; b < end; b++) {
        hash = 31 * hash + bytes[b];
      }
      hash *= 0x9e3779b9;
      // One bit for a value: collisions only make a column look more repetitive.
      seen[hash >>> 26] |= 1L << (hash >>> 20);
    }
    int distinct = 0;
    for (long word : seen) {
      distinct += Long.bitCount(word);
    }
    return distinct <= values * DISTINCT_SHARE_MAX;
  }
}
