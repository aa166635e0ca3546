package io.sluice.lsm.datafile.parquet;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdCompressCtx;
import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdException;
import com.github.luben.zstd.ZstdInputStream;
import io.sluice.lsm.error.UnsupportedTableException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Locale;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.apache.parquet.bytes.BytesInput;
import org.apache.parquet.compression.CompressionCodecFactory;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.xerial.snappy.Snappy;

/**
 * Parquet's codecs without Hadoop's pools: zstd, snappy, gzip and none. What a page header says of
 * its size is not believed: no memory is taken for bytes that the page does not have. One thread.
 */
final class ParquetCodecs implements CompressionCodecFactory {

  /**
   * Up to this size a page that does not tell its own is given the memory that its header wants.
   */
  private static final int TRUSTED_BYTES = 16 << 20;

  private final int zstdLevel;
  private final ZstdCompressCtx zstdCompress = new ZstdCompressCtx();
  private final ZstdDecompressCtx zstdDecompress = new ZstdDecompressCtx();

  ParquetCodecs(int zstdLevel) {
    this.zstdLevel = zstdLevel;
    zstdCompress.setLevel(zstdLevel);
  }

  /** The codec of an option value; UnsupportedTableException if it can't be written. */
  static CompressionCodecName named(String compression) {
    return switch (compression.toLowerCase(Locale.ROOT)) {
      case "zstd" -> CompressionCodecName.ZSTD;
      case "snappy" -> CompressionCodecName.SNAPPY;
      case "gzip" -> CompressionCodecName.GZIP;
      case "none", "uncompressed" -> CompressionCodecName.UNCOMPRESSED;
      default -> throw refused(compression);
    };
  }

  private static UnsupportedTableException refused(String name) {
    return new UnsupportedTableException(
        "The compression "
            + name
            + " of Parquet files is not supported; there are zstd, snappy, gzip and none");
  }

  private interface Compress {
    BytesInput apply(byte[] bytes) throws IOException;
  }

  @Override
  public BytesInputCompressor getCompressor(CompressionCodecName codec) {
    return switch (codec) {
      case UNCOMPRESSED -> compressor(codec, BytesInput::from);
      case ZSTD -> compressor(codec, this::zstd);
      case SNAPPY -> compressor(codec, bytes -> BytesInput.from(Snappy.compress(bytes)));
      case GZIP ->
          compressor(
              codec,
              bytes -> {
                ByteArrayOutputStream out = new ByteArrayOutputStream(bytes.length / 2 + 64);
                try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
                  gzip.write(bytes);
                }
                return BytesInput.from(out.toByteArray());
              });
      default -> throw refused(codec.name());
    };
  }

  private BytesInput zstd(byte[] bytes) throws IOException {
    byte[] compressed = new byte[Math.toIntExact(Zstd.compressBound(bytes.length))];
    try {
      int length =
          zstdCompress.compressByteArray(compressed, 0, compressed.length, bytes, 0, bytes.length);
      return BytesInput.from(compressed, 0, length);
    } catch (ZstdException e) {
      throw new IOException("zstd of level " + zstdLevel + " failed", e);
    }
  }

  private static BytesInputCompressor compressor(CompressionCodecName codec, Compress compress) {
    return new BytesInputCompressor() {
      @Override
      public BytesInput compress(BytesInput bytes) throws IOException {
        return compress.apply(bytes.toByteArray());
      }

      @Override
      public CompressionCodecName getCodecName() {
        return codec;
      }

      @Override
      public void release() {}
    };
  }

  private interface Decompress {
    byte[] apply(byte[] bytes, int size) throws IOException;
  }

  @Override
  public BytesInputDecompressor getDecompressor(CompressionCodecName codec) {
    return switch (codec) {
      case UNCOMPRESSED ->
          decompressor(
              (bytes, size) -> {
                checkSize(bytes.length, size);
                return bytes;
              });
      case ZSTD -> decompressor(this::unzstd);
      case SNAPPY ->
          decompressor(
              (bytes, size) -> {
                checkSize(Snappy.uncompressedLength(bytes), size);
                return Snappy.uncompress(bytes);
              });
      case GZIP ->
          decompressor(
              (bytes, size) -> readAll(new GZIPInputStream(new ByteArrayInputStream(bytes)), size));
      default -> throw refused(codec.name());
    };
  }

  private byte[] unzstd(byte[] bytes, int size) throws IOException {
    try {
      long own = Zstd.getFrameContentSize(bytes, 0, bytes.length);
      if (own >= 0) {
        checkSize(own, size);
      } else if (size > TRUSTED_BYTES) {
        return readAll(new ZstdInputStream(new ByteArrayInputStream(bytes)), size);
      }
      byte[] result = new byte[size];
      checkSize(zstdDecompress.decompressByteArray(result, 0, size, bytes, 0, bytes.length), size);
      return result;
    } catch (ZstdException e) {
      throw new IOException("A page is no zstd", e);
    }
  }

  private static byte[] readAll(InputStream in, int size) throws IOException {
    try (in) {
      byte[] result = new byte[Math.min(size, TRUSTED_BYTES)];
      int filled = 0;
      while (filled < size) {
        if (filled == result.length) {
          result = Arrays.copyOf(result, (int) Math.min(size, 2L * result.length));
        }
        int count = in.read(result, filled, result.length - filled);
        if (count < 0) {
          break;
        }
        filled += count;
      }
      checkSize(filled, size);
      if (in.read() >= 0) {
        throw new IOException("A page has more than the " + size + " bytes of its header");
      }
      return result;
    }
  }

  private static void checkSize(long found, int expected) throws IOException {
    if (found != expected) {
      throw new IOException("A page has " + found + " bytes, its header says " + expected);
    }
  }

  private static BytesInputDecompressor decompressor(Decompress decompress) {
    return new BytesInputDecompressor() {
      @Override
      public BytesInput decompress(BytesInput bytes, int size) throws IOException {
        return BytesInput.from(all(bytes.toByteArray(), size));
      }

      private byte[] all(byte[] bytes, int size) throws IOException {
        if (size < 0) {
          throw new IOException("A page header says " + size + " bytes");
        }
        return decompress.apply(bytes, size);
      }

      @Override
      public void decompress(ByteBuffer input, int length, ByteBuffer output, int size)
          throws IOException {
        byte[] bytes = new byte[length];
        input.get(bytes);
        output.put(all(bytes, size));
      }

      @Override
      public void release() {}
    };
  }

  @Override
  public void release() {
    zstdCompress.close();
    zstdDecompress.close();
  }
}
