package io.sluice.lsm.scan;

import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.datafile.KeyValueReader;
import io.sluice.lsm.error.UnsupportedTableException;
import io.sluice.lsm.level.BucketReader;
import io.sluice.lsm.manifest.ManifestEntry;
import io.sluice.lsm.manifest.ManifestEntry.Kind;
import io.sluice.lsm.row.Row;
import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.schema.ChangelogProducer;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.RowType;
import io.sluice.lsm.schema.TableOptions;
import io.sluice.lsm.schema.TableSchema;
import io.sluice.lsm.schema.UnsupportedFeatures;
import io.sluice.lsm.snapshot.CommitKind;
import io.sluice.lsm.snapshot.Snapshot;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/**
 * Reads what one snapshot changed (format description section 9.3): its changelog files, if it has
 * any; in a table without a changelog producer the records that an APPEND has added, as they are,
 * so without rows from before. Other snapshots change nothing that anybody follows: compactions
 * keep the rows, and OVERWRITE is not followed. Immutable.
 *
 * <p>Changes come bucket by bucket, within a bucket in the order of its files, within a file in the
 * order of keys, and for one key in the order in which they happened.
 */
public final class ChangeScan {

  private final TableScan.Parts parts;
  private final Snapshot snapshot;
  private final TableSchema schema;
  private final List<String> columns;

  private ChangeScan(
      TableScan.Parts parts, Snapshot snapshot, TableSchema schema, List<String> columns) {
    this.parts = parts;
    this.snapshot = snapshot;
    this.schema = schema;
    this.columns = List.copyOf(columns);
  }

  /**
   * All columns.
   *
   * @param schema that readers shall see
   */
  public static ChangeScan of(TableScan.Parts parts, Snapshot snapshot, TableSchema schema) {
    return new ChangeScan(
        parts, snapshot, schema, schema.rowType().fields().stream().map(DataField::name).toList());
  }

  /**
   * Only these columns, in this order.
   *
   * @throws NoSuchElementException naming a column that the table lacks
   */
  public ChangeScan columns(List<String> wanted) {
    schema.rowType().positions(wanted);
    return new ChangeScan(parts, snapshot, schema, wanted);
  }

  /** The columns that {@link #open} gives. */
  public RowType rowType() {
    return schema.rowType().project(schema.rowType().positions(columns));
  }

  /**
   * All changes.
   *
   * @throws java.io.FileNotFoundException if they have expired
   */
  public ChangeReader open() throws IOException {
    RowType all = schema.rowType();
    int[] wanted = all.positions(columns);
    for (int column : wanted) {
      if (UnsupportedFeatures.holdsVariant(all.type(column))) {
        throw new UnsupportedTableException(
            "Column "
                + all.field(column).name()
                + " is or holds a VARIANT, which this engine does not read. Name the other columns"
                + " instead.");
      }
    }
    int[] partition = all.positions(schema.partitionKeys());
    int[] read =
        Arrays.stream(wanted)
            .filter(column -> Arrays.stream(partition).noneMatch(p -> p == column))
            .distinct()
            .toArray();
    int[] sources = new int[wanted.length];
    for (int i = 0; i < wanted.length; i++) {
      sources[i] = indexOf(read, wanted[i]);
      if (sources[i] < 0) {
        sources[i] = -1 - indexOf(partition, wanted[i]);
      }
    }
    return new Reader(files(), all.project(wanted), all.project(read), sources);
  }

  private static int indexOf(int[] values, int wanted) {
    for (int i = 0; i < values.length; i++) {
      if (values[i] == wanted) {
        return i;
      }
    }
    return -1;
  }

  private List<ManifestEntry> files() throws IOException {
    String list = snapshot.changelogManifestList();
    Long size = snapshot.changelogManifestListSize();
    if (list == null) {
      boolean plain = TableOptions.of(schema).changelogProducer() == ChangelogProducer.NONE;
      if (!plain || snapshot.commitKind() != CommitKind.APPEND) {
        return List.of();
      }
      list = snapshot.deltaManifestList();
      size = snapshot.deltaManifestListSize();
    }
    List<ManifestEntry> added = new ArrayList<>();
    for (ManifestEntry entry : parts.manifests().entries(list, size)) {
      if (entry.kind() == Kind.ADD && entry.bucket() >= 0) {
        added.add(entry);
      }
    }
    // Stable: files of a bucket stay in the order of their list.
    added.sort(
        Comparator.comparing(
                (ManifestEntry entry) -> parts.paths().partitionPath(entry.partition()))
            .thenComparingInt(ManifestEntry::bucket));
    return added;
  }

  private final class Reader implements ChangeReader {
    private final List<ManifestEntry> files;
    private final RowType rowType;
    private final RowType readType;
    private final int[] sources;
    private ColumnsView output;
    private int next;
    private @Nullable KeyValueReader current;

    Reader(List<ManifestEntry> files, RowType rowType, RowType readType, int[] sources) {
      this.files = files;
      this.rowType = rowType;
      this.readType = readType;
      this.sources = sources;
      this.output = new ColumnsView(sources, new BinaryRow(0), BinaryRow.EMPTY);
    }

    @Override
    public RowType rowType() {
      return rowType;
    }

    @Override
    public boolean advance() throws IOException {
      while (true) {
        KeyValueReader records = current;
        if (records != null) {
          if (records.advance()) {
            output.moveTo(records.row());
            return true;
          }
          current = null;
          records.close();
        }
        if (next == files.size()) {
          return false;
        }
        ManifestEntry entry = files.get(next++);
        output = new ColumnsView(sources, new BinaryRow(0), entry.partition());
        current =
            new BucketReader(
                    parts.fileIO(),
                    parts.format(),
                    parts.schemas()::read,
                    parts.paths().bucketFolder(entry.partition(), entry.bucket()),
                    readType)
                .open(entry.file());
      }
    }

    private KeyValueReader current() {
      if (current == null) {
        throw new NoSuchElementException("There is no current row");
      }
      return current;
    }

    @Override
    public Row row() {
      return output;
    }

    @Override
    public RowKind kind() {
      return current().kind();
    }

    @Override
    public long sequenceNumber() {
      return current().sequenceNumber();
    }

    @Override
    public void close() throws IOException {
      KeyValueReader records = current;
      current = null;
      if (records != null) {
        records.close();
      }
    }
  }
}
