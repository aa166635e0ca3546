package io.sluice.lsm.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.lsm.io.LocalFileIO;
import io.sluice.lsm.testing.PaimonOracle;
import io.sluice.lsm.testing.SumRace;
import io.sluice.lsm.testing.TestIds;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two writers of ours on one table on the local disk, each with storage and tables of its own. */
class TwoWritersTest {

  @TempDir Path folder;

  @Test
  void loseNoCommitToEachOther() throws Exception {
    String root = folder.resolve("w.db").resolve("sums").toString();
    SumRace race = new SumRace(new LocalFileIO(new TestIds("reader")), root);
    SumRace.Result result =
        race.run(
            List.of(
                SumRace.ours(new LocalFileIO(new TestIds("a")), root, "a"),
                SumRace.ours(new LocalFileIO(new TestIds("b")), root, "b")));
    System.out.println("TwoWritersTest: " + result);
    assertThat(result.readings()).isPositive();
    Map<Integer, Long> theirs = new TreeMap<>();
    for (Map<String, String> row : new PaimonOracle(root).readLatest()) {
      theirs.put(Integer.valueOf(row.get("k")), Long.valueOf(row.get("n")));
    }
    assertThat(theirs).isEqualTo(race.committed());
  }
}
