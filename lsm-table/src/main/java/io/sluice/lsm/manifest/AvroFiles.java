package io.sluice.lsm.manifest;

import io.sluice.lsm.binary.ColumnStats;
import io.sluice.lsm.datafile.ReadFailures;
import io.sluice.lsm.error.CorruptTableException;
import io.sluice.lsm.error.UnsupportedTableException;
import io.sluice.lsm.io.FileIO;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.apache.avro.AvroRuntimeException;
import org.apache.avro.Schema;
import org.apache.avro.file.CodecFactory;
import org.apache.avro.file.DataFileStream;
import org.apache.avro.file.DataFileWriter;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.BinaryDecoder;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.DecoderFactory;
import org.apache.avro.io.EncoderFactory;
import org.jspecify.annotations.Nullable;

/** Avro container files: records are encoded by hand and read by field name. */
final class AvroFiles {

  private static final int ZSTD_LEVEL = 1;

  private AvroFiles() {}

  /**
   * The Avro codec for an option value such as {@code zstd} or {@code deflate}; zstd with a
   * checksum, which every reader verifies: the container has none.
   */
  static CodecFactory codec(String compression) {
    String name = compression.toLowerCase(Locale.ROOT);
    try {
      return switch (name) {
        case "zstd", "zstandard" -> CodecFactory.zstandardCodec(ZSTD_LEVEL, true, true);
        case "none", "null", "" -> CodecFactory.nullCodec();
        default -> CodecFactory.fromString(name);
      };
    } catch (AvroRuntimeException e) {
      throw new UnsupportedTableException(
          "manifest.compression=" + compression + " is unknown. Use zstd, deflate, snappy or none.",
          e);
    }
  }

  /** Encodes one record. */
  interface Encoding<T> {
    void encode(T value, BinaryEncoder out) throws IOException;
  }

  /** Gathers one file in memory; manifests are small. */
  static final class Builder<T> {
    private final ByteArrayOutputStream file = new ByteArrayOutputStream(4096);
    private final ByteArrayOutputStream record = new ByteArrayOutputStream(1024);
    private final Encoding<T> encoding;
    private final DataFileWriter<Object> writer;
    private final BinaryEncoder encoder = EncoderFactory.get().directBinaryEncoder(record, null);

    /**
     * @param name of the file; the block marker is made from it, so that equal input gives equal
     *     bytes
     */
    Builder(Schema schema, CodecFactory codec, String name, Encoding<T> encoding)
        throws IOException {
      this.encoding = encoding;
      this.writer = new DataFileWriter<>(new GenericDatumWriter<>(schema));
      writer.setCodec(codec);
      writer.create(schema, file, marker(name));
    }

    void add(T value) throws IOException {
      record.reset();
      encoding.encode(value, encoder);
      encoder.flush();
      writer.appendEncoded(ByteBuffer.wrap(record.toByteArray()));
    }

    /** Bytes of the blocks that are complete. */
    int size() {
      return file.size();
    }

    byte[] finish() throws IOException {
      writer.close();
      return file.toByteArray();
    }

    private static byte[] marker(String name) {
      try {
        return MessageDigest.getInstance("MD5").digest(name.getBytes(StandardCharsets.UTF_8));
      } catch (NoSuchAlgorithmException e) {
        throw new IllegalStateException("Every Java has MD5", e);
      }
    }
  }

  /**
   * A whole file to be made.
   *
   * @param path that nobody else uses
   */
  record NewFile(String path, byte[] content) {}

  /** Writes files, which are not durable yet; nothing stays of a failure. */
  static void store(FileIO fileIO, List<NewFile> files) throws IOException {
    try {
      for (NewFile file : files) {
        try (OutputStream out = fileIO.createUnsynced(file.path())) {
          out.write(file.content());
        }
      }
    } catch (IOException e) {
      files.forEach(file -> fileIO.deleteQuietly(file.path()));
      throw e;
    }
  }

