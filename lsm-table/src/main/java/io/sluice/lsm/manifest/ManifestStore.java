package io.sluice.lsm.manifest;

import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.error.CorruptTableException;
import io.sluice.lsm.io.FileIO;
import io.sluice.lsm.io.TablePaths;
import io.sluice.lsm.schema.RowType;
import io.sluice.lsm.schema.TableOptions;
import io.sluice.lsm.schema.TableSchema;
import io.sluice.lsm.snapshot.Snapshot;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The manifests of one table: reading a snapshot's files, writing and merging. Thread safe. */
public final class ManifestStore {

  private final FileIO fileIO;
  private final TablePaths paths;
  private final ManifestFile files;
  private final ManifestList lists;
  private final ManifestMerge merge;
  private final IndexManifest indexes;
  private final RowType partitionType;
  private final PartitionPaths folders;

  /**
   * @param schema any schema of the table: partition columns never change
   * @param ids fresh ids for file names
   * @param cache may be shared by all tables of the process
   */
  public ManifestStore(
      FileIO fileIO,
      TablePaths paths,
      TableSchema schema,
      Supplier<String> ids,
      ManifestCache cache) {
    TableOptions.Manifests options = TableOptions.of(schema).manifests();
    ManifestNames names = new ManifestNames(ids);
    this.fileIO = fileIO;
    this.paths = paths;
    this.partitionType = PartitionPaths.partitionType(schema);
    this.folders = new PartitionPaths(paths, schema);
    this.files =
        new ManifestFile(
            fileIO,
            paths,
            partitionType,
            options.compression(),
            options.targetSizeBytes(),
            names,
            cache);
    this.indexes = new IndexManifest(fileIO, paths);
    this.lists = new ManifestList(fileIO, paths, options.compression(), names, cache);
    this.merge =
        new ManifestMerge(
            files,
            partitionType,
            options.targetSizeBytes(),
            options.fullCompactionBytes(),
            options.mergeCountMin());
  }

  public ManifestFile files() {
    return files;
  }

  public ManifestList lists() {
    return lists;
  }

  public IndexManifest indexes() {
    return indexes;
  }

  public ManifestMerge merge() {
    return merge;
  }

  /** The manifests of a snapshot in order: those of its base list, then those of its delta list. */
  public List<ManifestFileMeta> manifests(Snapshot snapshot) throws IOException {
    List<ManifestFileMeta> result = new ArrayList<>(base(snapshot));
    result.addAll(lists.read(snapshot.deltaManifestList(), snapshot.deltaManifestListSize()));
    return result;
  }

  private List<ManifestFileMeta> base(Snapshot snapshot) throws IOException {
    return lists.read(snapshot.baseManifestList(), snapshot.baseManifestListSize());
  }

  /**
   * The live files of a snapshot.
   *
   * @throws FileNotFoundException if a list or manifest is gone: perhaps the snapshot was expired
   *     meanwhile
   * @throws CorruptTableException if the entries contradict each other, or a file is not the one
   *     that is told of
   */
  public LiveFiles liveFiles(Snapshot snapshot) throws IOException {
    return liveFiles(snapshot, PartitionFilter.ALL);
  }

  /** Those of the live files whose partition is asked for; other manifests are not read. */
  public LiveFiles liveFiles(Snapshot snapshot, PartitionFilter filter) throws IOException {
    LiveFiles result = live(manifests(snapshot), filter);
    if (filter == PartitionFilter.ALL) {
      requireRecords(snapshot, "all files", result.records(), snapshot.totalRecordCount());
    }
    return result;
  }

  /** The files that a snapshot began with: those that the one before it ended with. */
  public LiveFiles baseFiles(Snapshot snapshot) throws IOException {
    LiveFiles result = live(base(snapshot), PartitionFilter.ALL);
    requireRecords(
        snapshot,
        "the files before it",
        result.records(),
        snapshot.totalRecordCount() - snapshot.deltaRecordCount());
    return result;
  }

  /** A list of another snapshot may be as long as the right one. */
  private void requireRecords(Snapshot snapshot, String of, long found, long told) {
    // Paimon before 0.3 told none: read as 0.
    boolean untold = snapshot.totalRecordCount() == 0 && snapshot.deltaRecordCount() == 0;
    if (found != told && !untold) {
      throw new CorruptTableException(
          "By its manifests "
              + of
              + " of "
              + paths.snapshot(snapshot.id())
              + " have "
              + found
              + " records, by its own count "
              + told
              + ". One of "
              + snapshot.baseManifestList()
              + ", "
              + snapshot.deltaManifestList()
              + " and what they name is not the file that was written. Restore it from a copy, or"
              + " roll the table back to an older snapshot.");
    }
  }

