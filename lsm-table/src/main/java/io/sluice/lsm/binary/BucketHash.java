package io.sluice.lsm.binary;

/** Paimon's Murmur3 over the words of a row (format description section 6.2), bit for bit. */
public final class BucketHash {

  private static final int SEED = 42;

  private BucketHash() {}

  /** REQUIRES: length is a multiple of 4. */
  public static int hash(byte[] bytes, int offset, int length) {
    int h = SEED;
    for (int i = offset; i < offset + length; i += 4) {
      int k = (int) BinaryRow.INT.get(bytes, i);
      k *= 0xcc9e2d51;
      k = Integer.rotateLeft(k, 15);
      k *= 0x1b873593;
      h ^= k;
      h = Integer.rotateLeft(h, 13);
      h = h * 5 + 0xe6546b64;
    }
    h ^= length;
    h ^= h >>> 16;
    h *= 0x85ebca6b;
    h ^= h >>> 13;
    h *= 0xc2b2ae35;
    h ^= h >>> 16;
    return h;
  }

  /** The bucket of a bucket-key row: {@code abs(hash % buckets)}. */
  public static int bucket(BinaryRow bucketKey, int buckets) {
    return Math.abs(hash(bucketKey.array(), bucketKey.offset(), bucketKey.length()) % buckets);
  }
}
