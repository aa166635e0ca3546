package io.sluice.lsm.manifest;

import static io.sluice.lsm.manifest.AvroFiles.longOf;
import static io.sluice.lsm.manifest.AvroFiles.optionalInt;
import static io.sluice.lsm.manifest.AvroFiles.optionalLong;
import static io.sluice.lsm.manifest.AvroFiles.put;
import static io.sluice.lsm.manifest.AvroFiles.required;
import static io.sluice.lsm.manifest.AvroFiles.statsOf;

import io.sluice.lsm.io.FileIO;
import io.sluice.lsm.io.TablePaths;
import java.io.IOException;
import java.util.List;
import org.apache.avro.file.CodecFactory;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.BinaryEncoder;
import org.jspecify.annotations.Nullable;

/**
 * Writes and reads manifest lists: Avro files of {@link ManifestFileMeta} (format description
 * section 4.1, {@code _VERSION} 2). A list of nothing is a file with no record. Thread safe.
 */
public final class ManifestList {

  private static final int VERSION = 2;

  private final FileIO fileIO;
  private final TablePaths paths;
  private final CodecFactory codec;
  private final ManifestNames names;
  private final ManifestCache cache;

  /**
   * @param compression option {@code manifest.compression}
   */
  public ManifestList(
      FileIO fileIO,
      TablePaths paths,
      String compression,
      ManifestNames names,
      ManifestCache cache) {
    this.fileIO = fileIO;
    this.paths = paths;
    this.codec = AvroFiles.codec(compression);
    this.names = names;
    this.cache = cache;
  }

  /**
   * A written list.
   *
   * @param size bytes
   */
  public record Written(String name, long size) {}

  /** A list that is not on storage yet. */
  record Encoded(Written written, AvroFiles.NewFile file, List<ManifestFileMeta> manifests) {}

  /** Writes a list under a new name; it is not durable yet. */
  public Written write(List<ManifestFileMeta> manifests) throws IOException {
    Encoded list = toFile(manifests);
    AvroFiles.store(fileIO, List.of(list.file()));
    stored(list);
    return list.written();
  }

  /** Remembers a list that is on storage now. */
  void stored(Encoded list) {
    cache.putList(list.file().path(), list.manifests());
  }

  /** The same list, for somebody who stores it. */
  Encoded toFile(List<ManifestFileMeta> manifests) throws IOException {
    String name = names.nextList();
    var file =
        new AvroFiles.Builder<>(AvroSchemas.MANIFEST_LIST, codec, name, ManifestList::encode);
    for (ManifestFileMeta manifest : manifests) {
      file.add(manifest);
    }
    byte[] content = file.finish();
    return new Encoded(
        new Written(name, content.length),
        new AvroFiles.NewFile(paths.manifest(name), content),
        List.copyOf(manifests));
  }

  /** The manifests of a list of which nobody tells the size. */
  public List<ManifestFileMeta> read(String name) throws IOException {
    return read(name, null);
  }

  /**
   * The manifests of a list, in order.
   *
   * @param size bytes that the list has by what names it; null if that doesn't tell
   * @throws java.io.FileNotFoundException if there is no such file
   * @throws io.sluice.lsm.error.CorruptTableException if it is not a manifest list of this size
   */
  public List<ManifestFileMeta> read(String name, @Nullable Long size) throws IOException {
    String path = paths.manifest(name);
    List<ManifestFileMeta> manifests = cache.find(path);
    if (manifests == null) {
      manifests = List.copyOf(AvroFiles.read(fileIO, path, size, ManifestList::decode));
      cache.putList(path, manifests);
    }
    return manifests;
  }

  void deleteQuietly(String name) {
    cache.forget(paths.manifest(name));
    fileIO.deleteQuietly(paths.manifest(name));
  }

  private static void encode(ManifestFileMeta manifest, BinaryEncoder out) throws IOException {
    out.writeInt(VERSION);
    out.writeString(manifest.fileName());
    out.writeLong(manifest.fileSize());
    out.writeLong(manifest.addedFiles());
    out.writeLong(manifest.deletedFiles());
    AvroFiles.stats(out, manifest.partitionStats());
    out.writeLong(manifest.schemaId());
    put(out, manifest.minBucket());
    put(out, manifest.maxBucket());
    put(out, manifest.minLevel());
    put(out, manifest.maxLevel());
    put(out, manifest.minRowId());
    put(out, manifest.maxRowId());
  }

  private static ManifestFileMeta decode(GenericRecord record) {
    long version = longOf(record, "_VERSION");
    if (version != VERSION) {
      throw new IllegalArgumentException("manifest list entries of version " + version);
    }
    return new ManifestFileMeta(
        required(record, "_FILE_NAME").toString(),
        longOf(record, "_FILE_SIZE"),
        longOf(record, "_NUM_ADDED_FILES"),
        longOf(record, "_NUM_DELETED_FILES"),
        statsOf(record, "_PARTITION_STATS"),
        longOf(record, "_SCHEMA_ID"),
        optionalInt(record, "_MIN_BUCKET"),
        optionalInt(record, "_MAX_BUCKET"),
        optionalInt(record, "_MIN_LEVEL"),
        optionalInt(record, "_MAX_LEVEL"),
        optionalLong(record, "_MIN_ROW_ID"),
        optionalLong(record, "_MAX_ROW_ID"));
  }
}
