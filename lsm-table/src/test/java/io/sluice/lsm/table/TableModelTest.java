package io.sluice.lsm.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.binary.BinaryRowWriter;
import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.scan.PredicateParser;
import io.sluice.lsm.scan.TableScan;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.DataTypes;
import io.sluice.lsm.schema.RowType;
import io.sluice.lsm.schema.TableSchema;
import io.sluice.lsm.snapshot.Snapshot;
import io.sluice.lsm.testing.CanonicalRows;
import io.sluice.lsm.testing.TableHistory;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Random histories of a table of rows with a key, partitioned or not, against a TreeMap: writes in
 * and out of order, and all that {@link TableHistory} does. Columns are added, dropped, renamed and
 * widened. Conditions are compared after each commit, too.
 */
class TableModelTest {

  private static final int VALUE = 0;
  private static final int ID = 1;
  private static final int PART = 2;

  @Test
  void anyHistoryReadsAsTheModel() {
    TableHistory.runAll(50, 20_261_129L, History::new);
  }

  /**
   * What the model knows of a key.
   *
   * @param sequence negative if Paimon has given it: not known here
   * @param added values of added columns by their field id
   */
  private record Entry(long sequence, boolean live, int value, Map<Integer, String> added) {}

  private static final class History extends TableHistory {
    private final boolean textKey;
    private TableSchema schema;

    /** Key -> what was written last; and how it was at the last commit. */
    private Map<Integer, Entry> written = new TreeMap<>();

    private Map<Integer, Entry> committed = new TreeMap<>();

    History(long seed) throws IOException {
      super(seed);
      boolean partitioned = dice.nextBoolean();
      this.textKey = dice.nextBoolean();
      Map<String, String> options = new LinkedHashMap<>();
      options.put("bucket", Integer.toString(1 + dice.nextInt(3)));
      options.put("file.format", List.of("orc", "orc", "parquet", "avro").get(dice.nextInt(4)));
      options.put("num-sorted-run.compaction-trigger", Integer.toString(2 + dice.nextInt(4)));
      options.put("target-file-size", dice.nextBoolean() ? "2 kb" : "64 mb");
      options.put("compaction.size-ratio", Integer.toString(dice.nextInt(30)));
      options.put("manifest.merge-min-count", Integer.toString(2 + dice.nextInt(30)));
      this.schema =
          new TableSchema(
              0,
              new RowType(
                  List.of(
                      new DataField(VALUE, "value", DataTypes.INT),
                      new DataField(
                          ID,
                          "id",
                          (textKey ? DataTypes.STRING : DataTypes.BIGINT).withNullable(false)),
                      new DataField(PART, "part", DataTypes.INT.withNullable(false)))),
              PART,
              partitioned ? List.of("part") : List.of(),
              partitioned ? List.of("part", "id") : List.of("id"),
              options,
              null,
              0);
      create(schema);
    }

    @Override
    public String toString() {
      return schema.rowType().fields() + " " + schema.partitionKeys() + " " + schema.options();
    }

    private String key(int id) {
      // Long common beginnings: prefixes of eight bytes don't decide.
      return textKey ? (id % 3 == 0 ? "k" + id : "customer-" + id) : Integer.toString(id);
    }

    private static int part(int id) {
      return id % 3;
    }

    @Override
    protected void write(int count) throws IOException {
      StringBuilder text = new StringBuilder("write");
      for (int i = 0; i < count; i++) {
        int id = dice.nextInt(60);
        Entry before = written.get(id);
        boolean late =
            before != null && before.live() && before.sequence() >= 0 && dice.nextInt(6) == 0;
        long sequence = late ? before.sequence() - 5 : nextSequence();
        Entry entry = entry(sequence);
        table().write(row(id, entry, text), sequence);
        if (!late) {
          written.put(id, entry);
        }
      }
      log(text.toString());
    }

    private Entry entry(long sequence) {
      Map<Integer, String> added = new TreeMap<>();
      for (DataField field : schema.rowType().fields()) {
        if (field.id() > PART && dice.nextInt(3) > 0) {
          added.put(field.id(), "text " + dice.nextInt(10));
        }
      }
      return new Entry(sequence, dice.nextInt(4) > 0, dice.nextInt(1000), added);
    }

    private BinaryRow row(int id, Entry entry, StringBuilder text) {
      text.append(' ').append(entry.live() ? '+' : '-').append(id).append('=');
      text.append(entry.value()).append(entry.added()).append('@').append(entry.sequence());
      BinaryRowWriter row = new BinaryRowWriter(schema.rowType().size());
      row.reset();
      for (int i = 0; i < schema.rowType().size(); i++) {
        DataField field = schema.rowType().field(i);
        switch (field.id()) {
          case VALUE -> {
            if (field.type().root() == DataTypes.INT.root()) {
              row.writeInt(i, entry.value());
            } else {
              row.writeLong(i, entry.value());
            }
          }
          case ID -> {
            if (textKey) {
              row.writeString(i, key(id));
            } else {
              row.writeLong(i, id);
            }
          }
          case PART -> row.writeInt(i, part(id));
          default -> {
            String added = entry.added().get(field.id());
            if (added == null) {
              row.setNull(i);
            } else {
              row.writeString(i, added);
            }
          }
        }
      }
      return row.finish(entry.live() ? RowKind.INSERT : RowKind.DELETE).copy();
    }

