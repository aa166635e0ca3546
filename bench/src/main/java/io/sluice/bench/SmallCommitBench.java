package io.sluice.bench;

import io.sluice.bench.TableSession.Compaction;
import io.sluice.lsm.schema.TableSchema;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Small commits, by Sluice's engine and by Paimon's own Java writer, by turns on the same rows: 500
 * commits of 2,000 upserts over 1 million keys, 2 buckets, ORC with zstd, into a table that holds
 * all the keys in one sorted run for each bucket. Each engine has loaded and compacted its own
 * table beforehand, in a session of its own that is not measured. The clock stops when the last
 * commit is there and no compaction is due. Sluice waits for the disk (fsync) at each commit,
 * Paimon does not; so there is a third that does, Paimon over a {@link DurablePaimonFiles}. Prints
 * each turn and the medians: rows/s, CPU seconds, and milliseconds of a commit (median, 99th
 * percentile), from the last row's write until the snapshot is there.
 *
 * <pre>SmallCommitBench [commits] [rows per commit] [keys] [rounds] [sluice|paimon|both]</pre>
 */
public final class SmallCommitBench {

  private final int commits;
  private final int rowsPerCommit;
  private final int keys;
  private final TableSchema schema = Orders.schema(2);

  private SmallCommitBench(int commits, int rowsPerCommit, int keys) {
    this.commits = commits;
    this.rowsPerCommit = rowsPerCommit;
    this.keys = keys;
  }

  public static void main(String[] args) throws Exception {
    Arguments arguments = new Arguments(args);
    SmallCommitBench bench =
        new SmallCommitBench(
            arguments.number(0, 500), arguments.number(1, 2_000), arguments.number(2, 1_000_000));
    new Duel("small commits", arguments.number(3, 5), arguments.text(4, "both"))
        .with("sluice", () -> bench.write(SluiceSession::new))
        .with("paimon", () -> bench.write(PaimonSession::new))
        .with("paimon that waits for the disk", () -> bench.write(PaimonSession::durable))
        .fight();
    System.exit(0);
  }

  private Duel.Turn write(TableSession.Engine engine) throws Exception {
    try (BenchFolder folder = BenchFolder.create("small-commit-bench")) {
      Path root = folder.table("t");
      SluiceSession.create(root, schema);
      try (TableSession session = engine.open(root, schema, Compaction.NONE)) {
        RowSource all = Orders.Source.ascending(41, keys);
        for (int i = 0; i < keys; i++) {
          all.advance();
          session.write(all);
        }
        session.commit();
      }
      try (TableSession session = engine.open(root, schema, Compaction.IN_BACKGROUND)) {
        session.compactFully();
      }
      System.gc();
      double[] millis = new double[commits];
      RowSource rows = Orders.Source.random(42, keys);
      Stopwatch stopwatch = new Stopwatch();
      Duel.Turn turn;
      try (TableSession session = engine.open(root, schema, Compaction.IN_BACKGROUND)) {
        for (int i = 0; i < commits; i++) {
          for (int row = 0; row < rowsPerCommit; row++) {
            rows.advance();
            session.write(rows);
          }
          Stopwatch commit = new Stopwatch();
          if (i + 1 < commits) {
            session.commit();
          } else {
            session.commitLast();
          }
          millis[i] = commit.seconds() * 1e3;
        }
        turn = Duel.Turn.of((long) commits * rowsPerCommit, stopwatch);
      }
      Sample times = Sample.of(millis);
      Map<String, Double> figures = new LinkedHashMap<>();
      figures.put("ms of the median commit", times.median());
      figures.put("ms of the 99th of 100", times.percentile(99));
      figures.putAll(TableContent.figures(root));
      return turn.with(TableContent.sum(root), figures);
    }
  }
}
