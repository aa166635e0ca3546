package io.sluice.lsm.datafile.avro;

import com.github.luben.zstd.ZstdInputStream;
import io.sluice.lsm.error.UnsupportedTableException;
import io.sluice.lsm.io.FileIO;
import io.sluice.lsm.io.FileIO.RandomReader;
import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.zip.CRC32;
import java.util.zip.Inflater;
import java.util.zip.InflaterInputStream;
import org.apache.avro.AvroRuntimeException;
import org.apache.avro.Schema;
import org.xerial.snappy.Snappy;

/**
 * The blocks of an Avro object container file, one at a time:
 *
 * <pre>
 * | "Obj" 1 | metadata: map of bytes | marker: 16 bytes | blocks ...
 * block:  | records: long | bytes: long | compressed records | marker |
 * </pre>
 *
 * No memory is taken for bytes that the file does not have. One thread.
 */
final class AvroBlocks implements AutoCloseable {

  private static final byte[] MAGIC = {'O', 'b', 'j', 1};
  private static final int MARKER_BYTES = 16;
  private static final int LONG_BYTES_MAX = 10;
  private static final int HEADER_BYTES_FIRST = 8 << 10;

  /** More than any schema has. */
  private static final int HEADER_BYTES_MAX = 16 << 20;

  /** Of larger blocks the marker is looked at before their bytes are given memory. */
  private static final int TRUSTED_BLOCK_BYTES = 1 << 20;

  private final String path;
  private final RandomReader reader;
  private final long length;
  private final Schema schema;
  private final String codec;
  private final byte[] marker;
  private long position;

  /**
   * @param length bytes, as the manifest says
   */
  AvroBlocks(FileIO fileIO, String path, long length) throws IOException {
    this.path = path;
    this.length = length;
    RandomReader opened;
    try {
      opened = fileIO.open(path);
    } catch (IOException e) {
      throw new StorageFault(e);
    }
    this.reader = opened;
    boolean done = false;
    try {
      AvroInput header = new AvroInput();
      Map<String, byte[]> metadata = header(header);
      this.marker =
          Arrays.copyOfRange(header.bytes(), header.position() - MARKER_BYTES, header.position());
      this.position = header.position();
      byte[] text = metadata.get("avro.schema");
      if (text == null) {
        throw new IOException("It has no schema");
      }
      try {
        this.schema = new Schema.Parser().parse(new String(text, StandardCharsets.UTF_8));
      } catch (AvroRuntimeException e) {
        throw new IOException("Its schema is none", e);
      }
      byte[] name = metadata.get("avro.codec");
      this.codec = name == null ? "null" : new String(name, StandardCharsets.UTF_8);
      done = true;
    } finally {
      if (!done) {
        opened.close();
      }
    }
  }

  /** Storage that fails, told apart from bytes that are wrong. */
  static final class StorageFault extends IOException {
    private static final long serialVersionUID = 1L;

    private final IOException storage;

    StorageFault(IOException storage) {
      super(storage);
      this.storage = storage;
    }

    IOException storage() {
      return storage;
    }
  }

  Schema schema() {
    return schema;
  }

  /** Reads more of the beginning until the header is whole. */
  private Map<String, byte[]> header(AvroInput input) throws IOException {
    int count = (int) Math.min(HEADER_BYTES_FIRST, length);
    while (true) {
      byte[] bytes = new byte[count];
      fill(0, bytes);
      input.set(bytes, 0, count);
      try {
        return metadata(input);
      } catch (EOFException e) {
        if (count == Math.min(length, HEADER_BYTES_MAX)) {
          throw e;
        }
        count = (int) Math.min(Math.min(length, HEADER_BYTES_MAX), 8L * count);
      }
    }
  }

  private static Map<String, byte[]> metadata(AvroInput input) throws IOException {
    int magic = input.take(MAGIC.length);
    if (!Arrays.equals(input.bytes(), magic, magic + MAGIC.length, MAGIC, 0, MAGIC.length)) {
      throw new IOException("It does not begin as an Avro file does");
    }
    Map<String, byte[]> metadata = new HashMap<>();
    for (long left = input.readCount(); left > 0; left = input.readCount()) {
      for (long i = 0; i < left; i++) {
        String key = new String(input.readBytes(), StandardCharsets.UTF_8);
        metadata.put(key, input.readBytes());
      }
    }
    input.take(MARKER_BYTES);
    return metadata;
  }

  private void fill(long from, byte[] into) throws IOException {
    try {
      reader.readFully(from, into, 0, into.length);
    } catch (EOFException e) {
      throw e;
    } catch (IOException e) {
      throw new StorageFault(e);
    }
  }

  /** Points at the records of the next block; their number, 0 at the end of the file. */
  long next(AvroInput into) throws IOException {
    if (position == length) {
      return 0;
    }
    byte[] head = new byte[(int) Math.min(2 * LONG_BYTES_MAX, length - position)];
    fill(position, head);
    AvroInput numbers = new AvroInput();
    numbers.set(head, 0, head.length);
    long records = numbers.readLong();
    long size = numbers.readLong();
    long start = position + numbers.position();
    if (records <= 0 || size < 0 || size > length - start - MARKER_BYTES) {
      throw new EOFException(
          "A block of " + records + " records and " + size + " bytes at " + position);
    }
    if (size > TRUSTED_BLOCK_BYTES) {
      byte[] end = new byte[MARKER_BYTES];
      fill(start + size, end);
      checkMarker(end, 0);
    }
    byte[] block = new byte[Math.toIntExact(size + MARKER_BYTES)];
    fill(start, block);
    checkMarker(block, (int) size);
    position = start + block.length;
    byte[] plain = plain(block, (int) size);
    into.set(plain, 0, plain == block ? (int) size : plain.length);
    return records;
  }

  private void checkMarker(byte[] bytes, int from) throws IOException {
    if (!Arrays.equals(bytes, from, from + MARKER_BYTES, marker, 0, MARKER_BYTES)) {
      throw new IOException("The block at " + position + " does not end with the file's marker");
    }
  }

  private byte[] plain(byte[] block, int size) throws IOException {
    return switch (codec) {
      case "null" -> block;
      case "zstandard" -> {
        try (ZstdInputStream in = new ZstdInputStream(new ByteArrayInputStream(block, 0, size))) {
          yield in.readAllBytes();
        }
      }
      case "deflate" -> {
        Inflater inflater = new Inflater(true);
        try (InflaterInputStream in =
            new InflaterInputStream(new ByteArrayInputStream(block, 0, size), inflater)) {
          yield in.readAllBytes();
        } finally {
          inflater.end();
        }
      }
      case "snappy" -> {
        if (size < Integer.BYTES) {
          throw new IOException("A block without a checksum");
        }
        int length = size - Integer.BYTES;
        byte[] result = new byte[Snappy.uncompressedLength(block, 0, length)];
        Snappy.uncompress(block, 0, length, result, 0);
        CRC32 crc = new CRC32();
        crc.update(result);
        if ((int) crc.getValue() != ByteBuffer.wrap(block).getInt(length)) {
          throw new IOException("A block whose checksum is wrong");
        }
        yield result;
      }
      default ->
          throw new UnsupportedTableException(
              "The data file "
                  + path
                  + " has the codec "
                  + codec
                  + ", and this engine reads zstandard, deflate, snappy and null. If the table was"
                  + " written so, compact it fully with the engine that wrote it, with one of these"
                  + " as file.compression; else the file is damaged: restore it from a copy.");
    };
  }

  @Override
  public void close() throws IOException {
    reader.close();
  }
}
