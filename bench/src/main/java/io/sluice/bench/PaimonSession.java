package io.sluice.bench;

import io.sluice.lsm.schema.TableSchema;
import java.nio.file.Path;
import java.util.Map;
import org.apache.paimon.data.BinaryRow;
import org.apache.paimon.disk.IOManager;
import org.apache.paimon.fs.local.LocalFileIO;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.FileStoreTableFactory;
import org.apache.paimon.table.sink.StreamTableCommit;
import org.apache.paimon.table.sink.StreamTableWrite;

/**
 * Paimon's Java API as its documentation shows it: one StreamTableWrite with an IOManager, its
 * write buffer of 256 MiB, its own thread for compaction, and a StreamTableCommit.
 */
final class PaimonSession implements TableSession {

  private static final String USER = "bench";

  private final FileStoreTable table;
  private final int buckets;
  private final IOManager spill;
  private final StreamTableWrite write;
  private final StreamTableCommit commit;
  private long commits;

  PaimonSession(Path root, TableSchema schema, Compaction compaction) {
    this(open(root), root, schema, compaction);
  }

  private PaimonSession(
      FileStoreTable opened, Path root, TableSchema schema, Compaction compaction) {
    this.table = compaction == Compaction.NONE ? opened.copy(Map.of("write-only", "true")) : opened;
    this.buckets = Integer.parseInt(schema.options().get("bucket"));
    this.spill = IOManager.create(root.resolveSibling("spill").toString());
    this.write = table.newWrite(USER);
    this.commit = table.newCommit(USER);
    write.withIOManager(spill);
  }

  /** A session whose files wait for the disk as Sluice's do. */
  static PaimonSession durable(Path root, TableSchema schema, Compaction compaction) {
    return new PaimonSession(open(root, new DurablePaimonFiles()), root, schema, compaction);
  }

  static FileStoreTable open(Path root) {
    return open(root, LocalFileIO.create());
  }

  private static FileStoreTable open(Path root, LocalFileIO files) {
    return FileStoreTableFactory.create(files, new org.apache.paimon.fs.Path("file://" + root));
  }

  @Override
  public void write(RowSource rows) throws Exception {
    write.write(rows.paimon());
  }

  @Override
  public void commit() throws Exception {
    commits++;
    commit.commit(commits, write.prepareCommit(false, commits));
  }

  @Override
  public void commitLast() throws Exception {
    commits++;
    commit.commit(commits, write.prepareCommit(true, commits));
  }

  @Override
  public void compactFully() throws Exception {
    for (int bucket = 0; bucket < buckets; bucket++) {
      write.compact(BinaryRow.EMPTY_ROW, bucket, true);
    }
    commitLast();
  }

  @Override
  public void close() throws Exception {
    try (spill;
        commit) {
      write.close();
    }
  }
}
