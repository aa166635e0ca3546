package io.sluice.lsm.table;

import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.check.TableCheck;
import io.sluice.lsm.commit.SnapshotCommitter;
import io.sluice.lsm.commit.TableCommitter;
import io.sluice.lsm.compaction.CompactionListener;
import io.sluice.lsm.compaction.Compactor;
import io.sluice.lsm.compaction.Picker;
import io.sluice.lsm.compaction.TableCompactor;
import io.sluice.lsm.datafile.DataFileMeta;
import io.sluice.lsm.datafile.FileFormat;
import io.sluice.lsm.datafile.formats.DataFileFormats;
import io.sluice.lsm.error.CorruptTableException;
import io.sluice.lsm.error.UnsupportedTableException;
import io.sluice.lsm.expire.ConsumerFiles;
import io.sluice.lsm.expire.OrphanFiles;
import io.sluice.lsm.expire.PartitionExpiry;
import io.sluice.lsm.expire.Rollback;
import io.sluice.lsm.expire.SnapshotExpiry;
import io.sluice.lsm.expire.TagRemoval;
import io.sluice.lsm.io.Backoff;
import io.sluice.lsm.io.FileIO;
import io.sluice.lsm.io.TablePaths;
import io.sluice.lsm.level.BucketId;
import io.sluice.lsm.level.Levels;
import io.sluice.lsm.manifest.ManifestCache;
import io.sluice.lsm.manifest.ManifestEntry;
import io.sluice.lsm.manifest.ManifestStore;
import io.sluice.lsm.manifest.PartitionPaths;
import io.sluice.lsm.merge.SerializedKeyComparator;
import io.sluice.lsm.scan.ChangeScan;
import io.sluice.lsm.scan.TableScan;
import io.sluice.lsm.schema.TableOptions;
import io.sluice.lsm.schema.TableSchema;
import io.sluice.lsm.schema.TableSchemaJson;
import io.sluice.lsm.schema.UnsupportedFeatures;
import io.sluice.lsm.snapshot.BranchStore;
import io.sluice.lsm.snapshot.SchemaStore;
import io.sluice.lsm.snapshot.Snapshot;
import io.sluice.lsm.snapshot.SnapshotStore;
import io.sluice.lsm.snapshot.TagStore;
import io.sluice.lsm.write.AppendBucketWriter;
import io.sluice.lsm.write.BucketWriter;
import io.sluice.lsm.write.MemoryPool;
import io.sluice.lsm.write.MemtableBucketWriter;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A table on storage: the door of this module. It holds no file open and may be kept for the life
 * of the process; what it tells is read when asked. Thread safe.
 */
public final class LsmTable {

  private final FileIO fileIO;
  private final TablePaths paths;
  private final TableSchema schema;
  private final Clock clock;
  private final Supplier<String> freshIds;
  private final FileFormat format;
  private final SnapshotStore snapshots;
  private final SchemaStore schemas;
  private final ManifestStore manifests;
  private final TagStore tags;
  private final PartitionPaths partitionPaths;
  private final SnapshotCommitter committer;

  /**
   * How long a table waits; tests need not.
   *
   * @param lostRace after a commit that lost against another writer
   * @param incomplete between readings of a snapshot file that holds no whole JSON yet
   */
  public record Waits(Backoff lostRace, Backoff incomplete) {

    public static final Waits DEFAULT =
        new Waits(
            Backoff.exponential(Duration.ofMillis(5), Duration.ofSeconds(1)),
            Backoff.exponential(Duration.ofMillis(20), Duration.ofMillis(400)));

    public static final Waits NONE = new Waits(Backoff.NONE, Backoff.NONE);
  }

  private LsmTable(
      FileIO fileIO,
      TablePaths paths,
      TableSchema schema,
      SchemaStore schemas,
      Clock clock,
      Supplier<String> freshIds,
      Waits waits) {
    this.fileIO = fileIO;
    this.paths = paths;
    this.schema = schema;
    this.schemas = schemas;
    this.clock = clock;
    this.freshIds = freshIds;
    this.format = new DataFileFormats(clock);
    this.snapshots = new SnapshotStore(fileIO, paths, waits.incomplete());
    this.tags = new TagStore(fileIO, paths, snapshots);
    this.manifests = new ManifestStore(fileIO, paths, schema, freshIds, new ManifestCache());
    this.partitionPaths = new PartitionPaths(paths, schema);
    this.committer =
        new TableCommitter(paths, schema, snapshots, schemas, manifests, clock, waits.lostRace());
  }