  /** Decodes one record by hand, field by field. */
  interface Decoding<T> {
    /** Null for a record that is not asked for. It is read to its end all the same. */
    @Nullable T decode(BinaryDecoder in) throws IOException;
  }

  /**
   * Reads all records of a file.
   *
   * @param size bytes that it must have; null if nobody has told
   * @throws CorruptTableException naming the file, if it is no such Avro file
   */
  static <T> List<T> read(
      FileIO fileIO, String path, @Nullable Long size, Function<GenericRecord, T> decoding)
      throws IOException {
    return readRecords(
        fileIO,
        path,
        size,
        (in, into) -> {
          GenericRecord reused = null;
          while (in.hasNext()) {
            reused = in.next(reused);
            into.add(decoding.apply(reused));
          }
        });
  }

  /**
   * Reads those records of a file that are asked for.
   *
   * @param size bytes that it must have; null if nobody has told
   * @param own the schema that {@code byHand} decodes; records of another one are decoded by name
   * @throws CorruptTableException naming the file, if it is no such Avro file
   */
  static <T> List<T> read(
      FileIO fileIO,
      String path,
      @Nullable Long size,
      Schema own,
      Decoding<T> byHand,
      Function<GenericRecord, T> byName)
      throws IOException {
    return readRecords(
        fileIO,
        path,
        size,
        (in, into) -> {
          if (own.equals(in.getSchema())) {
            decodeAll(in, byHand, into);
          } else {
            in.forEachRemaining(record -> into.add(byName.apply(record)));
          }
        });
  }

  private static <T> void decodeAll(
      DataFileStream<GenericRecord> in, Decoding<T> decoding, List<T> into) throws IOException {
    BinaryDecoder reused = null;
    while (in.hasNext()) {
      ByteBuffer block = in.nextBlock();
      long left = in.getBlockCount();
      BinaryDecoder decoder =
          DecoderFactory.get()
              .binaryDecoder(
                  block.array(), block.arrayOffset() + block.position(), block.remaining(), reused);
      reused = decoder;
      for (; left > 0; left--) {
        T record = decoding.decode(decoder);
        if (record != null) {
          into.add(record);
        }
      }
      if (!decoder.isEnd()) {
        throw new IOException("a block is longer than its records");
      }
    }
  }

  private interface Records<T> {
    void read(DataFileStream<GenericRecord> in, List<T> into) throws IOException;
  }

  private static <T> List<T> readRecords(
      FileIO fileIO, String path, @Nullable Long size, Records<T> records) throws IOException {
    byte[] content = fileIO.readAll(path);
    if (size != null && size != content.length) {
      throw new CorruptTableException(
          path
              + " has "
              + content.length
              + " bytes; what names it says "
              + size
              + ". Restore the file from a copy, or roll the table back to an older snapshot.");
    }
    List<T> result = new ArrayList<>();
    try (DataFileStream<GenericRecord> in =
        new DataFileStream<>(new ByteArrayInputStream(content), new SharedSchemaReader())) {
      records.read(in, result);
      return result;
    } catch (IOException | RuntimeException e) {
      // Whatever the decoders make of wrong bytes.
      String reason = ReadFailures.reason(e);
      throw new CorruptTableException(
          path
              + " ("
              + content.length
              + " bytes) is not the Avro file that it should be: "
              + (reason == null ? "its bytes can't be decoded" : reason)
              + ". Keep the table as it is and restore this file from a copy.",
          e);
    }
  }

  /**
   * Reads with one schema object for all files of one schema. Avro keeps what it prepares for a
   * schema by the object's identity, for ever: with an object a file, reading would fill the heap.
   */
  private static final class SharedSchemaReader extends GenericDatumReader<GenericRecord> {

    /** Schemas in use are few; a folder full of strange ones must not fill the heap either. */
    private static final int SCHEMAS_MAX = 64;

