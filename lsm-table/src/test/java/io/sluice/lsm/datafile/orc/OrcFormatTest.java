package io.sluice.lsm.datafile.orc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.binary.ColumnStats;
import io.sluice.lsm.binary.TestRows;
import io.sluice.lsm.datafile.DataFileMeta;
import io.sluice.lsm.datafile.KeyValueLayout;
import io.sluice.lsm.datafile.KeyValueReader;
import io.sluice.lsm.datafile.KeyValueWriter;
import io.sluice.lsm.datafile.NewFile;
import io.sluice.lsm.datafile.StoredFile;
import io.sluice.lsm.error.CorruptTableException;
import io.sluice.lsm.error.UnsupportedTableException;
import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.DataType;
import io.sluice.lsm.schema.DataTypeText;
import io.sluice.lsm.schema.DataTypes;
import io.sluice.lsm.schema.RowType;
import io.sluice.lsm.schema.TableSchema;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TimeZone;
import org.apache.hadoop.conf.Configuration;
import org.apache.orc.OrcFile;
import org.apache.orc.Reader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OrcFormatTest {

  private static final Clock CLOCK =
      Clock.fixed(Instant.parse("2026-01-02T03:04:05.006Z"), ZoneId.of("Asia/Tokyo"));

  private static final LocalDateTime LAST_SECOND = LocalDateTime.of(1969, 12, 31, 23, 59, 59);

  @TempDir Path folder;

  private final FolderFileIO io = new FolderFileIO();
  private final OrcFormat format = new OrcFormat(CLOCK);
  private int files;

  /** A table of an INT key and these columns. */
  private static TableSchema table(Map<String, String> options, DataType... types) {
    List<DataField> fields = new ArrayList<>();
    fields.add(new DataField(0, "id", DataTypes.INT.withNullable(false)));
    for (int i = 0; i < types.length; i++) {
      fields.add(new DataField(i + 1, "c" + i, types[i]));
    }
    Map<String, String> all = new java.util.HashMap<>(options);
    all.putIfAbsent("bucket", "1");
    all.putIfAbsent("file.format", "orc");
    all.putIfAbsent("orc.timestamp-ltz.legacy.type", "false");
    return new TableSchema(
        0, new RowType(fields), types.length, List.of(), List.of("id"), all, null, 0);
  }

  private static TableSchema table(DataType... types) {
    return table(Map.of(), types);
  }

  private String path() {
    return folder + "/bucket-0/data-" + files++ + ".orc";
  }

  private DataFileMeta write(String path, TableSchema schema, List<List<Object>> rows)
      throws IOException {
    KeyValueWriter writer =
        format.createWriter(
            io, new NewFile(path, schema, 0, DataFileMeta.SOURCE_FLUSH, NewFile.UNKNOWN));
    long sequence = 100;
    for (List<Object> row : rows) {
      writer.write(TestRows.row(schema.rowType(), row.toArray()), sequence++, RowKind.INSERT);
    }
    return writer.finish();
  }

  private List<List<Object>> read(
      String path, DataFileMeta file, TableSchema fileSchema, RowType wanted) throws IOException {
    List<List<Object>> rows = new ArrayList<>();
    try (KeyValueReader reader =
        format.createReader(io, new StoredFile(path, file, fileSchema, wanted))) {
      long sequence = file.minSequenceNumber();
      while (reader.advance()) {
        assertThat(reader.sequenceNumber()).isEqualTo(sequence++);
        rows.add(TestRows.values(wanted, reader.row()));
      }
    }
    return rows;
  }

  /** Writes, reads back, and lets Paimon's reader read. */
  private DataFileMeta roundTrip(TableSchema schema, List<List<Object>> rows) throws Exception {
    String path = path();
    DataFileMeta file = write(path, schema, rows);
    List<List<Object>> expected = new ArrayList<>();
    rows.forEach(row -> expected.add(TestRows.normal(row.toArray())));
    assertThat(read(path, file, schema, schema.rowType())).isEqualTo(expected);
    assertThat(new PaimonOrc(schema.rowType().fields()).read(path)).isEqualTo(expected);
    return file;
  }

  private static List<Object> row(Object... values) {
    return Arrays.asList(values);
  }

  private static BigDecimal dec(String text) {
    return new BigDecimal(text);
  }

  @Test
  void keepsEveryTypeWithItsExtremesAndNulls() throws Exception {
    TableSchema schema =
        table(
            Arrays.stream(
                    ("BOOLEAN;TINYINT;SMALLINT;INT;BIGINT;FLOAT;DOUBLE;DECIMAL(5,2);DECIMAL(18,9);"
                            + "DECIMAL(19,0);DECIMAL(20,0);DECIMAL(38,18);CHAR(5);VARCHAR(20);"
                            + "STRING;BINARY(4);VARBINARY(10);BYTES;DATE;TIME(0);TIME(3)")
                        .split(";"))
                .map(DataTypeText::parse)
                .toArray(DataType[]::new));
    List<List<Object>> rows =
        List.of(
            row(
                Integer.MIN_VALUE,
                false,
                (byte) -128,
                (short) -32768,
                Integer.MIN_VALUE,
                Long.MIN_VALUE,
                -Float.MAX_VALUE,
                -Double.MAX_VALUE,
                dec("-999.99"),
                dec("-999999999.999999999"),
                dec("-9999999999999999999"),
                dec("0"),
                dec("-99999999999999999999.999999999999999999"),
                "",
                "",
                "",
                new byte[4],
                new byte[0],
                new byte[0],
                LocalDate.of(1, 1, 1),
                LocalTime.MIN,
                LocalTime.MIN),
            row(
                -1, null, null, null, null, null, null, null, null, null, null, null, null, null,
                null, null, null, null, null, null, null, null),
            row(
                0,
                true,
                (byte) 0,
                (short) 0,
                0,
                0L,
                -0.0f,
                0.0,
                dec("0.00"),
                dec("0.000000000"),
                dec("0"),
                dec("18446744073709551615"),
                dec("0.100000000000000000"),
                "a b",
                "üß",
                "\u0000\uD83D\uDE00",
                new byte[] {0, 1, 2, 3},
                new byte[] {0},
                new byte[] {0},
                LocalDate.of(1970, 1, 1),
                LocalTime.of(1, 2, 3),
                LocalTime.of(1, 2, 3, 4_000_000)),
            row(
                Integer.MAX_VALUE,
                true,
                (byte) 127,
                (short) 32767,
                Integer.MAX_VALUE,
                Long.MAX_VALUE,
                Float.MIN_VALUE,
                Double.NaN,
                dec("999.99"),
                dec("999999999.999999999"),
                dec("9999999999999999999"),
                dec("99999999999999999999"),
                dec("99999999999999999999.999999999999999999"),
                "zzzzz",
                "z".repeat(20),
                "z".repeat(100_000),
                new byte[] {-1, -1, -1, -1},
                new byte[10],
                new byte[70_000],
                LocalDate.of(9999, 12, 31),
                LocalTime.of(23, 59, 59),
                LocalTime.of(23, 59, 59, 999_000_000)));
    roundTrip(schema, rows);
  }

  private static List<LocalDateTime> moments() {
    List<LocalDateTime> moments = new ArrayList<>();
    for (int year : new int[] {1, 4, 100, 1582, 1600, 1899, 1900, 1960, 1969, 1970, 2024, 9999}) {
      moments.add(LocalDateTime.of(year, 1, 1, 0, 0, 0));
      moments.add(LocalDateTime.of(year, 1, 1, 0, 0, 0, 1_000));
      moments.add(LocalDateTime.of(year, 2, 28, 12, 34, 56, 123_456_000));
      moments.add(LocalDateTime.of(year, 12, 31, 23, 59, 58, 999_999_000));
    }
    moments.add(LocalDateTime.of(1582, 10, 10, 1, 1, 1));
    moments.add(LocalDateTime.of(2000, 2, 29, 0, 0));
    moments.add(LocalDateTime.of(9999, 12, 31, 23, 59, 59, 999_999_000));
    moments.add(LAST_SECOND);
    moments.add(LAST_SECOND.plusNanos(999_000));
    return moments;
  }

  @Test
  void keepsTimestampsOfYears1To9999() throws Exception {
    TableSchema schema =
        table(
            DataTypes.timestamp(6),
            DataTypes.timestamp(9),
            DataTypes.timestampLtz(6),
            DataTypes.timestampLtz(9));
    List<List<Object>> rows = new ArrayList<>();
    for (LocalDateTime at : moments()) {
      rows.add(row(rows.size(), at, at.plusNanos(1), at, at.plusNanos(1)));
    }
    rows.add(row(rows.size(), null, null, null, null));
    roundTrip(schema, rows);
  }

  @Test
  void keepsTheLastSecondBeforeTheEpoch() throws Exception {
    TableSchema schema = table(DataTypes.timestamp(3), DataTypes.timestamp(9));
    List<List<Object>> rows = new ArrayList<>();
    for (int i = 0; i < 5000; i++) {
      // Around the epochs of all zones, now and then, among common values.
      LocalDateTime at =
          i % 7 == 3
              ? LAST_SECOND.plusHours(i % 30 - 14).plusNanos(i % 1000 * 1_000_000L)
              : LocalDateTime.of(2024, 1, 1, 0, 0).plusSeconds(i).plusNanos(i % 1000 * 1_000_000L);
      rows.add(row(i, i < 1500 || i > 4000 ? LocalDateTime.of(2000, 1, 1, 0, 0) : at, null));
    }
    rows.add(row(5000, LAST_SECOND.plusNanos(999_000_000), LAST_SECOND.plusNanos(999_999_999)));
    roundTrip(schema, rows);
  }

  @Test
  void readsWhatItWroteInAnotherTimeZone() throws Exception {
    TableSchema schema = table(DataTypes.timestamp(6), DataTypes.timestampLtz(6));
    List<List<Object>> rows = new ArrayList<>();
    for (LocalDateTime at : moments()) {
      rows.add(row(rows.size(), at, at));
    }
    rows.add(row(rows.size(), LAST_SECOND.plusNanos(500_000_000), null));
    TimeZone before = TimeZone.getDefault();
    try {
      for (String zone : new String[] {"Asia/Tokyo", "America/New_York"}) {
        TimeZone.setDefault(TimeZone.getTimeZone(zone));
        String path = path();
        DataFileMeta file = write(path, schema, rows);
        assertThat(read(path, file, schema, schema.rowType())).isEqualTo(rows);
        TimeZone.setDefault(TimeZone.getTimeZone("Europe/Berlin"));
        assertThat(read(path, file, schema, schema.rowType())).isEqualTo(rows);
        TimeZone.setDefault(TimeZone.getTimeZone("UTC"));
        assertThat(new PaimonOrc(schema.rowType().fields()).read(path)).isEqualTo(rows);
      }
    } finally {
      TimeZone.setDefault(before);
    }
  }

  @Test
  void keepsInstantsOfTablesWithTheLegacyOption() throws Exception {
    TableSchema schema =
        table(Map.of("orc.timestamp-ltz.legacy.type", "true"), DataTypes.timestampLtz(6));
    List<List<Object>> rows = new ArrayList<>();
    for (LocalDateTime at : moments()) {
      rows.add(row(rows.size(), at));
    }
    String path = path();
    DataFileMeta file = write(path, schema, rows);
    assertThat(read(path, file, schema, schema.rowType())).isEqualTo(rows);
    assertThat(new PaimonOrc(schema.rowType().fields(), true).read(path)).isEqualTo(rows);
    TimeZone before = TimeZone.getDefault();
    try {
      TimeZone.setDefault(TimeZone.getTimeZone("Asia/Tokyo"));
      assertThat(read(path, file, schema, schema.rowType())).isEqualTo(rows);
      String far = path();
      DataFileMeta farFile = write(far, schema, rows);
      TimeZone.setDefault(TimeZone.getTimeZone("UTC"));
      assertThat(read(far, farFile, schema, schema.rowType())).isEqualTo(rows);
      assertThat(new PaimonOrc(schema.rowType().fields(), true).read(far)).isEqualTo(rows);
    } finally {
      TimeZone.setDefault(before);
    }
  }

  @Test
  void findsTheInstantsThatPaimonStoredByItsZone() throws Exception {
    TableSchema schema =
        table(
            Map.of("orc.timestamp-ltz.legacy.type", "true"),
            DataTypes.timestampLtz(6),
            DataTypes.timestamp(6));
    List<DataField> fields = new ArrayList<>(KeyValueLayout.full(schema).fields());
    List<List<Object>> rows = new ArrayList<>();
    List<List<Object>> records = new ArrayList<>();
    List<LocalDateTime> times = new ArrayList<>(moments());
    for (int year = 2; year < 2600; year += 50) {
      times.add(LocalDateTime.of(year, 3, 1, 23, 59, 59, 123_000_000));
    }
    for (LocalDateTime at : times) {
      List<Object> row = row(rows.size(), at, at);
      rows.add(row);
      List<Object> record = new ArrayList<>(List.of(row.get(0), rows.size() - 1L, (byte) 0));
      record.addAll(row);
      records.add(record);
    }
    TimeZone before = TimeZone.getDefault();
    try {
      for (String zone : List.of("Asia/Tokyo", "America/New_York", "Europe/Amsterdam", "UTC")) {
        TimeZone.setDefault(TimeZone.getTimeZone(zone));
        String path = path();
        new PaimonOrc(fields, true).write(path, records);
        List<List<Object>> theirs = new PaimonOrc(fields, true).read(path);
        List<List<Object>> asPaimonReads = new ArrayList<>();
        for (int i = 0; i < rows.size(); i++) {
          // Before the Gregorian calendar Paimon itself stores another day.
          if (times.get(i).getYear() > 1582) {
            assertThat(theirs.get(i)).as(zone).isEqualTo(records.get(i));
          }
          asPaimonReads.add(theirs.get(i).subList(3, 6));
        }
        for (String reading : List.of("UTC", "Europe/Berlin", zone)) {
          TimeZone.setDefault(TimeZone.getTimeZone(reading));
          assertThat(read(path, stored(path, rows.size()), schema, schema.rowType()))
              .as("%s read in %s", zone, reading)
              .isEqualTo(asPaimonReads);
        }
      }
    } finally {
      TimeZone.setDefault(before);
    }
  }

  @Test
  void isNotPrunedAwayByPaimonsFilters() throws Exception {
    TableSchema schema =
        table(
            DataTypes.timestamp(6),
            DataTypes.timestampLtz(6),
            DataTypes.DATE,
            DataTypes.decimal(12, 2),
            DataTypes.decimal(30, 2),
            DataTypes.STRING,
            DataTypes.DOUBLE,
            DataTypes.character(9));
    List<LocalDateTime> times = new ArrayList<>(moments());
    for (int year = 200; year < 1600; year += 99) {
      times.add(LocalDateTime.of(year, 3, 1, 23, 59, 59));
    }
    times.add(LocalDateTime.of(1582, 10, 4, 0, 0));
    times.add(LocalDateTime.of(1582, 10, 14, 23, 59));
    times.add(LocalDateTime.of(1582, 10, 15, 0, 0));
    times.add(LAST_SECOND.plusNanos(500_000_000));
    for (LocalDateTime at : times) {
      LocalDateTime instant = at.equals(times.get(times.size() - 1)) ? at.minusDays(1) : at;
      List<Object> row =
          row(
              1,
              at,
              instant,
              at.toLocalDate(),
              dec("-1.50"),
              dec("12345678901234567890.00"),
              "text",
              at.getYear() * 1.5,
              "c");
      String path = path();
      write(path, schema, List.of(row));
      PaimonOrc paimon = new PaimonOrc(schema.rowType().fields());
      for (int column = 0; column < row.size(); column++) {
        assertThat(paimon.readWhere(path, column, row.get(column)))
            .as("column %s = %s", column, row.get(column))
            .isEqualTo(List.of(row));
      }
      assertThat(paimon.readWhere(path, 0, 2)).isEmpty();
    }
  }

  @Test
  void refusesInstantsThatOrcWouldShift() throws Exception {
    TableSchema schema = table(DataTypes.timestampLtz(3));
    String path = path();
    assertThatThrownBy(
            () -> write(path, schema, List.of(row(1, LAST_SECOND.plusNanos(500_000_000)))))
        .hasMessageContaining("c0")
        .hasMessageContaining("1969");
  }

  @Test
  void readsWhatPaimonWrote() throws Exception {
    TableSchema schema =
        table(
            DataTypes.timestamp(6),
            DataTypes.timestampLtz(6),
            DataTypes.decimal(12, 3),
            DataTypes.decimal(30, 3),
            DataTypes.STRING);
    List<DataField> fields = KeyValueLayout.full(schema).fields();
    List<List<Object>> rows = new ArrayList<>();
    List<List<Object>> expected = new ArrayList<>();
    for (int i = 0; i < 3000; i++) {
      LocalDateTime at = LocalDateTime.of(1950 + i % 100, 1, 1, 1, 1, 1, i * 1000);
      List<Object> values =
          i % 5 == 4
              ? row(i, null, null, null, null, null)
              : row(i, at, at, dec(i - 1500 + ".125"), dec(i - 1500 + ".125"), "text " + i % 10);
      List<Object> all = new ArrayList<>(row(i, (long) i, (byte) 0));
      all.addAll(values);
      rows.add(all);
      expected.add(values);
    }
    String path = path();
    Files.createDirectories(Path.of(path).getParent());
    new PaimonOrc(fields).write(path, rows);
    assertThat(read(path, stored(path, rows.size()), schema, schema.rowType())).isEqualTo(expected);
  }

  /** The facts that a reader takes from a manifest. */
  static DataFileMeta stored(String path, long rows) throws IOException {
    return new DataFileMeta(
        path,
        Files.size(Path.of(path)),
        rows,
        new byte[0],
        new byte[0],
        ColumnStats.EMPTY,
        ColumnStats.EMPTY,
        0,
        rows - 1,
        0,
        0,
        List.of(),
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null);
  }

  @Test
  void describesTheFileItWrote() throws Exception {
    TableSchema schema =
        table(DataTypes.STRING, DataTypes.BYTES, DataTypes.DOUBLE, DataTypes.timestamp(6));
    String path = path();
    KeyValueWriter writer =
        format.createWriter(
            io, new NewFile(path, schema, 3, DataFileMeta.SOURCE_COMPACTION, NewFile.UNKNOWN));
    LocalDateTime at = LocalDateTime.of(2024, 1, 1, 0, 0, 0, 1000);
    writer.write(
        TestRows.row(schema.rowType(), 1, "__DEFAULT_PARTITION__", null, 1.5, at),
        7,
        RowKind.INSERT);
    writer.write(
        TestRows.row(schema.rowType(), 2, null, new byte[1], Double.NaN, null), 5, RowKind.DELETE);
    writer.write(
        TestRows.row(schema.rowType(), 3, "__DEFAULT_PARTITION__", null, 2.5, at.plusDays(1)),
        6,
        RowKind.UPDATE_AFTER);
    DataFileMeta file = writer.finish();
    RowType key = TestRows.type(DataTypes.INT);
    assertThat(file.fileName()).isEqualTo("data-0.orc");
    assertThat(file.fileSize()).isEqualTo(Files.size(Path.of(path)));
    assertThat(file.rowCount()).isEqualTo(3);
    assertThat(file.deleteRowCount()).isEqualTo(1);
    assertThat(file.minKey()).isEqualTo(TestRows.row(key, 1).serialize());
    assertThat(file.maxKey()).isEqualTo(TestRows.row(key, 3).serialize());
    assertThat(file.keyStats().minValues()).isEqualTo(file.minKey());
    assertThat(file.keyStats().maxValues()).isEqualTo(file.maxKey());
    assertThat(file.keyStats().nullCounts()).containsExactly(0L);
    assertThat(file.minSequenceNumber()).isEqualTo(5);
    assertThat(file.maxSequenceNumber()).isEqualTo(7);
    assertThat(file.level()).isEqualTo(3);
    assertThat(file.fileSource()).isEqualTo(DataFileMeta.SOURCE_COMPACTION);
    assertThat(file.valueStatsCols()).isNull();
    assertThat(file.valueStats().nullCounts()).containsExactly(0L, 1L, 2L, 0L, 1L);
    BinaryRow min = BinaryRow.deserialize(file.valueStats().minValues());
    BinaryRow max = BinaryRow.deserialize(file.valueStats().maxValues());
    assertThat(TestRows.values(schema.rowType(), min))
        .isEqualTo(row(1, "__DEFAULT_PARTIT", null, null, at));
    assertThat(TestRows.values(schema.rowType(), max))
        .isEqualTo(row(3, "__DEFAULT_PARTIU", null, null, at.plusDays(1)));
    // The wall clock of Tokyo, read as if it were UTC.
    assertThat(Instant.ofEpochMilli(file.creationTimeMillis()))
        .isEqualTo(Instant.parse("2026-01-02T12:04:05.006Z"));
    try (KeyValueReader reader =
        format.createReader(
            io, new StoredFile(path, file, schema, schema.rowType().project(new int[] {0})))) {
      List<String> records = new ArrayList<>();
      while (reader.advance()) {
        records.add(
            reader.row().getInt(0) + reader.kind().shortText() + "#" + reader.sequenceNumber());
      }
      assertThat(records).containsExactly("1+I#7", "2-D#5", "3+U#6");
    }
  }

  @Test
  void leavesOutStatisticsThatNobodyWants() throws Exception {
    TableSchema schema =
        table(
            Map.of("metadata.stats-mode", "none", "fields.c1.stats-mode", "counts"),
            DataTypes.STRING,
            DataTypes.INT);
    DataFileMeta file = write(path(), schema, List.of(row(1, "a", null)));
    assertThat(file.valueStatsCols()).containsExactly("c1");
    assertThat(file.valueStats().nullCounts()).containsExactly(1L);
    assertThat(file.keyStats().nullCounts()).containsExactly(0L);
  }

  @Test
  void findsColumnsOfOlderSchemasByIdAndWidensThem() throws Exception {
    TableSchema old =
        table(
            DataTypes.INT,
            DataTypes.FLOAT,
            DataTypes.decimal(8, 2),
            DataTypes.varchar(10),
            DataTypes.timestamp(3),
            DataTypes.SMALLINT,
            DataTypes.decimal(18, 2),
            DataTypes.TINYINT);
    LocalDateTime at = LocalDateTime.of(2020, 1, 2, 3, 4, 5, 6_000_000);
    String path = path();
    DataFileMeta file =
        write(
            path,
            old,
            List.of(
                row(1, -7, 1.5f, dec("-123456.78"), "text", at, (short) -9, dec("1.25"), (byte) -3),
                row(2, null, null, null, null, null, null, null, null)));
    RowType now =
        new RowType(
            List.of(
                new DataField(1, "renamed", DataTypes.BIGINT),
                new DataField(99, "c1", DataTypes.INT),
                new DataField(2, "c2", DataTypes.DOUBLE),
                new DataField(3, "c3", DataTypes.decimal(12, 4)),
                new DataField(4, "c4", DataTypes.STRING),
                new DataField(5, "c5", DataTypes.timestamp(6)),
                new DataField(6, "c6", DataTypes.decimal(20, 2)),
                new DataField(7, "c7", DataTypes.decimal(20, 3)),
                new DataField(8, "c8", DataTypes.decimal(5, 1))));
    assertThat(read(path, file, old, now))
        .isEqualTo(
            List.of(
                row(
                    -7L,
                    null,
                    1.5,
                    dec("-123456.7800"),
                    "text",
                    at,
                    dec("-9.00"),
                    dec("1.250"),
                    dec("-3.0")),
                row(null, null, null, null, null, null, null, null, null)));
    RowType other = new RowType(List.of(new DataField(4, "number", DataTypes.SMALLINT)));
    assertThatThrownBy(() -> read(path, file, old, other))
        .isInstanceOf(UnsupportedTableException.class)
        .hasMessageContaining("number")
        .hasMessageContaining("SMALLINT");
  }

  @Test
  void readsFilesWithoutKeyColumns() throws Exception {
    TableSchema schema = table(Map.of("data-file.thin-mode", "true"), DataTypes.STRING);
    roundTrip(schema, List.of(row(1, "a"), row(2, "b")));
  }

  @Test
  void saysWhatIsWrongWithAFile() throws Exception {
    TableSchema schema = table(DataTypes.STRING);
    List<List<Object>> rows = new ArrayList<>();
    for (int i = 0; i < 3000; i++) {
      rows.add(row(i, "value " + i * 7919 % 3000));
    }
    String path = path();
    DataFileMeta file = write(path, schema, rows);
    byte[] bytes = Files.readAllBytes(Path.of(path));
    int refused = 0;
    for (int at = 0; at < bytes.length; at += Math.max(1, bytes.length / 300)) {
      byte[] damaged = bytes.clone();
      damaged[at] ^= 0x55;
      Files.write(Path.of(path), damaged);
      try {
        read(path, file, schema, schema.rowType());
      } catch (CorruptTableException e) {
        assertThat(e).hasMessageContaining(path);
        refused++;
      } catch (AssertionError e) {
        // Values changed without ORC's notice: zstd frames carry no checksum here.
        refused++;
      }
    }
    assertThat(refused).isGreaterThan(100);
    Files.write(Path.of(path), Arrays.copyOf(bytes, bytes.length / 2));
    assertThatThrownBy(() -> read(path, file, schema, schema.rowType()))
        .isInstanceOf(CorruptTableException.class)
        .hasMessageContaining(path);
    Files.delete(Path.of(path));
    assertThatThrownBy(() -> read(path, file, schema, schema.rowType()))
        .isInstanceOf(CorruptTableException.class)
        .hasMessageContaining(path)
        .hasMessageContaining("expired");
  }

  @Test
  void refusesValuesThatWouldBeCut() {
    TableSchema schema = table(DataTypes.varchar(3), DataTypes.character(3));
    assertThat(
            org.assertj.core.api.Assertions.catchThrowable(
                () -> write(path(), schema, List.of(row(1, "üßä", "ab")))))
        .isNull();
    assertThatThrownBy(() -> write(path(), schema, List.of(row(1, "üßäö", "ab"))))
        .hasMessageContaining("c0")
        .hasMessageContaining("4 characters");
    assertThatThrownBy(() -> write(path(), schema, List.of(row(1, "a", "ab "))))
        .hasMessageContaining("c1")
        .hasMessageContaining("blank");
    TableSchema strict = table(DataTypes.INT.withNullable(false));
    assertThatThrownBy(() -> write(path(), strict, List.of(row(1, (Object) null))))
        .hasMessageContaining("c0")
        .hasMessageContaining("NOT NULL");
  }

  @Test
  void smallFilesHaveSmallBuffers() throws Exception {
    assertThat(bufferBytes(table(DataTypes.INT), 300, 7)).isEqualTo(8 << 10);
    assertThat(bufferBytes(table(DataTypes.INT), NewFile.UNKNOWN, 7)).isEqualTo(256 << 10);
    String text = "x".repeat(100);
    assertThat(bufferBytes(table(DataTypes.STRING), 3000, text)).isEqualTo(64 << 10);
    assertThat(bufferBytes(table(DataTypes.STRING), 1_000_000, text)).isEqualTo(256 << 10);
    DataType[] many = new DataType[500];
    Arrays.fill(many, DataTypes.STRING);
    Object[] texts = new Object[many.length];
    Arrays.fill(texts, text);
    assertThat(bufferBytes(table(many), 3000, texts)).isLessThanOrEqualTo(8 << 10);
    TableSchema asked = table(Map.of("orc.compress.size", "4096"), DataTypes.INT);
    assertThat(bufferBytes(asked, 300, 7)).isEqualTo(4096);
    assertThat(bufferBytes(asked, NewFile.UNKNOWN, 7)).isEqualTo(4096);
  }

  /** Of a file that takes two batches, so that nobody knows its rows when it begins. */
  private int bufferBytes(TableSchema schema, long rowsMax, Object... values) throws Exception {
    String path = path();
    KeyValueWriter writer =
        format.createWriter(io, new NewFile(path, schema, 0, DataFileMeta.SOURCE_FLUSH, rowsMax));
    int rows = (int) Math.min(rowsMax, 3000);
    List<List<Object>> expected = new ArrayList<>();
    Object[] row = new Object[values.length + 1];
    System.arraycopy(values, 0, row, 1, values.length);
    for (int i = 0; i < rows; i++) {
      row[0] = i;
      writer.write(TestRows.row(schema.rowType(), row), i, RowKind.INSERT);
      expected.add(TestRows.normal(row));
    }
    writer.finish();
    assertThat(new PaimonOrc(schema.rowType().fields()).read(path)).isEqualTo(expected);
    try (Reader reader =
        OrcFile.createReader(
            new org.apache.hadoop.fs.Path(path), OrcFile.readerOptions(new Configuration(false)))) {
      return reader.getCompressionSize();
    }
  }

  @Test
  void leavesNothingOfAnAbortedFile() throws Exception {
    TableSchema schema = table(DataTypes.STRING);
    String path = path();
    KeyValueWriter writer =
        format.createWriter(
            io, new NewFile(path, schema, 0, DataFileMeta.SOURCE_FLUSH, NewFile.UNKNOWN));
    for (int i = 0; i < 5000; i++) {
      writer.write(TestRows.row(schema.rowType(), i, "v" + i), i, RowKind.INSERT);
    }
    assertThat(Files.exists(Path.of(path))).isTrue();
    writer.abort();
    assertThat(Files.exists(Path.of(path))).isFalse();
  }
}
