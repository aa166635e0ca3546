package io.sluice.lsm.index;

import io.sluice.lsm.datafile.ReadFailures;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.CRC32;
import org.roaringbitmap.RoaringBitmap;

/**
 * The rows of one data file that are deleted, by their position in it. Two forms are on storage
 * (format description section 10), told apart by the magic number:
 *
 * <pre>
 * 32 bit: int size (big-endian) | magic 5e43f2d0 | roaring bitmap | int CRC-32 of magic and bitmap
 *         size counts magic and bitmap; the manifest's length is the same
 * 64 bit: int size (big-endian) | magic d1d33964 | long bitmaps (little-endian)
 *         | per bitmap: int high half of the positions (little-endian), roaring bitmap
 *         | int CRC-32 of all between size and itself
 *         the manifest's length is that of the whole, size + 8
 * </pre>
 *
 * A roaring bitmap is in its portable serialization, little-endian. Immutable.
 */
public final class DeletionVector {

  private static final int MAGIC_32 = 0x5e43f2d0;
  private static final int MAGIC_64 = 0xd1d33964;
  private static final int INT_BYTES = 4;

  private final Map<Integer, RoaringBitmap> bitmaps;

  private DeletionVector(Map<Integer, RoaringBitmap> bitmaps) {
    this.bitmaps = bitmaps;
  }

  /**
   * Parses a vector.
   *
   * @param content all of it, from its size to its checksum
   * @throws IOException telling what is wrong with the bytes
   */
  static DeletionVector parse(byte[] content) throws IOException {
    ByteBuffer in = ByteBuffer.wrap(content).order(ByteOrder.BIG_ENDIAN);
    if (content.length < 3 * INT_BYTES) {
      throw new IOException("it ends within its head");
    }
    int size = in.getInt();
    if (size != content.length - 2 * INT_BYTES) {
      throw new IOException("its size says " + size + " of " + content.length + " bytes");
    }
    CRC32 crc = new CRC32();
    crc.update(content, INT_BYTES, size);
    int checksum = in.getInt(INT_BYTES + size);
    if ((int) crc.getValue() != checksum) {
      throw new IOException(
          String.format("its checksum is %08x, not %08x", (int) crc.getValue(), checksum));
    }
    int magic = in.getInt();
    ByteBuffer body = in.slice(in.position(), size - INT_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    Map<Integer, RoaringBitmap> bitmaps = new TreeMap<>();
    try {
      if (magic == MAGIC_32) {
        bitmaps.put(0, bitmap(body));
      } else if (magic == MAGIC_64) {
        long count = body.getLong();
        for (long i = 0; i < count; i++) {
          int high = body.getInt();
          if (bitmaps.put(high, bitmap(body)) != null) {
            throw new IOException("two bitmaps have the high half " + high);
          }
        }
      } else {
        throw new IOException(String.format("its magic number %08x is unknown", magic));
      }
    } catch (RuntimeException e) {
      String reason = ReadFailures.reason(e);
      throw new IOException("its bitmap is damaged" + (reason == null ? "" : ": " + reason), e);
    }
    if (body.hasRemaining()) {
      throw new IOException(body.remaining() + " bytes follow its bitmaps");
    }
    return new DeletionVector(bitmaps);
  }

  private static RoaringBitmap bitmap(ByteBuffer in) throws IOException {
    RoaringBitmap bitmap = new RoaringBitmap();
    bitmap.deserialize(in.duplicate().order(ByteOrder.LITTLE_ENDIAN));
    int bytes = bitmap.serializedSizeInBytes();
    if (bytes > in.remaining()) {
      throw new IOException("its bitmap ends beyond it");
    }
    in.position(in.position() + bytes);
    return bitmap;
  }

  /** Whether the row at this position of the file is deleted. */
  public boolean isDeleted(long position) {
    RoaringBitmap bitmap = bitmaps.get((int) (position >>> 32));
    return bitmap != null && bitmap.contains((int) position);
  }

  /** How many rows are deleted. */
  public long cardinality() {
    long sum = 0;
    for (RoaringBitmap bitmap : bitmaps.values()) {
      sum += bitmap.getLongCardinality();
    }
    return sum;
  }

  /** The largest position deleted; -1 if there is none. */
  public long last() {
    long last = -1;
    for (Map.Entry<Integer, RoaringBitmap> entry : bitmaps.entrySet()) {
      if (!entry.getValue().isEmpty()) {
        long low = Integer.toUnsignedLong(entry.getValue().last());
        last = Math.max(last, ((long) entry.getKey() << 32) | low);
      }
    }
    return last;
  }
}