    private static final Map<Schema, Schema> SHARED = new ConcurrentHashMap<>();

    /** Without the fast reader, which holds on to schemas more strongly than the plain one. */
    private static final GenericData PLAIN = new GenericData();

    static {
      PLAIN.setFastReaderEnabled(false);
    }

    SharedSchemaReader() {
      super(null, null, PLAIN);
    }

    @Override
    public void setSchema(Schema schema) {
      Schema shared = SHARED.get(schema);
      if (shared == null && SHARED.size() < SCHEMAS_MAX) {
        Schema first = SHARED.putIfAbsent(schema, schema);
        shared = first == null ? schema : first;
      }
      super.setSchema(shared == null ? schema : shared);
    }
  }

  // ---- values out of records; a field that lacks is null

  static @Nullable Object optional(GenericRecord record, String field) {
    return record.hasField(field) ? record.get(field) : null;
  }

  static Object required(GenericRecord record, String field) {
    Object value = optional(record, field);
    if (value == null) {
      throw new IllegalArgumentException("a record lacks " + field);
    }
    return value;
  }

  static long longOf(GenericRecord record, String field) {
    return ((Number) required(record, field)).longValue();
  }

  static int intOf(GenericRecord record, String field) {
    return ((Number) required(record, field)).intValue();
  }

  static @Nullable Long optionalLong(GenericRecord record, String field) {
    Object value = optional(record, field);
    return value == null ? null : ((Number) value).longValue();
  }

  static @Nullable Integer optionalInt(GenericRecord record, String field) {
    Object value = optional(record, field);
    return value == null ? null : ((Number) value).intValue();
  }

  static @Nullable String optionalText(GenericRecord record, String field) {
    Object value = optional(record, field);
    return value == null ? null : value.toString();
  }

  static byte[] bytesOf(GenericRecord record, String field) {
    return bytes((ByteBuffer) required(record, field));
  }

  static byte @Nullable [] optionalBytes(GenericRecord record, String field) {
    Object value = optional(record, field);
    return value == null ? null : bytes((ByteBuffer) value);
  }

  static @Nullable List<String> optionalTexts(GenericRecord record, String field) {
    Object value = optional(record, field);
    return value == null ? null : ((List<?>) value).stream().map(Object::toString).toList();
  }

  static ColumnStats statsOf(GenericRecord record, String field) {
    GenericRecord stats = (GenericRecord) required(record, field);
    List<@Nullable Long> nullCounts = new ArrayList<>();
    Object counts = optional(stats, "_NULL_COUNTS");
    if (counts != null) {
      for (Object count : (List<?>) counts) {
        nullCounts.add(count == null ? null : ((Number) count).longValue());
      }
    }
    return new ColumnStats(
        bytesOf(stats, "_MIN_VALUES"), bytesOf(stats, "_MAX_VALUES"), nullCounts);
  }

  private static byte[] bytes(ByteBuffer buffer) {
    byte[] result = new byte[buffer.remaining()];
    buffer.duplicate().get(result);
    return result;
  }

  // ---- values out of records that are decoded by hand

  private static boolean isThere(BinaryDecoder in) throws IOException {
    int index = in.readIndex();
    if (index != 0 && index != 1) {
      throw new IllegalArgumentException("branch " + index + " of a nullable field");
    }
    return index == 1;
  }

  static byte[] bytes(BinaryDecoder in) throws IOException {
    return bytes(in.readBytes(null));
  }

  static @Nullable Long optionalLong(BinaryDecoder in) throws IOException {
    return isThere(in) ? in.readLong() : null;
  }

  static @Nullable Integer optionalInt(BinaryDecoder in) throws IOException {
    return isThere(in) ? in.readInt() : null;
  }

  static @Nullable String optionalText(BinaryDecoder in) throws IOException {
    return isThere(in) ? in.readString() : null;
  }

