package io.sluice.lsm.manifest;

import static io.sluice.lsm.manifest.AvroFiles.bytesOf;
import static io.sluice.lsm.manifest.AvroFiles.intOf;
import static io.sluice.lsm.manifest.AvroFiles.longOf;
import static io.sluice.lsm.manifest.AvroFiles.optionalBytes;
import static io.sluice.lsm.manifest.AvroFiles.optionalInt;
import static io.sluice.lsm.manifest.AvroFiles.optionalLong;
import static io.sluice.lsm.manifest.AvroFiles.optionalText;
import static io.sluice.lsm.manifest.AvroFiles.optionalTexts;
import static io.sluice.lsm.manifest.AvroFiles.put;
import static io.sluice.lsm.manifest.AvroFiles.putTexts;
import static io.sluice.lsm.manifest.AvroFiles.required;
import static io.sluice.lsm.manifest.AvroFiles.statsOf;

import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.datafile.DataFileMeta;
import io.sluice.lsm.error.CorruptTableException;
import io.sluice.lsm.io.FileIO;
import io.sluice.lsm.io.TablePaths;
import io.sluice.lsm.manifest.ManifestEntry.Kind;
import io.sluice.lsm.schema.RowType;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.avro.file.CodecFactory;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.BinaryDecoder;
import org.apache.avro.io.BinaryEncoder;
import org.jspecify.annotations.Nullable;

/**
 * Writes and reads manifests: Avro files of {@link ManifestEntry} (format description section 4.2,
 * {@code _VERSION} 2). Files of others may have another codec, another order of fields, and lack
 * the nullable ones. Thread safe.
 */
public final class ManifestFile {

  private static final int VERSION = 2;

  private final FileIO fileIO;
  private final TablePaths paths;
  private final RowType partitionType;
  private final CodecFactory codec;
  private final long targetSizeBytes;
  private final ManifestNames names;
  private final ManifestCache cache;

  /**
   * @param compression option {@code manifest.compression}
   * @param targetSizeBytes a new file begins beyond it
   */
  public ManifestFile(
      FileIO fileIO,
      TablePaths paths,
      RowType partitionType,
      String compression,
      long targetSizeBytes,
      ManifestNames names,
      ManifestCache cache) {
    this.fileIO = fileIO;
    this.paths = paths;
    this.partitionType = partitionType;
    this.codec = AvroFiles.codec(compression);
    this.targetSizeBytes = targetSizeBytes;
    this.names = names;
    this.cache = cache;
  }

  /** A manifest that is not on storage yet. */
  record Encoded(
      ManifestFileMeta description, AvroFiles.NewFile file, List<ManifestEntry> entries) {}

  /**
   * Writes entries in their order into as many manifests as the target size asks for; none for no
   * entries. They are not durable yet. After a failure nothing that was written is referred to by
   * anything.
   */
  public List<ManifestFileMeta> write(List<ManifestEntry> entries) throws IOException {
    List<Encoded> manifests = toFiles(entries);
    AvroFiles.store(fileIO, manifests.stream().map(Encoded::file).toList());
    stored(manifests);
    return manifests.stream().map(Encoded::description).toList();
  }

  /** Remembers manifests that are on storage now. */
  void stored(List<Encoded> manifests) {
    manifests.forEach(manifest -> cache.putEntries(manifest.file().path(), manifest.entries()));
  }

  /** The same manifests, for somebody who stores them. */
  List<Encoded> toFiles(List<ManifestEntry> entries) throws IOException {
    List<Encoded> result = new ArrayList<>();
    int from = 0;
    while (from < entries.size()) {
      String name = names.nextManifest();
      var file = new AvroFiles.Builder<>(AvroSchemas.MANIFEST, codec, name, ManifestFile::encode);
      int to = from;
      while (to < entries.size() && (to == from || file.size() < targetSizeBytes)) {
        file.add(entries.get(to++));
      }
      byte[] content = file.finish();
      List<ManifestEntry> written = List.copyOf(entries.subList(from, to));
      result.add(
          new Encoded(
              describe(name, content.length, written),
              new AvroFiles.NewFile(paths.manifest(name), content),
              written));
      from = to;
    }
    return result;
  }

  /**
   * All entries of a manifest, in order, whatever its list says of it.
   *
   * @throws java.io.FileNotFoundException if there is no such file
   * @throws CorruptTableException if it is not a manifest
   */
  public List<ManifestEntry> read(String name) throws IOException {
    return decode(paths.manifest(name), null, PartitionFilter.ALL, new Tally());
  }

  /** All entries of a manifest that its list tells of, in order. */
  public List<ManifestEntry> read(ManifestFileMeta told) throws IOException {
    return read(told, PartitionFilter.ALL);
  }

