package io.sluice.lsm.datafile.orc;

import com.google.protobuf.UnknownFieldSet;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.apache.orc.OrcProto;
import org.jspecify.annotations.Nullable;

/**
 * CRC32C of the blocks of an ORC file, which has no checksums of its own. Files of ours carry them
 * where readers that don't know them look past them:
 *
 * <pre>
 * | stripes                        | stripe statistics | footer | postscript |
 * | one number for each 16 KiB     |      one number for all of these        |
 * </pre>
 *
 * The numbers of the stripes' blocks, the last of them shorter, are user metadata of the footer;
 * the one of the rest is a field of the postscript that ORC doesn't define, and covers the
 * postscript's other fields.
 */
final class BlockChecksums {

  /** Name of the user metadata: a byte for the version, 1, and 4 bytes for each block. */
  static final String KEY = "sluice.checksums";

  static final int BLOCK_BYTES = 16 << 10;

  /** Field of the postscript, a fixed32. */
  private static final int TAIL_FIELD = 51_732;

  private static final byte VERSION = 1;

  private final long end;
  private final int[] blocks;

  private BlockChecksums(long end, int[] blocks) {
    this.end = end;
    this.blocks = blocks;
  }

  /** Where the bytes end that have a block. */
  long end() {
    return end;
  }

  /** Where a block ends. */
  long blockEnd(long block) {
    return Math.min(end, (block + 1) * BLOCK_BYTES);
  }

  /**
   * Compares whole blocks with their checksums; throws an IOException that tells the first that is
   * another.
   *
   * @param bytes which hold blocks from {@code from} to {@code to}
   * @param position in the file of the first of them
   */
  void check(byte[] bytes, int from, int to, long position) throws IOException {
    CRC32C crc = new CRC32C();
    int block = Math.toIntExact(position / BLOCK_BYTES);
    for (int at = from; at < to; at += BLOCK_BYTES) {
      int length = Math.min(BLOCK_BYTES, to - at);
      crc.reset();
      crc.update(bytes, at, length);
      if ((int) crc.getValue() != blocks[block]) {
        long start = (long) block * BLOCK_BYTES;
        throw new IOException(
            String.format(
                "bytes %d to %d are not those that were written (their CRC32C is %08x, not %08x)",
                start, start + length - 1, (int) crc.getValue(), blocks[block]));
      }
      block++;
    }
  }

  /** Bytes of a file's end as they were read. */
  @FunctionalInterface
  interface TailBytes {
    /** Adds the bytes of {@code [from, to)}. */
    void addTo(CRC32C crc, long from, long to) throws IOException;
  }

  /**
   * Those of a file whose footer was read; null if it has none. Throws an IOException if the bytes
   * of its end are not those that were written.
   */
  static @Nullable BlockChecksums of(OrcProto.FileTail tail, TailBytes bytes) throws IOException {
    OrcProto.PostScript postscript = tail.getPostscript();
    ByteBuffer entry = null;
    for (OrcProto.UserMetadataItem item : tail.getFooter().getMetadataList()) {
      if (item.getName().equals(KEY)) {
        entry = item.getValue().asReadOnlyByteBuffer();
      }
    }
    boolean sealed = postscript.getUnknownFields().hasField(TAIL_FIELD);
    if (entry == null && !sealed) {
      return null;
    }
    if (entry == null || !sealed) {
      throw new IOException("its footer and its postscript don't agree whether it has checksums");
    }
    long footerEnd = tail.getFileLength() - 1 - tail.getPostscriptLength();
    long end =
        footerEnd
            - postscript.getFooterLength()
            - postscript.getMetadataLength()
            - postscript.getStripeStatisticsLength();
    CRC32C crc = new CRC32C();
    bytes.addTo(crc, end, footerEnd);
    crc.update(unsealed(postscript));
    UnknownFieldSet.Field seal = postscript.getUnknownFields().getField(TAIL_FIELD);
    if (seal.getFixed32List().size() != 1 || seal.getFixed32List().get(0) != (int) crc.getValue()) {
      throw new IOException("its footer is not the one that was written: another CRC32C");
    }
    byte version = entry.remaining() == 0 ? 0 : entry.get();
    if (version != VERSION) {
      throw new IOException(
          "its checksums have the version " + version + ", which a newer engine wrote");
    }
    int[] blocks = new int[entry.remaining() / Integer.BYTES];
    if (blocks.length != (end + BLOCK_BYTES - 1) / BLOCK_BYTES) {
      throw new IOException("it has " + blocks.length + " checksums for " + end + " bytes");
    }
    entry.asIntBuffer().get(blocks);
    return new BlockChecksums(end, blocks);
  }

  /** A postscript without the checksum. */
  private static byte[] unsealed(OrcProto.PostScript postscript) {
    return postscript.toBuilder()
        .setUnknownFields(UnknownFieldSet.getDefaultInstance())
        .build()
        .toByteArray();
  }

  /** Adds up what is written, in order. */
  static final class Collector {
    private final CRC32C block = new CRC32C();
    private final CRC32C tail = new CRC32C();
    private int bytesInBlock;
    private int[] blocks = new int[16];
    private int count;
    private int[] body = new int[0];

    void add(byte[] bytes, int offset, int length) {
      tail.update(bytes, offset, length);
      int from = offset;
      int left = length;
      while (left > 0) {
        int some = Math.min(left, BLOCK_BYTES - bytesInBlock);
        block.update(bytes, from, some);
        from += some;
        left -= some;
        bytesInBlock += some;
        if (bytesInBlock == BLOCK_BYTES) {
          endBlock();
        }
      }
    }

    private void endBlock() {
      if (count == blocks.length) {
        blocks = Arrays.copyOf(blocks, 2 * count);
      }
      blocks[count++] = (int) block.getValue();
      block.reset();
      bytesInBlock = 0;
    }

    /** What comes from here on is the file's end, or that of a part that more comes behind. */
    void beginTail() {
      body = Arrays.copyOf(blocks, count + (bytesInBlock > 0 ? 1 : 0));
      if (bytesInBlock > 0) {
        body[count] = (int) block.getValue();
      }
      tail.reset();
    }

    /** The user metadata for the footer. */
    OrcProto.UserMetadataItem entry() {
      ByteBuffer value = ByteBuffer.allocate(1 + body.length * Integer.BYTES).put(VERSION);
      for (int crc : body) {
        value.putInt(crc);
      }
      return OrcProto.UserMetadataItem.newBuilder()
          .setName(KEY)
          .setValue(com.google.protobuf.ByteString.copyFrom(value.flip()))
          .build();
    }

    /** Puts the checksum of the file's end into a postscript that is complete but for it. */
    void seal(OrcProto.PostScript.Builder postscript) {
      byte[] bytes = unsealed(postscript.build());
      tail.update(bytes, 0, bytes.length);
      postscript.setUnknownFields(
          UnknownFieldSet.newBuilder()
              .addField(
                  TAIL_FIELD,
                  UnknownFieldSet.Field.newBuilder().addFixed32((int) tail.getValue()).build())
              .build());
    }
  }
}
