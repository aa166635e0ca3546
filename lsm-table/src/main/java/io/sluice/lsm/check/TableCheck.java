package io.sluice.lsm.check;

import io.sluice.lsm.datafile.DataFileMeta;
import io.sluice.lsm.datafile.FileFormat;
import io.sluice.lsm.error.CorruptTableException;
import io.sluice.lsm.error.LsmException;
import io.sluice.lsm.expire.ConsumerFiles;
import io.sluice.lsm.index.DeletionVectors;
import io.sluice.lsm.io.FileIO;
import io.sluice.lsm.io.TablePaths;
import io.sluice.lsm.level.BucketId;
import io.sluice.lsm.manifest.IndexEntry;
import io.sluice.lsm.manifest.LiveFiles;
import io.sluice.lsm.manifest.ManifestEntry;
import io.sluice.lsm.manifest.ManifestEntry.Kind;
import io.sluice.lsm.manifest.ManifestFileMeta;
import io.sluice.lsm.manifest.ManifestStore;
import io.sluice.lsm.manifest.PartitionPaths;
import io.sluice.lsm.merge.SerializedKeyComparator;
import io.sluice.lsm.schema.TableSchema;
import io.sluice.lsm.snapshot.BranchStore;
import io.sluice.lsm.snapshot.SchemaStore;
import io.sluice.lsm.snapshot.Snapshot;
import io.sluice.lsm.snapshot.SnapshotStore;
import io.sluice.lsm.snapshot.Tag;
import io.sluice.lsm.snapshot.TagStore;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Checks a table (what {@code sluice fsck} does): all its snapshots, tags and branches.
 *
 * <ol>
 *   <li>Snapshot numbers have no hole, and {@code LATEST} is not too high.
 *   <li>Every file that is named is there and as long as it is said to be: schemas, lists,
 *       manifests, data files with their side files, index and statistics files, changelog files.
 *   <li>The entries fit each other; the counts of snapshots and lists are those of the entries.
 *   <li>Of each bucket: no name twice, smallest keys and numbers not above largest, key ranges of a
 *       level above 0 apart from each other, bucket numbers below the bucket count.
 *   <li>With {@link Depth#RECORDS} every data file and deletion vector is read: keys ascend and are
 *       those that the manifest tells, records are in their bucket, counts and numbers are right.
 *       Of a table without a primary key files have neither keys nor numbers.
 * </ol>
 *
 * <p>A snapshot that expires meanwhile is left out. One thread.
 */
public final class TableCheck {

  /** How far to look. */
  public enum Depth {
    /** What the metadata says and whether files are there. */
    REFERENCES,
    /** Every record, too. */
    RECORDS
  }

  private static final int POSTPONED_BUCKET = -2;

  /**
   * What was found.
   *
   * @param findings what is wrong; empty if the table is whole
   * @param snapshots that were looked at, tags and those of branches included
   * @param files different data files that were looked at
   */
  public record Report(List<Finding> findings, int snapshots, int files) {
    public Report {
      findings = List.copyOf(findings);
    }
  }

  private final FileIO fileIO;
  private final TablePaths paths;
  private final SnapshotStore snapshots;
  private final SchemaStore schemas;
  private final ManifestStore manifests;
  private final PartitionPaths folders;
  private final DataFileCheck dataFiles;
  private final Map<String, Map<String, Long>> listings = new HashMap<>();
  private final Set<String> sound = new HashSet<>();
  private final Set<String> files = new HashSet<>();
  private final List<Finding> findings = new ArrayList<>();
  private int looked;

  /**
   * @param manifests reading through no cache, or what is on storage is not looked at
   */
  public TableCheck(
      FileIO fileIO,
      TablePaths paths,
      SnapshotStore snapshots,
      SchemaStore schemas,
      ManifestStore manifests,
      PartitionPaths folders,
      FileFormat format) {
    this.fileIO = fileIO;
    this.paths = paths;
    this.snapshots = snapshots;
    this.schemas = schemas;
    this.manifests = manifests;
    this.folders = folders;
    this.dataFiles = new DataFileCheck(fileIO, format);
  }

  /**
   * Looks once.
   *
   * @throws IOException if storage doesn't answer; a file that lacks is a finding
   */
  public Report run(Depth depth) throws IOException {
    line(paths, snapshots, schemas, "", depth);
    BranchStore branches = new BranchStore(fileIO, paths);
    for (String name : branches.names()) {
      TablePaths of = paths.branch(name);
      line(
          of,
          branches.snapshots(name),
          new SchemaStore(fileIO, of),
          "branch " + name + ", ",
          depth);
    }
    // A file that several snapshots name is told of once.
    return new Report(findings.stream().distinct().toList(), looked, files.size());
  }

  /** The table itself, or a branch. */
  private void line(
      TablePaths of, SnapshotStore own, SchemaStore ownSchemas, String prefix, Depth depth)
      throws IOException {
    List<Long> ids = own.listIds();
    for (int i = 1; i < ids.size(); i++) {
      if (ids.get(i) != ids.get(i - 1) + 1) {
        findings.add(
            new Finding(
                prefix + "snapshot " + ids.get(i),
                "there is a hole before it: the one below is " + ids.get(i - 1)));
      }
    }
    latestHint(of, ids, prefix);
    try {
      new ConsumerFiles(fileIO, of).list();
    } catch (CorruptTableException e) {
      findings.add(new Finding(prefix + "consumer", String.valueOf(e.getMessage())));
    }
    for (long id : ids) {
      String where = prefix + "snapshot " + id;
      Snapshot snapshot;
      try {
        snapshot = own.readIfThere(id);
      } catch (LsmException e) {
        findings.add(new Finding(where, String.valueOf(e.getMessage())));
        continue;
      }
      if (snapshot != null) {
        Set<String> soundBefore = new HashSet<>(sound);
        List<Finding> found = new ArrayList<>();
        snapshot(snapshot, where, ownSchemas, depth, found);
        changelog(snapshot, where, found);
        if (found.isEmpty() || snapshot.equals(own.readIfThere(id))) {
          findings.addAll(found);
        } else {
          sound.retainAll(soundBefore);
        }
      }
    }
    tags(of, own, ownSchemas, prefix, depth);
  }

  private void tags(
      TablePaths of, SnapshotStore own, SchemaStore ownSchemas, String prefix, Depth depth)
      throws IOException {
    TagStore tags = new TagStore(fileIO, of, own);
    for (String name : tags.names()) {
      String where = prefix + "tag " + name;
      try {
        Tag tag = tags.readIfThere(name);
        if (tag != null) {
          snapshot(tag.snapshot(), where, ownSchemas, depth, findings);
        }
      } catch (LsmException | IllegalArgumentException e) {
        findings.add(new Finding(where, String.valueOf(e.getMessage())));
      }
    }
  }

  private void latestHint(TablePaths of, List<Long> ids, String prefix) throws IOException {
    String text;
    try {
      text = new String(fileIO.readAll(of.latestHint()), StandardCharsets.UTF_8);
    } catch (FileNotFoundException e) {
      return;
    }
    if (text.matches("\\d{1,18}")) {
      long hint = Long.parseLong(text);
      long newest = ids.isEmpty() ? 0 : ids.get(ids.size() - 1);
      if (hint > newest && !fileIO.exists(of.snapshot(hint))) {
        findings.add(
            new Finding(
                prefix + "snapshot/LATEST",
                "it says " + hint + ", the newest snapshot is " + newest + ": other readers fail"));
      }
    }
  }

  private void snapshot(
      Snapshot snapshot, String where, SchemaStore ownSchemas, Depth depth, List<Finding> found)
      throws IOException {
    looked++;
    try {
      ownSchemas.read(snapshot.schemaId());
    } catch (LsmException e) {
      found.add(new Finding(where, String.valueOf(e.getMessage())));
    }
    if (snapshot.statistics() != null) {
      present(paths.statisticsFolder(), snapshot.statistics(), null, where, found);
    }
    LiveFiles live = new LiveFiles();
    boolean whole =
        apply(
            snapshot.baseManifestList(), snapshot.baseManifestListSize(), live, null, where, found);
    long[] delta = new long[1];
    whole &=
        apply(
            snapshot.deltaManifestList(),
            snapshot.deltaManifestListSize(),
            live,
            delta,
            where,
            found);
    if (!whole) {
      return;
    }
    long records = 0;
    Map<BucketId, List<ManifestEntry>> buckets = new LinkedHashMap<>();
    for (ManifestEntry entry : live.entries()) {
      records += entry.file().rowCount();
      buckets
          .computeIfAbsent(new BucketId(entry.partition(), entry.bucket()), id -> new ArrayList<>())
          .add(entry);
    }
    count("totalRecordCount", snapshot.totalRecordCount(), records, where, found);
    count("deltaRecordCount", snapshot.deltaRecordCount(), delta[0], where, found);
    for (List<ManifestEntry> bucket : buckets.values()) {
      bucket(bucket, depth, found);
    }
    index(snapshot, where, buckets, depth, found);
  }

  private static void count(
      String what, long told, long counted, String where, List<Finding> found) {
    if (told != counted) {
      found.add(new Finding(where, what + " says " + told + ", its files have " + counted));
    }
  }

  /** Reads a list's manifests; false if something could not be. */
  private boolean apply(
      String list,
      @Nullable Long size,
      LiveFiles live,
      long @Nullable [] records,
      String where,
      List<Finding> found)
      throws IOException {
    List<ManifestEntry> entries = new ArrayList<>();
    if (!read(list, size, entries, where, found)) {
      return false;
    }
    try {
      live.apply(entries, list);
    } catch (CorruptTableException e) {
      found.add(new Finding(where, String.valueOf(e.getMessage())));
      return false;
    }
    if (records != null) {
      for (ManifestEntry entry : entries) {
        records[0] += entry.kind() == Kind.ADD ? entry.file().rowCount() : -entry.file().rowCount();
      }
    }
    return true;
  }

  private boolean read(
      String list, @Nullable Long size, List<ManifestEntry> into, String where, List<Finding> found)
      throws IOException {
    String folder = paths.manifestFolder();
    if (!present(folder, list, size, where, found)) {
      return false;
    }
    boolean whole = true;
    try {
      for (ManifestFileMeta manifest : manifests.lists().read(list)) {
        if (!present(folder, manifest.fileName(), manifest.fileSize(), where, found)) {
          whole = false;
          continue;
        }
        List<ManifestEntry> entries = manifests.files().read(manifest.fileName());
        into.addAll(entries);
        long added = entries.stream().filter(entry -> entry.kind() == Kind.ADD).count();
        if (added != manifest.addedFiles() || entries.size() - added != manifest.deletedFiles()) {
          found.add(
              new Finding(
                  manifest.fileName(),
                  "it adds "
                      + added
                      + " files and deletes "
                      + (entries.size() - added)
                      + ", "
                      + list
                      + " tells "
                      + manifest.addedFiles()
                      + " and "
                      + manifest.deletedFiles()));
        }
      }
      return whole;
    } catch (CorruptTableException e) {
      found.add(new Finding(where, String.valueOf(e.getMessage())));
      return false;
    } catch (FileNotFoundException e) {
      found.add(new Finding(where, "a manifest went while it was looked at: " + e.getMessage()));
      return false;
    }
  }

  private void bucket(List<ManifestEntry> entries, Depth depth, List<Finding> found)
      throws IOException {
    Map<String, ManifestEntry> names = new HashMap<>();
    Map<Integer, List<ManifestEntry>> levels = new HashMap<>();
    for (ManifestEntry entry : entries) {
      DataFileMeta file = entry.file();
      String path = path(entry);
      files.add(path);
      ManifestEntry other = names.put(file.fileName(), entry);
      if (other != null) {
        found.add(
            new Finding(
                path,
                "it is live at level " + other.file().level() + " and at level " + file.level()));
      }
      if (file.level() > 0) {
        levels.computeIfAbsent(file.level(), level -> new ArrayList<>()).add(entry);
      }
      // Entries don't change: what was sound in one snapshot is so in the next.
      String known = path + "@" + file.level();
      if (!sound.contains(known)) {
        int before = found.size();
        file(entry, path, depth, found);
        if (found.size() == before) {
          sound.add(known);
        }
      }
    }
    for (List<ManifestEntry> level : levels.values()) {
      apart(level, found);
    }
  }

  private void file(ManifestEntry entry, String path, Depth depth, List<Finding> found)
      throws IOException {
    DataFileMeta file = entry.file();
    int before = found.size();
    if (file.externalPath() != null) {
      if (!fileIO.exists(path)) {
        found.add(new Finding(path, "it is missing"));
      }
    } else {
      String folder = folders.bucketFolder(entry.partition(), entry.bucket());
      present(folder, file.fileName(), file.fileSize(), path, found);
      for (String extra : file.extraFiles()) {
        present(folder, extra, null, path, found);
      }
    }
    if (entry.totalBuckets() > 0 && entry.bucket() >= entry.totalBuckets()) {
      found.add(new Finding(path, "bucket " + entry.bucket() + " of " + entry.totalBuckets()));
    }
    Long deletes = file.deleteRowCount();
    if (file.rowCount() <= 0 || (deletes != null && (deletes < 0 || deletes > file.rowCount()))) {
      found.add(new Finding(path, file.rowCount() + " records with " + deletes + " deletes"));
    }
    if (file.minSequenceNumber() > file.maxSequenceNumber()) {
      found.add(new Finding(path, "its smallest sequence number is above its largest"));
    }
    TableSchema schema;
    try {
      schema = schemas.read(file.schemaId());
    } catch (LsmException e) {
      found.add(new Finding(path, String.valueOf(e.getMessage())));
      return;
    }
    if (entry.bucket() == POSTPONED_BUCKET) {
      return;
    }
    if (!schema.primaryKeys().isEmpty()
        && new SerializedKeyComparator(schema).compare(file.minKey(), file.maxKey()) > 0) {
      found.add(new Finding(path, "its smallest key is above its largest"));
    }
    if (depth == Depth.RECORDS && found.size() == before) {
      dataFiles.check(entry, path, schema, fault -> found.add(new Finding(path, fault)));
    }
  }

  private void apart(List<ManifestEntry> level, List<Finding> found) throws IOException {
    TableSchema schema = schemas.findLatest();
    if (schema == null || schema.primaryKeys().isEmpty()) {
      return;
    }
    SerializedKeyComparator order = new SerializedKeyComparator(schema);
    List<ManifestEntry> sorted = new ArrayList<>(level);
    sorted.sort(Comparator.comparing((ManifestEntry entry) -> entry.file().minKey(), order));
    for (int i = 1; i < sorted.size(); i++) {
      if (order.compare(sorted.get(i - 1).file().maxKey(), sorted.get(i).file().minKey()) >= 0) {
        found.add(
            new Finding(
                path(sorted.get(i)),
                "its keys overlap those of "
                    + sorted.get(i - 1).file().fileName()
                    + " at level "
                    + sorted.get(i).file().level()));
      }
    }
  }

  private void index(
      Snapshot snapshot,
      String where,
      Map<BucketId, List<ManifestEntry>> buckets,
      Depth depth,
      List<Finding> found)
      throws IOException {
    String name = snapshot.indexManifest();
    if (name == null || !present(paths.manifestFolder(), name, null, where, found)) {
      return;
    }
    int before = found.size();
    try {
      for (IndexEntry entry : manifests.indexes().read(name)) {
        if (entry.externalPath() == null) {
          present(paths.indexFolder(), entry.fileName(), entry.fileSize(), where, found);
        }
      }
      if (found.size() > before) {
        return;
      }
      DeletionVectors vectors = DeletionVectors.of(fileIO, paths, manifests, name);
      for (Map.Entry<BucketId, List<ManifestEntry>> bucket : buckets.entrySet()) {
        BucketId id = bucket.getKey();
        List<String> marked = new ArrayList<>(vectors.dataFiles(id.partition(), id.bucket()));
        for (ManifestEntry entry : bucket.getValue()) {
          DataFileMeta file = entry.file();
          if (marked.remove(file.fileName()) && depth == Depth.RECORDS) {
            vectors.find(id.partition(), id.bucket(), file.fileName(), file.rowCount());
          }
        }
        for (String file : marked) {
          found.add(new Finding(where, "a deletion vector is for " + file + ", which is not live"));
        }
      }
    } catch (LsmException | FileNotFoundException e) {
      found.add(new Finding(where, String.valueOf(e.getMessage())));
    }
  }

  private void changelog(Snapshot snapshot, String where, List<Finding> found) throws IOException {
    String list = snapshot.changelogManifestList();
    if (list == null) {
      return;
    }
    List<ManifestEntry> entries = new ArrayList<>();
    if (!read(list, snapshot.changelogManifestListSize(), entries, where, found)) {
      return;
    }
    long records = 0;
    for (ManifestEntry entry : entries) {
      DataFileMeta file = entry.file();
      records += file.rowCount();
      if (file.externalPath() == null) {
        present(
            folders.bucketFolder(entry.partition(), entry.bucket()),
            file.fileName(),
            file.fileSize(),
            where,
            found);
      }
    }
    Long told = snapshot.changelogRecordCount();
    if (told != null) {
      count("changelogRecordCount", told, records, where, found);
    }
  }

  private String path(ManifestEntry entry) {
    String external = entry.file().externalPath();
    return external != null
        ? external
        : folders.file(entry.partition(), entry.bucket(), entry.file().fileName());
  }

  /** Whether a file is there, and as long as it should be. */
  private boolean present(
      String folder, String name, @Nullable Long size, String where, List<Finding> found)
      throws IOException {
    Long length = length(folder, name);
    String path = folder + "/" + name;
    String namedBy = where.equals(path) ? "" : ", named by " + where;
    if (length == null) {
      found.add(new Finding(path, "it is missing" + namedBy));
      return false;
    }
    if (size != null && !length.equals(size)) {
      found.add(new Finding(path, "it has " + length + " bytes, not " + size + namedBy));
      return false;
    }
    return true;
  }

  /** Bytes of a file, by the listing of its folder; null if there is none. */
  private @Nullable Long length(String folder, String name) throws IOException {
    Map<String, Long> listing = listings.get(folder);
    if (listing == null || (!listing.containsKey(name) && fileIO.exists(folder + "/" + name))) {
      listing = new HashMap<>();
      for (FileIO.FileStatus file : fileIO.list(folder)) {
        if (!file.folder()) {
          listing.put(file.name(), file.length());
        }
      }
      listings.put(folder, listing);
    }
    return listing.get(name);
  }
}