  /**
   * At least those entries of a manifest whose partition is asked for, in order.
   *
   * @param told what the list says of it
   * @throws java.io.FileNotFoundException if there is no such file
   * @throws CorruptTableException if it is not a manifest, or not the one that is told of
   */
  public List<ManifestEntry> read(ManifestFileMeta told, PartitionFilter filter)
      throws IOException {
    String path = paths.manifest(told.fileName());
    List<ManifestEntry> entries = cache.find(path);
    if (entries == null) {
      Tally tally = new Tally();
      entries = decode(path, told.fileSize(), filter, tally);
      tally.require(path, told);
      if (filter == PartitionFilter.ALL) {
        cache.putEntries(path, entries);
      }
    }
    return entries;
  }

  private List<ManifestEntry> decode(
      String path, @Nullable Long size, PartitionFilter filter, Tally tally) throws IOException {
    return List.copyOf(
        AvroFiles.read(
            fileIO,
            path,
            size,
            AvroSchemas.MANIFEST,
            in -> decode(in, filter, tally),
            record -> {
              ManifestEntry entry = decodeByName(record);
              tally.add(entry.kind(), entry.bucket(), entry.file().level());
              return entry;
            }));
  }

  /**
   * What a list tells of a manifest, counted while it is read, also of entries that are skipped.
   */
  private static final class Tally {
    private long added;
    private long deleted;
    private int minBucket = Integer.MAX_VALUE;
    private int maxBucket = Integer.MIN_VALUE;
    private int minLevel = Integer.MAX_VALUE;
    private int maxLevel = Integer.MIN_VALUE;

    void add(Kind kind, int bucket, int level) {
      if (kind == Kind.ADD) {
        added++;
      } else {
        deleted++;
      }
      minBucket = Math.min(minBucket, bucket);
      maxBucket = Math.max(maxBucket, bucket);
      minLevel = Math.min(minLevel, level);
      maxLevel = Math.max(maxLevel, level);
    }

    /** Bounds may be wider than they need be. */
    void require(String path, ManifestFileMeta told) {
      if (added != told.addedFiles() || deleted != told.deletedFiles()) {
        throw another(
            path,
            "adds " + added + " files and deletes " + deleted,
            told.addedFiles() + " and " + told.deletedFiles());
      }
      if (added + deleted == 0) {
        return;
      }
      if (outside(minBucket, maxBucket, told.minBucket(), told.maxBucket())) {
        throw another(
            path,
            "has buckets from " + minBucket + " to " + maxBucket,
            told.minBucket() + " to " + told.maxBucket());
      }
      if (outside(minLevel, maxLevel, told.minLevel(), told.maxLevel())) {
        throw another(
            path,
            "has levels from " + minLevel + " to " + maxLevel,
            told.minLevel() + " to " + told.maxLevel());
      }
    }

    private static boolean outside(int min, int max, @Nullable Integer from, @Nullable Integer to) {
      return from != null && to != null && (min < from || max > to);
    }

    private static CorruptTableException another(String path, String what, String told) {
      return new CorruptTableException(
          path
              + ' '
              + what
              + "; the list that names it says "
              + told
              + ". Restore the file from a copy, or roll the table back to an older snapshot.");
    }
  }

  void deleteQuietly(String name) {
    cache.forget(paths.manifest(name));
    fileIO.deleteQuietly(paths.manifest(name));
  }

  private ManifestFileMeta describe(String name, long size, List<ManifestEntry> entries) {
    PartitionStats stats = new PartitionStats(partitionType);
    long added = 0;
    long schemaId = 0;
    int minBucket = Integer.MAX_VALUE;
    int maxBucket = Integer.MIN_VALUE;
    int minLevel = Integer.MAX_VALUE;
    int maxLevel = Integer.MIN_VALUE;
    for (ManifestEntry entry : entries) {
      added += entry.kind() == Kind.ADD ? 1 : 0;
      schemaId = Math.max(schemaId, entry.file().schemaId());
      minBucket = Math.min(minBucket, entry.bucket());
      maxBucket = Math.max(maxBucket, entry.bucket());
      minLevel = Math.min(minLevel, entry.file().level());
      maxLevel = Math.max(maxLevel, entry.file().level());
      stats.add(entry.partition());
    }
    return new ManifestFileMeta(
        name,
        size,
        added,
        entries.size() - added,
        stats.finish(),
        schemaId,
        minBucket,
        maxBucket,
        minLevel,
        maxLevel,
        null,
        null);
  }

  private static void encode(ManifestEntry entry, BinaryEncoder out) throws IOException {
    out.writeInt(VERSION);
    out.writeInt(entry.kind().ordinal());
    out.writeBytes(entry.partition().serialize());
    out.writeInt(entry.bucket());
    out.writeInt(entry.totalBuckets());
    DataFileMeta file = entry.file();
    out.writeString(file.fileName());
    out.writeLong(file.fileSize());
    out.writeLong(file.rowCount());
    out.writeBytes(file.minKey());
    out.writeBytes(file.maxKey());
    AvroFiles.stats(out, file.keyStats());
    AvroFiles.stats(out, file.valueStats());
    out.writeLong(file.minSequenceNumber());
    out.writeLong(file.maxSequenceNumber());
    out.writeLong(file.schemaId());
    out.writeInt(file.level());
    AvroFiles.texts(out, file.extraFiles());
    put(out, file.creationTimeMillis());
    put(out, file.deleteRowCount());
    put(out, file.embeddedIndex());
    put(out, file.fileSource());
    putTexts(out, file.valueStatsCols());
    put(out, file.externalPath());
    put(out, file.firstRowId());
    putTexts(out, file.writeCols());
  }