  /**
   * Opens a table for writing or reading.
   *
   * @param root folder of the table, e.g. {@code /lake/shop.db/orders}
   * @param freshIds texts that nobody else uses, such as random UUIDs; they become part of file
   *     names
   * @throws io.sluice.lsm.error.UnsupportedTableException if it uses a feature that this engine
   *     lacks
   * @throws java.io.FileNotFoundException if there is no schema file
   */
  public static LsmTable open(FileIO fileIO, String root, Clock clock, Supplier<String> freshIds)
      throws IOException {
    return open(fileIO, root, clock, freshIds, Waits.DEFAULT);
  }

  /** Opens a table that waits in the given way. */
  public static LsmTable open(
      FileIO fileIO, String root, Clock clock, Supplier<String> freshIds, Waits waits)
      throws IOException {
    return open(fileIO, new TablePaths(root), clock, freshIds, waits);
  }

  private static LsmTable open(
      FileIO fileIO, TablePaths paths, Clock clock, Supplier<String> freshIds, Waits waits)
      throws IOException {
    SchemaStore schemas = new SchemaStore(fileIO, paths);
    TableSchema schema = schemas.findLatest();
    if (schema == null) {
      throw new FileNotFoundException(
          "There is no table at "
              + paths.root()
              + ": "
              + paths.schemaFolder()
              + " holds no schema file");
    }
    UnsupportedFeatures.checkReading(schema, paths.root());
    return new LsmTable(fileIO, paths, schema, schemas, clock, freshIds, waits);
  }

  /**
   * A branch of this table, for reading: it has snapshots, schemas and tags of its own.
   *
   * @throws FileNotFoundException if there is no such branch
   */
  public LsmTable branch(String name) throws IOException {
    if (!branches().names().contains(name)) {
      throw new FileNotFoundException(
          "Table " + paths.root() + " has no branch " + name + "; there are " + branches().names());
    }
    return open(fileIO, paths.branch(name), clock, freshIds, Waits.DEFAULT);
  }

  /** The branches of this table. */
  public BranchStore branches() {
    return new BranchStore(fileIO, paths);
  }

  /** The tags of this table. */
  public TagStore tags() {
    return tags;
  }

  /** The consumer files, which hold snapshots back from expiry. */
  public ConsumerFiles consumers() {
    return new ConsumerFiles(fileIO, paths);
  }

  private void refuseBranch(String verb) {
    if (paths.branch() != null) {
      throw new UnsupportedTableException(
          "Cannot "
              + verb
              + " branch "
              + paths.branch()
              + " of table "
              + paths.root()
              + ": this engine reads branches only. Use the table itself.");
    }
  }

  /** Whether there is a table: a schema file. */
  public static boolean exists(FileIO fileIO, String root) throws IOException {
    return new SchemaStore(fileIO, new TablePaths(root)).findLatestId() >= 0;
  }

  /**
   * Creates {@code schema-0} exclusively and opens the table. Throws CommitConflictException if
   * there is another {@code schema-0} with other content.
   */
  public static LsmTable create(
      FileIO fileIO, String root, TableSchema schema, Clock clock, Supplier<String> freshIds)
      throws IOException {
    UnsupportedFeatures.checkWriting(schema, root);
    TablePaths paths = new TablePaths(root);
    SchemaStore schemas = new SchemaStore(fileIO, paths);
    schemas.createExclusively(
        schema.id(), new String(TableSchemaJson.write(schema), StandardCharsets.UTF_8));
    return new LsmTable(fileIO, paths, schema, schemas, clock, freshIds, Waits.DEFAULT);
  }

  /**
   * A table that is written before it exists: whoever holds it publishes {@code schema-0} later,
   * but before the first commit (a pipeline does it with the epoch that creates the table). Until
   * then only bucket writers and {@link SnapshotCommitter#prepare} may be used; nothing is read or
   * created here.
   *
   * @param schema what will be {@code schema-0}
   */
  public static LsmTable planned(
      FileIO fileIO, String root, TableSchema schema, Clock clock, Supplier<String> freshIds) {
    return planned(fileIO, root, schema, clock, freshIds, Waits.DEFAULT);
  }

