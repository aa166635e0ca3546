package io.sluice.bench;

import io.sluice.lsm.binary.BinaryRowProjection;
import io.sluice.lsm.io.LocalFileIO;
import io.sluice.lsm.manifest.ManifestCache;
import io.sluice.lsm.manifest.ManifestEntry;
import io.sluice.lsm.manifest.ManifestStore;
import io.sluice.lsm.scan.RowReader;
import io.sluice.lsm.snapshot.CommitKind;
import io.sluice.lsm.snapshot.Snapshot;
import io.sluice.lsm.table.LsmTable;
import io.sluice.lsm.table.TableStatistics;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/** What an engine has left behind in a table's folder. */
final class TableContent {

  private TableContent() {}

  /** Count and order-free sum over all columns of all rows, both as Sluice reads them. */
  static String sum(Path root) throws IOException {
    LsmTable table = SluiceSession.open(root);
    BinaryRowProjection whole = new BinaryRowProjection(table.newestSchema().rowType());
    long count = 0;
    long sum = 0;
    try (RowReader reader = table.newScan().open()) {
      while (reader.advance()) {
        count++;
        sum += whole.apply(reader.row()).hashCode() * 0x9e3779b97f4a7c15L;
      }
    }
    return count + "/" + Long.toHexString(sum);
  }

  /**
   * Bytes of the data files ever written, how many times those that flushes wrote (write
   * amplification), and of those live at the end. Files that an engine deleted before they were in
   * any snapshot do not count.
   *
   * <p>REQUIRES: no snapshot has expired.
   */
  static Map<String, Double> figures(Path root) throws IOException {
    LsmTable table = SluiceSession.open(root);
    ManifestStore manifests =
        new ManifestStore(
            new LocalFileIO(() -> "unused"),
            table.paths(),
            table.newestSchema(),
            () -> "unused",
            new ManifestCache());
    double flushed = 0;
    for (long id : table.snapshots().listIds()) {
      Snapshot snapshot = table.snapshots().read(id);
      if (snapshot.commitKind() == CommitKind.APPEND) {
        for (ManifestEntry entry : manifests.delta(snapshot)) {
          flushed += entry.kind() == ManifestEntry.Kind.ADD ? entry.file().fileSize() : 0;
        }
      }
    }
    TableStatistics statistics = table.statistics(table.snapshots().findLatest());
    double written = BenchFolder.dataFileBytes(root);
    Map<String, Double> figures = new LinkedHashMap<>();
    figures.put("MB written", written / 1e6);
    figures.put("write amplification", written / flushed);
    figures.put("MB live", statistics.bytes() / 1e6);
    figures.put("live files", (double) statistics.files());
    figures.put("live records", (double) statistics.records());
    return figures;
  }
}
