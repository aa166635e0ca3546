package io.sluice.lsm.expire;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.lsm.check.TableCheck;
import io.sluice.lsm.error.UnsupportedTableException;
import io.sluice.lsm.io.LocalFileIO;
import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.DataTypeText;
import io.sluice.lsm.schema.RowType;
import io.sluice.lsm.schema.TableOptions;
import io.sluice.lsm.schema.TableSchema;
import io.sluice.lsm.snapshot.CommitKind;
import io.sluice.lsm.snapshot.Snapshot;
import io.sluice.lsm.table.LsmTable;
import io.sluice.lsm.testing.CanonicalRows;
import io.sluice.lsm.testing.FakeClock;
import io.sluice.lsm.testing.PaimonOracle;
import io.sluice.lsm.testing.RandomValues;
import io.sluice.lsm.testing.TestIds;
import io.sluice.lsm.testing.TestTable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.paimon.table.FileStoreTable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The partitions that Paimon drops are dropped, no other; what comes later comes back. */
class PartitionExpiryTest {

  @TempDir Path folder;

  /**
   * @param columns of the partition
   * @param values of the partitions, each with one value for each column
   */
  private record Case(
      String name, List<String> columns, Map<String, String> options, List<List<Object>> values) {
    @Override
    public String toString() {
      return name;
    }
  }

  private static byte[] text(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static List<Object> one(Object value) {
    return Arrays.asList(value);
  }

  private static List<Case> cases() {
    LocalDate today = LocalDate.now(ZoneOffset.UTC);
    List<Case> cases = new ArrayList<>();
    List<List<Object>> texts = new ArrayList<>();
    for (String value :
        List.of(
            "2020-01-01",
            "2020-1-1",
            "2020-01-01 10:00:00",
            "2020-01-01 10:00:00.5",
            "2020-01-01T10:00:00",
            "2020-13-45",
            "2020-01-01 25:61:00",
            "20200101",
            "never",
            "",
            today.toString(),
            today.minusDays(8).toString(),
            today.minusDays(6).toString(),
            today.plusDays(60).toString())) {
      texts.add(one(text(value)));
    }
    texts.add(one(null));
    cases.add(new Case("default format", List.of("dt STRING"), Map.of(), texts));
    List<List<Object>> hours = new ArrayList<>();
    for (String day : List.of("20200101", "2020-01-01", today.toString().replace("-", ""))) {
      for (long hour : List.of(0L, 9L, 23L, 24L)) {
        hours.add(List.of(text(day), hour));
      }
    }
    hours.add(Arrays.asList(text("20200101"), null));
    cases.add(
        new Case(
            "pattern and formatter",
            List.of("dt STRING", "hr INT"),
            Map.of(
                "partition.timestamp-pattern",
                "$dt $hr:00",
                "partition.timestamp-formatter",
                "yyyyMMdd H:mm"),
            hours));
    cases.add(
        new Case(
            "number",
            List.of("ymd INT"),
            Map.of("partition.timestamp-formatter", "yyyyMMdd"),
            List.of(one(20200101L), one(20991231L), one(7L))));
    cases.add(
        new Case(
            "pattern that skips the first column",
            List.of("region STRING", "dt STRING"),
            Map.of("partition.timestamp-pattern", "$dt"),
            List.of(
                List.of(text("eu"), text("2020-01-01")),
                List.of(text("us"), text("2099-01-01")),
                Arrays.asList(null, text("2020-01-01")))));
    cases.add(
        new Case(
            "date", List.of("day DATE"), Map.of(), List.of(one(18262L), one(today.toEpochDay()))));
    List<List<Object>> many = new ArrayList<>();
    for (int i = 0; i < 7; i++) {
      many.add(one(text("2020-01-0" + (7 - i))));
    }
    cases.add(
        new Case(
            "at most three",
            List.of("dt STRING"),
            Map.of("partition.expiration-max-num", "3"),
            many));
    for (String age : List.of("0 s", "1 d")) {
      cases.add(
          new Case(
              "update-time " + age,
              List.of("dt STRING"),
              Map.of(
                  "partition.expiration-strategy", "update-time", "partition.expiration-time", age),
              List.of(one(text("never")), one(null), one(text("2020-01-01")))));
    }
    return cases;
  }

  private static TableSchema schema(Case of) {
    List<DataField> fields = new ArrayList<>();
    List<String> partition = new ArrayList<>();
    for (String column : of.columns()) {
      String[] words = column.split(" ", 2);
      partition.add(words[0]);
      fields.add(new DataField(fields.size(), words[0], DataTypeText.parse(words[1])));
    }
    fields.add(new DataField(fields.size(), "v", DataTypeText.parse("INT")));
    Map<String, String> options = new LinkedHashMap<>();
    options.put("bucket", "-1");
    options.put("file.format", "orc");
    options.put("partition.expiration-time", "7 d");
    options.put("partition.expiration-check-interval", "0 s");
    options.putAll(of.options());
    return new TableSchema(
        0, new RowType(fields), fields.size() - 1, partition, List.of(), options, null, 0);
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> paths = Files.walk(from)) {
      for (Path path : (Iterable<Path>) paths::iterator) {
        Files.copy(path, to.resolve(from.relativize(path).toString()));
      }
    }
  }