    @Override
    protected List<BinaryRow> rowsForPaimon() {
      List<BinaryRow> batch = new ArrayList<>();
      StringBuilder text = new StringBuilder();
      for (int i = 0; i < 10; i++) {
        int id = dice.nextInt(60);
        Entry entry = entry(-1);
        batch.add(row(id, entry, text));
        written.put(id, entry);
      }
      log(text.toString());
      return batch;
    }

    @Override
    protected void committed() {
      committed = new TreeMap<>(written);
    }

    @Override
    protected void restarted() {
      written = new TreeMap<>(committed);
    }

    @Override
    protected @Nullable TableSchema changeSchema() {
      List<DataField> fields = new ArrayList<>(schema.rowType().fields());
      int highest = schema.highestFieldId();
      int at = dice.nextInt(fields.size());
      DataField field = fields.get(at);
      switch (dice.nextInt(4)) {
        case 0 -> {
          if (field.id() <= PART) {
            return null;
          }
          fields.remove(at);
        }
        case 1 -> {
          if (field.id() == ID || field.id() == PART) {
            return null;
          }
          String name = field.name().replaceAll("_.*", "") + "_" + schema.id();
          fields.set(at, new DataField(field.id(), name, field.type()));
        }
        case 2 -> {
          if (field.id() != VALUE) {
            return null;
          }
          fields.set(at, new DataField(VALUE, field.name(), DataTypes.BIGINT));
        }
        default -> {
          highest++;
          fields.add(at, new DataField(highest, "added" + highest, DataTypes.STRING));
        }
      }
      schema =
          new TableSchema(
              schema.id() + 1,
              new RowType(fields),
              highest,
              schema.partitionKeys(),
              schema.primaryKeys(),
              schema.options(),
              null,
              schema.timeMillis() + 1);
      return schema;
    }

    // -------------------------------------------------------------- checks

    @Override
    protected List<Map<String, String>> expected() {
      List<Map<String, String>> rows = new ArrayList<>();
      committed.forEach(
          (id, entry) -> {
            if (entry.live()) {
              Map<String, String> row = new LinkedHashMap<>();
              for (DataField field : schema.rowType().fields()) {
                row.put(
                    field.name(),
                    switch (field.id()) {
                      case VALUE -> Integer.toString(entry.value());
                      case ID -> key(id);
                      case PART -> Integer.toString(part(id));
                      default -> entry.added().get(field.id());
                    });
              }
              rows.add(row);
            }
          });
      return rows;
    }

    @Override
    protected void checkMore(List<Map<String, String>> rows) throws IOException {
      Snapshot latest = table().table().snapshots().findLatest();
      TableStatistics statistics = table().table().statistics(latest);
      assertThat(statistics.records()).isEqualTo(latest == null ? 0 : latest.totalRecordCount());
      int id = dice.nextInt(60);
      String literal = textKey ? "'" + key(id) + "'" : Integer.toString(id);
      String value =
          schema.rowType().fields().stream()
              .filter(field -> field.id() == VALUE)
              .findFirst()
              .orElseThrow()
              .name();
      for (String condition :
          List.of(
              "id = " + literal,
              "id >= " + literal + " AND part = " + part(id),
              "id < " + literal + " OR value > 500",
              "id IN (" + literal + ", " + literal + ") AND value IS NOT NULL",
              "part != 1 AND value <= 500")) {
        TableScan scan =
            table()
                .table()
                .newScan()
                .where(PredicateParser.parse(condition.replace("value", value)));
        List<Map<String, String>> wanted = new ArrayList<>(rows);
        wanted.removeIf(row -> !passes(condition, id, value, row));
        assertThat(CanonicalRows.sorted(CanonicalRows.read(scan))).as(condition).isEqualTo(wanted);
        assertThat(CanonicalRows.sorted(CanonicalRows.read(scan.columns(List.of(value)))))
            .as(condition)
            .isEqualTo(
                CanonicalRows.sorted(
                    wanted.stream().map(row -> Map.of(value, row.get(value))).toList()));
      }
    }

    private boolean passes(String condition, int id, String valueColumn, Map<String, String> row) {
      int order =
          textKey
              ? row.get("id").compareTo(key(id))
              : Long.compare(Long.parseLong(row.get("id")), id);
      int value = Integer.parseInt(row.get(valueColumn));
      int part = Integer.parseInt(row.get("part"));
      if (condition.startsWith("id = ") || condition.startsWith("id IN")) {
        return order == 0;
      }
      if (condition.startsWith("id >=")) {
        return order >= 0 && part == part(id);
      }
      if (condition.startsWith("id <")) {
        return order < 0 || value > 500;
      }
      return part != 1 && value <= 500;
    }
  }
}
