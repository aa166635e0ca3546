package io.sluice.lsm.datafile.orc;

import io.sluice.lsm.datafile.KeyValueLayout;
import io.sluice.lsm.datafile.StoredFile;
import io.sluice.lsm.error.CorruptTableException;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.RowType;
import io.sluice.lsm.schema.TableSchema;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.apache.orc.BinaryColumnStatistics;
import org.apache.orc.ColumnStatistics;
import org.apache.orc.Reader;
import org.apache.orc.StringColumnStatistics;
import org.apache.orc.StripeStatistics;
import org.apache.orc.TypeDescription;
import org.jspecify.annotations.Nullable;

/** What is read of one file: which of its columns, in which groups, how many rows at a time. */
final class OrcReadPlan {

  /** Bytes of a flat value in a vector, about. */
  private static final int VALUE_BYTES = 16;

  /**
   * A wanted column that the file has.
   *
   * @param position among the wanted ones
   * @param vector where it stands in the file
   */
  record Found(int position, int vector, DataField stored, DataField wanted) {}

  /** Where the numbers and the kinds of records stand in the file. */
  record RecordVectors(int sequence, int kind) {}

  private final TypeDescription type;
  private final ColumnStatistics[] statistics;
  private final long rows;
  private final List<Found> found = new ArrayList<>();
  private final List<Integer> absent = new ArrayList<>();
  private final @Nullable RecordVectors recordVectors;
  private final int rowsMax;

  /**
   * @param valuesAlone whether numbers and kinds may be left out
   */
  OrcReadPlan(StoredFile file, Reader reader, boolean valuesAlone) throws IOException {
    this.type = reader.getSchema();
    this.statistics = reader.getStatistics();
    this.rows = Math.max(1, reader.getNumberOfRows());
    TableSchema schema = file.schema();
    RowType wanted = file.wanted();
    for (int i = 0; i < wanted.size(); i++) {
      DataField field = wanted.field(i);
      // Refuses what no file can give.
      OrcTypes.type(field);
      int inFile = schema.rowType().positionOfId(field.id());
      if (inFile < 0) {
        absent.add(i);
        continue;
      }
      DataField stored = schema.rowType().field(inFile);
      found.add(new Found(i, require(file.path(), stored.name()), stored, field));
    }
    found.sort(Comparator.comparingInt(Found::vector));
    // A file of whose values none is wanted is still counted by something that is read.
    boolean alone = KeyValueLayout.full(schema).append() || (valuesAlone && !found.isEmpty());
    this.recordVectors =
        alone
            ? null
            : new RecordVectors(
                require(file.path(), KeyValueLayout.SEQUENCE_NUMBER),
                require(file.path(), KeyValueLayout.VALUE_KIND));
    this.rowsMax = rowsMax(reader, include(found, recordVectors));
  }

  private int require(String path, String name) {
    int at = type.getFieldNames().indexOf(name);
    if (at < 0) {
      throw new CorruptTableException(
          path + " lacks the column " + name + "; it has " + type.getFieldNames());
    }
    return at;
  }

  /** Positions of wanted columns that are NULL in each row. */
  List<Integer> absent() {
    return absent;
  }

  /** Null if numbers and kinds are not read. */
  @Nullable RecordVectors recordVectors() {
    return recordVectors;
  }

  /** Rows to take at once, so that they are not much more than {@link OrcFormat#BATCH_BYTES}. */
  int rowsMax() {
    return rowsMax;
  }

  /** What a batch of all columns takes in memory, about. */
  long batchBytes() {
    boolean[] include = include(found, recordVectors);
    return rowsMax * ((found.size() + 2L) * VALUE_BYTES + volume(statistics, include) / rows);
  }

  TypeDescription type(Found column) {
    return type.getChildren().get(column.vector());
  }

  /** Flags by the ids of the file's type. */
  boolean[] include(List<Found> columns, @Nullable RecordVectors records) {
    boolean[] include = new boolean[type.getMaximumId() + 1];
    include[0] = true;
    for (Found column : columns) {
      include(include, column.vector());
    }
    if (records != null) {
      include(include, records.sequence());
      include(include, records.kind());
    }
    return include;
  }

  private void include(boolean[] flags, int vector) {
    TypeDescription of = type.getChildren().get(vector);
    for (int id = of.getId(); id <= of.getMaximumId(); id++) {
      flags[id] = true;
    }
  }

  /**
   * Cuts the columns into groups that stand together in the file and take about as long to decode
   * as each other. Numbers and kinds belong to the first.
   *
   * @param countMax of groups, which are never empty but for a single one
   */
  List<List<Found>> groups(int countMax) {
    double all = recordVectors == null ? 0 : 2;
    double before = all;
    for (Found column : found) {
      all += weight(type(column));
    }
    List<List<Found>> groups = new ArrayList<>();
    groups.add(new ArrayList<>());
    for (Found column : found) {
      double weight = weight(type(column));
      int group = Math.min(countMax - 1, (int) ((before + weight / 2) * countMax / all));
      List<Found> last = groups.get(groups.size() - 1);
      if (group >= groups.size() && !last.isEmpty()) {
        last = new ArrayList<>();
        groups.add(last);
      }
      last.add(column);
      before += weight;
    }
    return groups;
  }

  /** Processor time by row, roughly: measured ones of ORC 2.3, by that of an integer. */
  private double weight(TypeDescription of) {
    double own =
        switch (of.getCategory()) {
          case TIMESTAMP, TIMESTAMP_INSTANT -> 3;
          case DECIMAL -> of.getPrecision() <= TypeDescription.MAX_DECIMAL64_PRECISION ? 3 : 12;
          case STRING, VARCHAR, CHAR, BINARY -> 2;
          case LIST, MAP, STRUCT -> 8;
          default -> 1;
        };
    int id = of.getId();
    double bytes =
        id < statistics.length ? Math.max(0.0, statistics[id].getBytesOnDisk()) / rows : 0;
    double children = 0;
    if (of.getChildren() != null) {
      for (TypeDescription child : of.getChildren()) {
        children += 4 * weight(child);
      }
    }
    return own + bytes / 2 + children;
  }

  private int rowsMax(Reader reader, boolean[] include) throws IOException {
    if (volume(statistics, include) <= 8 * OrcFormat.BATCH_BYTES) {
      return OrcFormat.BATCH;
    }
    long rowBytesMax = 1;
    List<StripeStatistics> stripes = reader.getStripeStatistics(include);
    for (int i = 0; i < stripes.size(); i++) {
      long inStripe = Math.max(1, reader.getStripes().get(i).getNumberOfRows());
      rowBytesMax =
          Math.max(rowBytesMax, volume(stripes.get(i).getColumnStatistics(), include) / inStripe);
    }
    return (int) Math.max(1, Math.min(OrcFormat.BATCH, OrcFormat.BATCH_BYTES / rowBytesMax));
  }

  /** Text and binary bytes of the included columns. */
  private static long volume(ColumnStatistics[] columns, boolean[] include) {
    long bytes = 0;
    for (int id = 0; id < Math.min(columns.length, include.length); id++) {
      if (include[id] && columns[id] instanceof StringColumnStatistics text) {
        bytes += text.getSum();
      } else if (include[id] && columns[id] instanceof BinaryColumnStatistics binary) {
        bytes += binary.getSum();
      }
    }
    return bytes;
  }
}