  @ParameterizedTest
  @MethodSource("cases")
  void dropsWhatPaimonDrops(Case of) throws Exception {
    FakeClock clock = new FakeClock(Instant.now());
    TableSchema schema = schema(of);
    Path ours = folder.resolve("ours");
    Path theirs = folder.resolve("theirs");
    TestTable table =
        TestTable.create(new LocalFileIO(new TestIds()), ours.toString(), schema, clock);
    int before = 0;
    for (List<Object> values : of.values()) {
      List<Object> row = new ArrayList<>(values);
      row.add((long) before++);
      table.write(RandomValues.binary(schema.rowType(), row, RowKind.INSERT));
    }
    table.commit();
    copy(ours, theirs);

    FileStoreTable paimon = new PaimonOracle(theirs).table();
    clock.set(Instant.now().plusMillis(50));
    List<Map<String, String>> dropped =
        paimon.store().newPartitionExpire("paimon", paimon).expire(7);
    PartitionExpiry.Result result = table.table().newPartitionExpiry().expire("us");
    table.close();

    assertThat(result.dropped()).hasSize(dropped.size());
    List<Map<String, String>> left = new PaimonOracle(theirs).readLatest();
    assertThat(new PaimonOracle(ours).readLatest()).isEqualTo(left);
    assertThat(CanonicalRows.sorted(CanonicalRows.read(table.table().newScan()))).isEqualTo(left);
    assertThat(result.more()).isEqualTo(of.name().equals("at most three"));
    Snapshot latest = table.table().snapshots().findLatest();
    if (dropped.isEmpty()) {
      assertThat(latest.id()).isEqualTo(1);
    } else {
      org.apache.paimon.Snapshot theirLatest = paimon.snapshotManager().latestSnapshot();
      assertThat(left.size()).isLessThan(before);
      assertThat(latest.commitKind()).isEqualTo(CommitKind.OVERWRITE);
      assertThat(theirLatest.commitKind().name()).isEqualTo("OVERWRITE");
      assertThat(latest.id()).isEqualTo(theirLatest.id());
      assertThat(latest.totalRecordCount()).isEqualTo(theirLatest.totalRecordCount());
      assertThat(latest.deltaRecordCount()).isEqualTo(theirLatest.deltaRecordCount());
    }
    assertThat(table.table().newCheck().run(TableCheck.Depth.RECORDS).findings()).isEmpty();
  }

  @Test
  void saysWhichPartitionsTellNoTime() throws Exception {
    Case of =
        new Case(
            "texts",
            List.of("dt STRING"),
            Map.of(),
            List.of(one(text("never")), one(null), one(text("2020-01-01"))));
    PartitionExpiry.Result result = expired(of).result();
    assertThat(result.dropped()).containsExactly("dt=2020-01-01");
    assertThat(result.unreadable()).containsOnlyKeys("dt=never", "dt=__DEFAULT_PARTITION__");
    assertThat(result.unreadableText())
        .contains("2 partitions tell no time", "partition.expiration-strategy = update-time");
  }