  private static void requireVersion(int version) {
    if (version != VERSION) {
      throw new IllegalArgumentException("manifest entries of version " + version);
    }
  }

  private static Kind kind(int kind) {
    return switch (kind) {
      case 0 -> Kind.ADD;
      case 1 -> Kind.DELETE;
      default -> throw new IllegalArgumentException("the entry kind " + kind);
    };
  }

  private BinaryRow partition(byte[] bytes) {
    BinaryRow partition = BinaryRow.deserialize(bytes);
    if (partition.size() != partitionType.size()) {
      throw new IllegalArgumentException(
          "a partition of "
              + partition.size()
              + " values in a table with "
              + partitionType.size()
              + " partition columns");
    }
    return partition;
  }

  /** Of a record that is laid out as {@link #encode} does. */
  private @Nullable ManifestEntry decode(BinaryDecoder in, PartitionFilter filter, Tally tally)
      throws IOException {
    requireVersion(in.readInt());
    Kind kind = kind(in.readInt());
    BinaryRow partition = partition(AvroFiles.bytes(in));
    int bucket = in.readInt();
    int totalBuckets = in.readInt();
    if (!filter.test(partition)) {
      tally.add(kind, bucket, skipFile(in));
      return null;
    }
    DataFileMeta file = file(in);
    tally.add(kind, bucket, file.level());
    return new ManifestEntry(kind, partition, bucket, totalBuckets, file);
  }

  private static DataFileMeta file(BinaryDecoder in) throws IOException {
    // Arguments are evaluated in their order, which is the order of the fields.
    return new DataFileMeta(
        in.readString(),
        in.readLong(),
        in.readLong(),
        AvroFiles.bytes(in),
        AvroFiles.bytes(in),
        AvroFiles.stats(in),
        AvroFiles.stats(in),
        in.readLong(),
        in.readLong(),
        in.readLong(),
        in.readInt(),
        AvroFiles.texts(in),
        optionalLong(in),
        optionalLong(in),
        optionalBytes(in),
        optionalInt(in),
        optionalTexts(in),
        optionalText(in),
        optionalLong(in),
        optionalTexts(in));
  }

  /** Its level. */
  private static int skipFile(BinaryDecoder in) throws IOException {
    in.skipString();
    in.readLong();
    in.readLong();
    in.skipBytes();
    in.skipBytes();
    AvroFiles.skipStats(in);
    AvroFiles.skipStats(in);
    in.readLong();
    in.readLong();
    in.readLong();
    int level = in.readInt();
    AvroFiles.skipTexts(in);
    AvroFiles.skipOptionalLong(in);
    AvroFiles.skipOptionalLong(in);
    AvroFiles.skipOptionalBytes(in);
    AvroFiles.skipOptionalLong(in);
    AvroFiles.skipOptionalTexts(in);
    AvroFiles.skipOptionalBytes(in);
    AvroFiles.skipOptionalLong(in);
    AvroFiles.skipOptionalTexts(in);
    return level;
  }

  /** Of a record that another writer has laid out otherwise. */
  ManifestEntry decodeByName(GenericRecord record) {
    requireVersion(intOf(record, "_VERSION"));
    Kind kind = kind(intOf(record, "_KIND"));
    BinaryRow partition = partition(bytesOf(record, "_PARTITION"));
    GenericRecord file = (GenericRecord) required(record, "_FILE");
    List<String> extraFiles = optionalTexts(file, "_EXTRA_FILES");
    return new ManifestEntry(
        kind,
        partition,
        intOf(record, "_BUCKET"),
        intOf(record, "_TOTAL_BUCKETS"),
        new DataFileMeta(
            required(file, "_FILE_NAME").toString(),
            longOf(file, "_FILE_SIZE"),
            longOf(file, "_ROW_COUNT"),
            bytesOf(file, "_MIN_KEY"),
            bytesOf(file, "_MAX_KEY"),
            statsOf(file, "_KEY_STATS"),
            statsOf(file, "_VALUE_STATS"),
            longOf(file, "_MIN_SEQUENCE_NUMBER"),
            longOf(file, "_MAX_SEQUENCE_NUMBER"),
            longOf(file, "_SCHEMA_ID"),
            intOf(file, "_LEVEL"),
            extraFiles == null ? List.of() : extraFiles,
            optionalLong(file, "_CREATION_TIME"),
            optionalLong(file, "_DELETE_ROW_COUNT"),
            optionalBytes(file, "_EMBEDDED_FILE_INDEX"),
            optionalInt(file, "_FILE_SOURCE"),
            optionalTexts(file, "_VALUE_STATS_COLS"),
            optionalText(file, "_EXTERNAL_PATH"),
            optionalLong(file, "_FIRST_ROW_ID"),
            optionalTexts(file, "_WRITE_COLS")));
  }
}