  /** A planned table that waits in the given way. */
  public static LsmTable planned(
      FileIO fileIO,
      String root,
      TableSchema schema,
      Clock clock,
      Supplier<String> freshIds,
      Waits waits) {
    UnsupportedFeatures.checkWriting(schema, root);
    TablePaths paths = new TablePaths(root);
    return new LsmTable(
        fileIO, paths, schema, new SchemaStore(fileIO, paths), clock, freshIds, waits);
  }

  public TablePaths paths() {
    return paths;
  }

  /** The snapshot files. */
  public SnapshotStore snapshots() {
    return snapshots;
  }

  /** The schema files; what evolves a table creates the next one there. */
  public SchemaStore schemas() {
    return schemas;
  }

  /** Folders of partitions and buckets. */
  public PartitionPaths partitionPaths() {
    return partitionPaths;
  }

  /** The newest schema on storage now. */
  public TableSchema newestSchema() throws IOException {
    TableSchema newest = schemas.findLatest();
    if (newest == null) {
      throw new CorruptTableException("Table " + paths.root() + " has no schema file any more");
    }
    return newest;
  }

  /** A writer for one bucket, at the given schema (which need not be on storage yet). */
  public BucketWriter newBucketWriter(
      TableSchema writeSchema, BinaryRow partition, int bucket, MemoryPool memory) {
    refuseBranch("write");
    UnsupportedFeatures.checkWriting(writeSchema, paths.root());
    if (writeSchema.primaryKeys().isEmpty()) {
      return new AppendBucketWriter(
          fileIO,
          format,
          partitionPaths.bucketFolder(partition, bucket),
          freshIds.get(),
          writeSchema,
          memory);
    }
    return new MemtableBucketWriter(
        fileIO,
        format,
        partitionPaths.bucketFolder(partition, bucket),
        freshIds.get(),
        writeSchema,
        memory);
  }

  /** The committer of this table: one for the process, commits are serialized there. */
  public SnapshotCommitter committer() {
    refuseBranch("write");
    return committer;
  }

  /**
   * Background compaction of this table. Nothing happens before its first {@link
   * TableCompactor#wake}; close it.
   *
   * @param settings with a commit user of its own, {@code <pipeline>-compaction}
   * @param executor shared by all tables: a {@link io.sluice.lsm.compaction.CompactionPool}
   */
  public TableCompactor newCompactor(
      TableCompactor.Settings settings, Executor executor, CompactionListener listener) {
    refuseBranch("compact");
    UnsupportedFeatures.checkWriting(schema, paths.root());
    TableOptions options = TableOptions.of(schema);
    return new TableCompactor(
        settings,
        new TableCompactor.Parts(
            fileIO,
            snapshots,
            schemas,
            manifests,
            partitionPaths,
            committer,
            new Compactor(fileIO, format, schemas::read, freshIds)),
        options,
        Picker.of(schema),
        new SerializedKeyComparator(schema),
        executor,
        listener);
  }

  /** A scan of the newest snapshot with the newest schema. */
  public TableScan newScan() throws IOException {
    TableSchema newest = newestSchema();
    UnsupportedFeatures.checkReading(newest, paths.root());
    return TableScan.of(scanParts(), snapshots.findLatest(), newest);
  }

  /**
   * A scan of an older snapshot with the schema that it had.
   *
   * @throws FileNotFoundException if there is no such snapshot (any more)
   */
  public TableScan newScan(long snapshotId) throws IOException {
    return newScan(snapshots.read(snapshotId));
  }

  /** A scan of a snapshot with the schema that it had. */
  public TableScan newScan(Snapshot snapshot) throws IOException {
    TableSchema then = schemas.read(snapshot.schemaId());
    UnsupportedFeatures.checkReading(then, paths.root());
    return TableScan.of(scanParts(), snapshot, then);
  }

  /** What a snapshot changed, with the schema that it had. */
  public ChangeScan newChangeScan(Snapshot snapshot) throws IOException {
    TableSchema then = schemas.read(snapshot.schemaId());
    UnsupportedFeatures.checkReading(then, paths.root());
    return ChangeScan.of(scanParts(), snapshot, then);
  }

