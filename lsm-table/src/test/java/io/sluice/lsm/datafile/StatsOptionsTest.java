package io.sluice.lsm.datafile;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.lsm.io.LocalFileIO;
import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.DataTypes;
import io.sluice.lsm.schema.RowType;
import io.sluice.lsm.schema.TableSchema;
import io.sluice.lsm.schema.TableSchemaJson;
import io.sluice.lsm.testing.FakeClock;
import io.sluice.lsm.testing.PaimonOracle;
import io.sluice.lsm.testing.RandomValues;
import io.sluice.lsm.testing.TestIds;
import io.sluice.lsm.testing.TestTable;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.paimon.data.BinaryRow;
import org.apache.paimon.data.InternalArray;
import org.apache.paimon.memory.MemorySegment;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Statistics of value columns in manifests are those that Paimon writes for the same options. */
class StatsOptionsTest {

  @TempDir Path folder;

  private static TableSchema schema(Map<String, String> options, List<String> keys) {
    return new TableSchema(
        0,
        new RowType(
            List.of(
                new DataField(0, "id", DataTypes.INT.withNullable(false)),
                new DataField(1, "a", DataTypes.INT),
                new DataField(2, "s", DataTypes.STRING),
                new DataField(3, "t", DataTypes.STRING))),
        3,
        List.of(),
        keys,
        options,
        null,
        0);
  }

  private static List<io.sluice.lsm.binary.BinaryRow> rows(TableSchema schema) {
    List<io.sluice.lsm.binary.BinaryRow> rows = new ArrayList<>();
    for (long id = 0; id < 20; id++) {
      byte[] text = ("a text that is cut " + id).getBytes(StandardCharsets.UTF_8);
      rows.add(
          RandomValues.binary(
              schema.rowType(),
              Arrays.asList(id, id % 3 == 0 ? null : id * 7, text, id < 5 ? text : null),
              RowKind.INSERT));
    }
    return rows;
  }

  /** Level, columns and values of the statistics of each live file, as Paimon reads them. */
  private static List<String> statistics(Path table) {
    List<String> result = new ArrayList<>();
    new PaimonOracle(table)
        .table()
        .store()
        .newScan()
        .plan()
        .files()
        .forEach(
            entry ->
                result.add(
                    entry.file().level()
                        + " "
                        + entry.file().valueStatsCols()
                        + " "
                        + Arrays.toString(entry.file().valueStats().minValues().toBytes())
                        + " "
                        + Arrays.toString(entry.file().valueStats().maxValues().toBytes())
                        + " "
                        + counts(entry.file().valueStats().nullCounts())
                        + " "
                        + entry.file().keyStats()));
    return result;
  }

  private static List<Long> counts(InternalArray array) {
    List<Long> result = new ArrayList<>();
    for (int i = 0; i < array.size(); i++) {
      result.add(array.isNullAt(i) ? null : (Long) array.getLong(i));
    }
    return result;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "metadata.stats-mode.per.level=0:none",
        "metadata.stats-mode.per.level=0:none,5:counts; metadata.stats-dense-store=false",
        "metadata.stats-mode=counts; metadata.stats-mode.per.level=5:truncate(3);"
            + " fields.t.stats-mode=full",
        "metadata.stats-mode.per.level=0:truncate(2); metadata.stats-keep-first-n-columns=3",
        "metadata.stats-mode.per.level=0:none; data-file.thin-mode=true",
        "fields.s.stats-mode=none; fields.a.stats-mode=counts",
        "append; metadata.stats-mode.per.level=0:none"
      })
  void areThoseOfPaimon(String text) throws Exception {
    for (String format : List.of("orc", "parquet")) {
      Map<String, String> options = new LinkedHashMap<>();
      boolean append = text.startsWith("append");
      options.put("bucket", append ? "-1" : "1");
      options.put("file.format", format);
      for (String option : text.split(";")) {
        if (option.contains("=")) {
          int at = option.indexOf('=');
          options.put(option.substring(0, at).trim(), option.substring(at + 1).trim());
        }
      }
      TableSchema schema = schema(options, append ? List.of() : List.of("id"));
      Path theirs = folder.resolve(format + "-theirs");
      Files.createDirectories(theirs.resolve("schema"));
      Files.write(theirs.resolve("schema/schema-0"), TableSchemaJson.write(schema));
      PaimonOracle paimon = new PaimonOracle(theirs);
      Path ours = folder.resolve(format + "-ours");
      try (TestTable table =
          TestTable.create(
              new LocalFileIO(new TestIds()), ours.toString(), schema, new FakeClock())) {
        List<BinaryRow> written = new ArrayList<>();
        for (io.sluice.lsm.binary.BinaryRow row : rows(schema)) {
          byte[] bytes = row.toByteArray();
          BinaryRow same = new BinaryRow(row.size());
          same.pointTo(MemorySegment.wrap(bytes), 0, bytes.length);
          written.add(same);
          table.write(row);
        }
        table.commit();
        paimon.write(written);
        assertThat(statistics(ours)).isEqualTo(statistics(theirs));
        if (!append) {
          // Once more, so that compaction writes a file and does not only move one.
          table.write(rows(schema).get(0));
          table.commit();
          paimon.write(written.subList(0, 1));
          table.compactFully();
          paimon.compactFully();
          assertThat(statistics(ours)).isEqualTo(statistics(theirs));
          assertThat(statistics(ours)).hasSize(1).allMatch(file -> file.startsWith("5 "));
        }
      }
    }
  }
}
