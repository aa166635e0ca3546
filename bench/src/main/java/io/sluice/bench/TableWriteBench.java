package io.sluice.bench;

import io.sluice.bench.TableSession.Compaction;
import io.sluice.lsm.schema.TableSchema;
import java.nio.file.Path;

/**
 * Upserts into one table with compaction, by Sluice's engine and by Paimon's own Java writer, by
 * turns on the same rows: 3 million over 1 million keys, 2 buckets, ORC with zstd, a commit every
 * 200,000 rows. Both take rows from one thread; Sluice's buckets are flushed side by side at a
 * commit, as the workers of a pipeline do. Sluice's pool has two compaction threads, one for each
 * bucket; a writer of Paimon's has one. So a third takes turns, Sluice with one. The clock stops
 * when the last commit is there and no compaction is due. Prints each turn and the medians: rows/s,
 * CPU seconds, bytes of all data files written, write amplification, live bytes.
 *
 * <pre>TableWriteBench [rows] [keys] [rows per commit] [rounds] [sluice|paimon|both]</pre>
 */
public final class TableWriteBench {

  private TableWriteBench() {}

  @FunctionalInterface
  private interface Upserts {
    Duel.Turn by(TableSession.Engine engine) throws Exception;
  }

  public static void main(String[] args) throws Exception {
    Arguments arguments = new Arguments(args);
    int rows = arguments.number(0, 3_000_000);
    int keys = arguments.number(1, 1_000_000);
    int rowsPerCommit = arguments.number(2, 200_000);
    TableSchema schema = Orders.schema(2);
    Upserts upserts =
        engine -> write(engine, schema, Orders.Source.random(42, keys), rows, rowsPerCommit);
    new Duel("upserts", arguments.number(3, 5), arguments.text(4, "both"))
        .with("sluice", () -> upserts.by(SluiceSession.withCompactionThreads(2)))
        .with("paimon", () -> upserts.by(PaimonSession::new))
        .with("sluice with one compaction thread", () -> upserts.by(SluiceSession::new))
        .fight();
    System.exit(0);
  }

  /** Writes a table of its own. */
  static Duel.Turn write(
      TableSession.Engine engine, TableSchema schema, RowSource source, int rows, int rowsPerCommit)
      throws Exception {
    try (BenchFolder folder = BenchFolder.create("table-write-bench")) {
      Path root = folder.table("t");
      SluiceSession.create(root, schema);
      Stopwatch stopwatch = new Stopwatch();
      Duel.Turn turn;
      try (TableSession session = engine.open(root, schema, Compaction.IN_BACKGROUND)) {
        for (int i = 1; i < rows; i++) {
          source.advance();
          session.write(source);
          if (i % rowsPerCommit == 0) {
            session.commit();
          }
        }
        source.advance();
        session.write(source);
        session.commitLast();
        turn = Duel.Turn.of(rows, stopwatch);
      }
      return turn.with(TableContent.sum(root), TableContent.figures(root));
    }
  }
}
