package io.sluice.it.lake;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.lsm.testing.PaimonOracle;
import io.sluice.lsm.testing.SumRace;
import io.sluice.lsm.testing.TestIds;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.paimon.catalog.CatalogContext;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.fs.FileIO;
import org.apache.paimon.options.Options;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Sluice and Paimon 1.4.2 write one table on HDFS, where both create snapshots exclusively. */
class HdfsRaceIT {

  private static final String ROOT = "/lake/w.db/sums";

  @TempDir Path folder;

  private final Configuration conf = new Configuration();
  private MiniDFSCluster cluster;

  @BeforeEach
  void start() throws Exception {
    conf.set(MiniDFSCluster.HDFS_MINIDFS_BASEDIR, folder.toString());
    cluster = new MiniDFSCluster.Builder(conf).numDataNodes(1).build();
    cluster.waitActive();
  }

  @AfterEach
  void stop() {
    cluster.shutdown(true);
  }

  private PaimonOracle paimon() throws Exception {
    String uri = cluster.getFileSystem().getUri() + ROOT;
    return new PaimonOracle(
        FileIO.get(new org.apache.paimon.fs.Path(uri), CatalogContext.create(new Options(), conf)),
        uri);
  }

  /** Writes and compacts apart: a compaction that gives way takes no rows with it. */
  private SumRace.Writer theirs() throws Exception {
    PaimonOracle paimon = paimon();
    return new SumRace.Writer() {
      @Override
      public void add(Map<Integer, Long> amounts) throws Exception {
        List<GenericRow> rows = new ArrayList<>();
        amounts.forEach((key, amount) -> rows.add(GenericRow.of(key, amount)));
        paimon.writeOnly(rows);
      }

      @Override
      public boolean compact(boolean fully) throws Exception {
        try {
          if (fully) {
            paimon.compactFully();
          } else {
            paimon.compactAsNeeded();
          }
          return true;
        } catch (Exception e) {
          assertThat(e).hasStackTraceContaining("conflict");
          return false;
        }
      }

      @Override
      public void close() {
        // Every call opens the table anew.
      }
    };
  }

  @Test
  void oursAndPaimonsCommitsAreAllThere() throws Exception {
    HdfsFileIO files = new HdfsFileIO(cluster.getFileSystem(), new TestIds("tmp"));
    SumRace race = new SumRace(files, ROOT);
    SumRace.Result result = race.run(List.of(SumRace.ours(files, ROOT, "ours"), theirs()));
    System.out.println("HdfsRaceIT: " + result);
    assertThat(result.readings()).isPositive();
    Map<Integer, Long> sums = new TreeMap<>();
    for (Map<String, String> row : paimon().readLatest()) {
      sums.put(Integer.valueOf(row.get("k")), Long.valueOf(row.get("n")));
    }
    assertThat(sums).isEqualTo(race.committed());
  }
}