  private TableScan.Parts scanParts() {
    return new TableScan.Parts(fileIO, format, schemas, manifests, partitionPaths);
  }

  /** The newest snapshot that was there at a time (epoch milliseconds); null if none was. */
  public @Nullable Snapshot snapshotAsOf(long timeMillis) throws IOException {
    List<Long> ids = snapshots.listIds();
    for (int i = ids.size() - 1; i >= 0; i--) {
      Snapshot snapshot = snapshots.readIfThere(ids.get(i));
      if (snapshot != null && snapshot.timeMillis() <= timeMillis) {
        return snapshot;
      }
    }
    return null;
  }

  /** Removes old snapshots and the files that only they need. One thread at a time. */
  public SnapshotExpiry newExpiry() {
    refuseBranch("expire snapshots of");
    return new SnapshotExpiry(fileIO, paths, schema, snapshots, manifests, clock);
  }

  /** Drops partitions whose time is over, by the newest schema's options. */
  public PartitionExpiry newPartitionExpiry() throws IOException {
    refuseBranch("drop partitions of");
    TableSchema newest = newestSchema();
    UnsupportedFeatures.checkWriting(newest, paths.root());
    return new PartitionExpiry(paths, newest, snapshots, partitionPaths, committer, clock);
  }

  /** Finds and deletes files that nothing leads to. One thread at a time. */
  public OrphanFiles newOrphanFiles() {
    refuseBranch("clean");
    return new OrphanFiles(fileIO, paths, schema, snapshots, tags, manifests, partitionPaths);
  }

  /** Takes the table back to an older snapshot or tag. */
  public Rollback newRollback() {
    refuseBranch("roll back");
    return new Rollback(fileIO, paths, snapshots, tags, manifests, partitionPaths);
  }

  /** Deletes tags with the files that only they keep. One thread at a time. */
  public TagRemoval newTagRemoval() {
    refuseBranch("delete tags of");
    return new TagRemoval(fileIO, paths, snapshots, tags, manifests, partitionPaths);
  }

  /** Checks all snapshots, tags and branches. For one run. */
  public TableCheck newCheck() {
    refuseBranch("check");
    return new TableCheck(
        fileIO,
        paths,
        snapshots,
        schemas,
        new ManifestStore(fileIO, paths, schema, freshIds, new ManifestCache()),
        partitionPaths,
        format);
  }

  /** The live files of a snapshot. */
  public List<ManifestEntry> liveFiles(Snapshot snapshot) throws IOException {
    return new ArrayList<>(manifests.liveFiles(snapshot).entries());
  }

  /** How many live files a snapshot has, by its manifest lists alone; 0 for null. */
  public long liveFileCount(@Nullable Snapshot snapshot) throws IOException {
    return snapshot == null ? 0 : manifests.liveFileCount(snapshot);
  }

  /** What a snapshot holds, by the metadata of its files; of nothing for null. */
  public TableStatistics statistics(@Nullable Snapshot snapshot) throws IOException {
    List<ManifestEntry> entries = snapshot == null ? List.of() : liveFiles(snapshot);
    Map<BucketId, List<DataFileMeta>> buckets = new HashMap<>();
    Set<BinaryRow> partitions = new HashSet<>();
    long bytes = 0;
    long records = 0;
    long maxSequenceNumber = -1;
    for (ManifestEntry entry : entries) {
      partitions.add(entry.partition());
      buckets
          .computeIfAbsent(new BucketId(entry.partition(), entry.bucket()), id -> new ArrayList<>())
          .add(entry.file());
      bytes += entry.file().fileSize();
      records += entry.file().rowCount();
      maxSequenceNumber = Math.max(maxSequenceNumber, entry.file().maxSequenceNumber());
    }
    SerializedKeyComparator keyOrder = new SerializedKeyComparator(schema);
    int runs = 0;
    for (List<DataFileMeta> files : buckets.values()) {
      runs = Math.max(runs, Levels.of(keyOrder, 1, files).runs().size());
    }
    return new TableStatistics(
        entries.size(), bytes, records, buckets.size(), partitions.size(), runs, maxSequenceNumber);
  }
}
