package io.sluice.lsm.commit;

import io.sluice.lsm.commit.CommitRequest.Append;
import io.sluice.lsm.commit.CommitRequest.AttemptGuard;
import io.sluice.lsm.commit.CommitRequest.Compaction;
import io.sluice.lsm.commit.CommitRequest.DeleteAll;
import io.sluice.lsm.datafile.DataFileMeta;
import io.sluice.lsm.expire.SnapshotExpiry;
import io.sluice.lsm.io.Backoff;
import io.sluice.lsm.io.FileIO;
import io.sluice.lsm.io.TablePaths;
import io.sluice.lsm.manifest.ManifestCache;
import io.sluice.lsm.manifest.ManifestEntry;
import io.sluice.lsm.manifest.ManifestStore;
import io.sluice.lsm.manifest.PartitionPaths;
import io.sluice.lsm.schema.TableSchema;
import io.sluice.lsm.schema.TableSchemaJson;
import io.sluice.lsm.snapshot.SchemaStore;
import io.sluice.lsm.snapshot.Snapshot;
import io.sluice.lsm.snapshot.SnapshotStore;
import io.sluice.lsm.testing.FakeClock;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;

/** A table of described files on some storage, with a committer and an expiry of its own. */
public final class TestTable {

  public final FileIO storage;
  public final TablePaths paths;
  public final TableSchema schema;
  public final SnapshotStore snapshots;
  public final SchemaStore schemas;
  public final ManifestStore manifests;
  public final TableCommitter committer;
  public final SnapshotExpiry expiry;
  public final PartitionPaths folders;

  public TestTable(
      FileIO storage, String root, TableSchema schema, FakeClock clock, Supplier<String> ids) {
    this.storage = storage;
    this.paths = new TablePaths(root);
    this.schema = schema;
    this.snapshots = new SnapshotStore(storage, paths, Backoff.NONE);
    this.schemas = new SchemaStore(storage, paths);
    this.manifests = new ManifestStore(storage, paths, schema, ids, new ManifestCache());
    this.committer =
        new TableCommitter(paths, schema, snapshots, schemas, manifests, clock, Backoff.NONE);
    this.expiry = new SnapshotExpiry(storage, paths, schema, snapshots, manifests, clock);
    this.folders = new PartitionPaths(paths, schema);
  }

  public TestTable createSchema() throws IOException {
    schemas.createExclusively(0, new String(TableSchemaJson.write(schema), StandardCharsets.UTF_8));
    return this;
  }

  /**
   * Creates the described files, so that their deletion can be seen: new ones as writers do, which
   * leave it to the commit to make them durable.
   */
  public void store(CommitMessage message) throws IOException {
    for (DataFileMeta file : message.newFiles()) {
      try (OutputStream out = storage.createUnsynced(path(message, file))) {
        out.write(content(file));
      }
    }
    for (DataFileMeta file : message.compactAfter()) {
      if (message.compactBefore().stream().noneMatch(b -> b.fileName().equals(file.fileName()))) {
        store(message, file);
      }
    }
  }

  private void store(CommitMessage message, DataFileMeta file) throws IOException {
    try (OutputStream out = storage.create(path(message, file))) {
      out.write(content(file));
    }
  }

  private String path(CommitMessage message, DataFileMeta file) {
    return folders.file(message.partition(), message.bucket(), file.fileName());
  }

  private static byte[] content(DataFileMeta file) {
    return file.fileName().getBytes(StandardCharsets.UTF_8);
  }

  public Snapshot append(long identifier, CommitMessage... messages) throws IOException {
    for (CommitMessage message : messages) {
      store(message);
    }
    return commit("u", identifier, new Append(committer.prepare(List.of(messages))));
  }

  public Snapshot compact(long identifier, CommitMessage... messages) throws IOException {
    for (CommitMessage message : messages) {
      store(message);
    }
    return commit("u-compaction", identifier, new Compaction(List.of(messages)));
  }

  public Snapshot truncate(long identifier) throws IOException {
    return commit("u", identifier, new DeleteAll(null));
  }

  public Snapshot commit(String user, long identifier, CommitRequest.Change change)
      throws IOException {
    return committer.commit(
        new CommitRequest(user, identifier, change, Map.of("n", "" + identifier)),
        AttemptGuard.ALWAYS);
  }

  /** Names of the files that are live in a snapshot, sorted. */
  public Set<String> live(Snapshot snapshot) throws IOException {
    Set<String> result = new TreeSet<>();
    for (ManifestEntry entry : manifests.liveFiles(snapshot).entries()) {
      result.add(entry.file().fileName() + "@" + entry.file().level());
    }
    return result;
  }

  public Set<String> live() throws IOException {
    Snapshot latest = snapshots.findLatest();
    return latest == null ? Set.of() : live(latest);
  }

  /** Reads every snapshot that is there wholly, data files included. */
  public void requireAllReadable() throws IOException {
    for (long id : snapshots.listIds()) {
      Snapshot snapshot = snapshots.read(id);
      long records = 0;
      for (ManifestEntry entry :
          new ManifestStore(storage, paths, schema, () -> "reader", new ManifestCache(0))
              .liveFiles(snapshot)
              .entries()) {
        records += entry.file().rowCount();
        String path = folders.file(entry.partition(), entry.bucket(), entry.file().fileName());
        if (!Arrays.equals(storage.readAll(path), content(entry.file()))) {
          throw new AssertionError(path + " has not kept its content");
        }
      }
      if (records != snapshot.totalRecordCount()) {
        throw new AssertionError(
            "snapshot " + id + " counts " + snapshot.totalRecordCount() + ", holds " + records);
      }
    }
  }
}