  private record Expired(TestTable table, PartitionExpiry.Result result) {}

  private Expired expired(Case of) throws IOException {
    TableSchema schema = schema(of);
    TestTable table =
        TestTable.create(
            new LocalFileIO(new TestIds()),
            folder.resolve("t").toString(),
            schema,
            new FakeClock(Instant.now()));
    for (List<Object> values : of.values()) {
      List<Object> row = new ArrayList<>(values);
      row.add(1L);
      table.write(RandomValues.binary(schema.rowType(), row, RowKind.INSERT));
    }
    table.commit();
    return new Expired(table, table.table().newPartitionExpiry().expire("us"));
  }

  @Test
  void aRowThatComesLateMakesItsPartitionAnew() throws Exception {
    Case of = new Case("late", List.of("dt STRING"), Map.of(), List.of(one(text("2020-01-01"))));
    TestTable table = expired(of).table();
    LsmTable lsm = table.table();
    assertThat(CanonicalRows.read(lsm.newScan())).isEmpty();
    assertThat(lsm.newPartitionExpiry().expire("us").dropped()).isEmpty();
    table.write(
        RandomValues.binary(
            lsm.newestSchema().rowType(), List.of(text("2020-01-01"), 2L), RowKind.INSERT));
    Snapshot late = table.commit();
    assertThat(late.id()).isEqualTo(3);
    assertThat(new PaimonOracle(folder.resolve("t")).readLatest()).hasSize(1);
    assertThat(lsm.newPartitionExpiry().expire("us").dropped()).containsExactly("dt=2020-01-01");
    assertThat(lsm.snapshots().findLatest().totalRecordCount()).isZero();
    table.close();
  }

  /** The partition's files are looked at again after a lost race. */
  @Test
  void looksAgainWhenAnotherWriterWasFaster() throws Exception {
    Case of =
        new Case(
            "race",
            List.of("dt STRING"),
            Map.of("partition.expiration-strategy", "update-time"),
            List.of(one(text("a")), one(text("b"))));
    TableSchema schema = schema(of);
    FakeClock clock = new FakeClock(Instant.now());
    String root = folder.resolve("t").toString();
    LocalFileIO io = new LocalFileIO(new TestIds());
    TestTable table = TestTable.create(io, root, schema, clock);
    for (String dt : List.of("a", "b")) {
      table.write(RandomValues.binary(schema.rowType(), List.of(text(dt), 1L), RowKind.INSERT));
    }
    table.commit();
    clock.advance(Duration.ofDays(8));
    boolean[] raced = {false};
    var storage =
        new io.sluice.lsm.testing.FaultyFileIO(io)
            .observe(
                (number, verb, path) -> {
                  if (path.endsWith("snapshot-2") && !raced[0] && verb.startsWith("create")) {
                    raced[0] = true;
                    table.write(
                        RandomValues.binary(
                            schema.rowType(), List.of(text("a"), 2L), RowKind.INSERT));
                    table.commit();
                  }
                });
    LsmTable other = LsmTable.open(storage, root, clock, new TestIds());
    PartitionExpiry.Result result = other.newPartitionExpiry().expire("us");
    assertThat(raced[0]).isTrue();
    assertThat(result.dropped()).containsExactly("dt=b");
    assertThat(new PaimonOracle(root).readLatest()).hasSize(2);
    table.close();
  }

  @Test
  void refusesOptionsThatMakeNoSense() {
    Case of =
        new Case(
            "bad",
            List.of("dt STRING"),
            Map.of(
                "partition.expiration-strategy", "now", "partition.timestamp-formatter", "yyyy-bb"),
            List.of());
    org.assertj.core.api.Assertions.assertThatThrownBy(() -> TableOptions.of(schema(of)))
        .isInstanceOf(UnsupportedTableException.class)
        .hasMessageContaining("partition.expiration-strategy")
        .hasMessageContaining("partition.timestamp-formatter");
  }
}