  static byte @Nullable [] optionalBytes(BinaryDecoder in) throws IOException {
    return isThere(in) ? bytes(in) : null;
  }

  static @Nullable List<String> optionalTexts(BinaryDecoder in) throws IOException {
    return isThere(in) ? texts(in) : null;
  }

  static List<String> texts(BinaryDecoder in) throws IOException {
    List<String> result = new ArrayList<>();
    for (long n = in.readArrayStart(); n > 0; n = in.arrayNext()) {
      for (long i = 0; i < n; i++) {
        result.add(in.readString());
      }
    }
    return result;
  }

  static ColumnStats stats(BinaryDecoder in) throws IOException {
    byte[] min = bytes(in);
    byte[] max = bytes(in);
    List<@Nullable Long> nullCounts = new ArrayList<>();
    if (isThere(in)) {
      for (long n = in.readArrayStart(); n > 0; n = in.arrayNext()) {
        for (long i = 0; i < n; i++) {
          nullCounts.add(optionalLong(in));
        }
      }
    }
    return new ColumnStats(min, max, nullCounts);
  }

  static void skipStats(BinaryDecoder in) throws IOException {
    in.skipBytes();
    in.skipBytes();
    if (isThere(in)) {
      for (long n = in.skipArray(); n > 0; n = in.skipArray()) {
        for (long i = 0; i < n; i++) {
          skipOptionalLong(in);
        }
      }
    }
  }

  /** An INT as well: both are written alike. */
  static void skipOptionalLong(BinaryDecoder in) throws IOException {
    if (isThere(in)) {
      in.readLong();
    }
  }

  /** A text as well: both are written alike. */
  static void skipOptionalBytes(BinaryDecoder in) throws IOException {
    if (isThere(in)) {
      in.skipBytes();
    }
  }

  static void skipOptionalTexts(BinaryDecoder in) throws IOException {
    if (isThere(in)) {
      skipTexts(in);
    }
  }

  static void skipTexts(BinaryDecoder in) throws IOException {
    for (long n = in.skipArray(); n > 0; n = in.skipArray()) {
      for (long i = 0; i < n; i++) {
        in.skipString();
      }
    }
  }

  // ---- values into records

  static void put(BinaryEncoder out, @Nullable Long value) throws IOException {
    if (value == null) {
      out.writeIndex(0);
    } else {
      out.writeIndex(1);
      out.writeLong(value);
    }
  }

  static void put(BinaryEncoder out, @Nullable Integer value) throws IOException {
    if (value == null) {
      out.writeIndex(0);
    } else {
      out.writeIndex(1);
      out.writeInt(value);
    }
  }

  static void put(BinaryEncoder out, @Nullable String value) throws IOException {
    if (value == null) {
      out.writeIndex(0);
    } else {
      out.writeIndex(1);
      out.writeString(value);
    }
  }

  static void put(BinaryEncoder out, byte @Nullable [] value) throws IOException {
    if (value == null) {
      out.writeIndex(0);
    } else {
      out.writeIndex(1);
      out.writeBytes(value);
    }
  }

  static void putTexts(BinaryEncoder out, @Nullable List<String> values) throws IOException {
    if (values == null) {
      out.writeIndex(0);
    } else {
      out.writeIndex(1);
      texts(out, values);
    }
  }

  static void texts(BinaryEncoder out, List<String> values) throws IOException {
    out.writeArrayStart();
    out.setItemCount(values.size());
    for (String value : values) {
      out.startItem();
      out.writeString(value);
    }
    out.writeArrayEnd();
  }

  static void stats(BinaryEncoder out, ColumnStats stats) throws IOException {
    out.writeBytes(stats.minValues());
    out.writeBytes(stats.maxValues());
    out.writeIndex(1);
    out.writeArrayStart();
    out.setItemCount(stats.nullCounts().size());
    for (Long count : stats.nullCounts()) {
      out.startItem();
      put(out, count);
    }
    out.writeArrayEnd();
  }
}
