package io.sluice.lsm.binary;

/**
 * Paimon's Murmur3, bit for bit: over the words of a row (format description section 6.2), and over
 * the bytes of a text.
 */
public final class BucketHash {

  private static final int SEED = 42;

  private BucketHash() {}

  /** Words first, then each byte that is left as a word of its own. */
  public static int hash(byte[] bytes, int offset, int length) {
    int h = SEED;
    int words = offset + (length & ~3);
    for (int i = offset; i < words; i += 4) {
      h = mix(h, (int) BinaryRow.INT.get(bytes, i));
    }
    for (int i = words; i < offset + length; i++) {
      h = mix(h, bytes[i]);
    }
    return finish(h, length);
  }

  /** Of a row of one BIGINT that is not NULL, without the row: its null bits, then its slot. */
  private static int hash(long value) {
    int h = mix(mix(SEED, 0), 0);
    h = mix(mix(h, (int) value), (int) (value >>> 32));
    return finish(h, 16);
  }

  private static int finish(int hash, int length) {
    int h = hash ^ length;
    h ^= h >>> 16;
    h *= 0x85ebca6b;
    h ^= h >>> 13;
    h *= 0xc2b2ae35;
    h ^= h >>> 16;
    return h;
  }

  private static int mix(int hash, int word) {
    int k = word * 0xcc9e2d51;
    k = Integer.rotateLeft(k, 15);
    k *= 0x1b873593;
    return Integer.rotateLeft(hash ^ k, 13) * 5 + 0xe6546b64;
  }

  /** The bucket of a row whose bucket key is one BIGINT, not NULL. */
  public static int bucket(long bucketKey, int buckets) {
    return Math.abs(hash(bucketKey) % buckets);
  }

  /** The bucket of a bucket-key row: {@code abs(hash % buckets)}. */
  public static int bucket(BinaryRow bucketKey, int buckets) {
    return Math.abs(hash(bucketKey.array(), bucketKey.offset(), bucketKey.length()) % buckets);
  }
}