  private LiveFiles live(List<ManifestFileMeta> manifests, PartitionFilter filter)
      throws IOException {
    LiveFiles result = new LiveFiles();
    for (ManifestFileMeta manifest : manifests) {
      if (filter.mayHold(manifest)) {
        result.apply(files.read(manifest, filter), paths.manifest(manifest.fileName()), filter);
      }
    }
    return result;
  }

  /** How many live files a snapshot has: what its manifests add less what they delete. */
  public long liveFileCount(Snapshot snapshot) throws IOException {
    long count = 0;
    for (ManifestFileMeta manifest : manifests(snapshot)) {
      count += manifest.addedFiles() - manifest.deletedFiles();
    }
    return count;
  }

  /** Asks for these partitions alone. */
  public PartitionFilter only(Collection<BinaryRow> partitions) {
    return PartitionFilter.of(partitions, partitionType);
  }

  /** What a snapshot has added and deleted, in order. */
  public List<ManifestEntry> delta(Snapshot snapshot) throws IOException {
    return delta(snapshot, PartitionFilter.ALL);
  }

  /** At least that whose partition is asked for, in order. */
  public List<ManifestEntry> delta(Snapshot snapshot, PartitionFilter filter) throws IOException {
    List<ManifestEntry> result =
        entries(snapshot.deltaManifestList(), snapshot.deltaManifestListSize(), filter);
    if (filter == PartitionFilter.ALL) {
      long records = 0;
      for (ManifestEntry entry : result) {
        long ofFile = entry.file().rowCount();
        records += entry.kind() == ManifestEntry.Kind.ADD ? ofFile : -ofFile;
      }
      requireRecords(snapshot, "the changes", records, snapshot.deltaRecordCount());
    }
    return result;
  }

  /**
   * The entries of one list's manifests, in order.
   *
   * @param size bytes of the list; null if nobody has told
   */
  public List<ManifestEntry> entries(String list, @Nullable Long size) throws IOException {
    return entries(list, size, PartitionFilter.ALL);
  }

  private List<ManifestEntry> entries(String list, @Nullable Long size, PartitionFilter filter)
      throws IOException {
    List<ManifestEntry> result = new ArrayList<>();
    for (ManifestFileMeta manifest : lists.read(list, size)) {
      if (filter.mayHold(manifest)) {
        result.addAll(files.read(manifest, filter));
      }
    }
    return result;
  }

  /**
   * A list and the manifests in it.
   *
   * @param files paths of all these files, not durable yet
   */
  public record WrittenDelta(ManifestList.Written list, List<String> files) {
    public WrittenDelta {
      files = List.copyOf(files);
    }
  }

  /** Writes entries into manifests and these into a list; nothing stays of a failure. */
  public WrittenDelta writeDelta(List<ManifestEntry> entries) throws IOException {
    List<ManifestFile.Encoded> manifests = files.toFiles(entries);
    ManifestList.Encoded list =
        lists.toFile(manifests.stream().map(ManifestFile.Encoded::description).toList());
    List<AvroFiles.NewFile> newFiles = new ArrayList<>();
    manifests.forEach(manifest -> newFiles.add(manifest.file()));
    newFiles.add(list.file());
    AvroFiles.store(fileIO, newFiles);
    files.stored(manifests);
    lists.stored(list);
    return new WrittenDelta(
        list.written(), newFiles.stream().map(AvroFiles.NewFile::path).toList());
  }

  /**
   * Makes a delta durable, and the data files that it adds, all at once.
   *
   * @throws io.sluice.lsm.io.NotDurableException if one of them isn't; the delta is deleted again
   */
  public void makeDurable(WrittenDelta delta, List<ManifestEntry> entries) throws IOException {
    List<String> files = new ArrayList<>(delta.files());
    for (ManifestEntry entry : entries) {
      if (entry.kind() == ManifestEntry.Kind.ADD) {
        files.add(folders.file(entry.partition(), entry.bucket(), entry.file().fileName()));
      }
    }
    try {
      fileIO.sync(files);
    } catch (IOException e) {
      discardDelta(delta.list().name());
      throw e;
    }
  }

  /** Deletes a list and the manifests in it that were written for it. Nothing refers to them. */
  public void discardDelta(String list) {
    try {
      for (ManifestFileMeta manifest : lists.read(list)) {
        files.deleteQuietly(manifest.fileName());
      }
    } catch (IOException e) {
      // What cannot be read cannot be named: orphan cleaning finds it.
      return;
    }
    lists.deleteQuietly(list);
  }

  /** Deletes a list alone. */
  public void discardList(String list) {
    lists.deleteQuietly(list);
  }
}
