package io.sluice.lsm.scan;

import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.binary.BinaryRowProjection;
import io.sluice.lsm.binary.BucketHash;
import io.sluice.lsm.datafile.DataFileMeta;
import io.sluice.lsm.datafile.DecodingThreads;
import io.sluice.lsm.datafile.FileFormat;
import io.sluice.lsm.error.UnsupportedTableException;
import io.sluice.lsm.index.DeletionVectors;
import io.sluice.lsm.io.FileIO;
import io.sluice.lsm.level.BucketId;
import io.sluice.lsm.level.BucketReader;
import io.sluice.lsm.level.Sections;
import io.sluice.lsm.level.Sections.Section;
import io.sluice.lsm.manifest.ManifestEntry;
import io.sluice.lsm.manifest.ManifestFileMeta;
import io.sluice.lsm.manifest.ManifestStore;
import io.sluice.lsm.manifest.PartitionFilter;
import io.sluice.lsm.manifest.PartitionFilter.ColumnRange;
import io.sluice.lsm.manifest.PartitionPaths;
import io.sluice.lsm.merge.MergeRules;
import io.sluice.lsm.merge.SerializedKeyComparator;
import io.sluice.lsm.row.Row;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.DataType;
import io.sluice.lsm.schema.MergeEngine;
import io.sluice.lsm.schema.RowType;
import io.sluice.lsm.schema.TableOptions;
import io.sluice.lsm.schema.TableSchema;
import io.sluice.lsm.schema.UnsupportedFeatures;
import io.sluice.lsm.snapshot.SchemaStore;
import io.sluice.lsm.snapshot.Snapshot;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Reads one snapshot of a table. Immutable: the methods that narrow a scan give a new one. Rows
 * come in key order within a bucket, buckets one after the other, in bounded memory.
 *
 * <p>Files are left out by partition (manifests without one that can pass are not read), by bucket
 * (where the condition fixes the whole bucket key) and by the range of their keys. That never loses
 * a row: all records of a key have that key, so either none of the files that hold them is left out
 * or the key does not pass anyway. By the ranges of other columns only whole sections are left out:
 * those of one file; and, where a row is always one of the records of its key, those whose files
 * all cannot pass. A newer record is never left out while an older one is read.
 *
 * <p>Within a file, parts are left out by the statistics that ORC and Parquet keep of them: where
 * files are merged only by the columns of the key, so that all records of a key stay together; else
 * by all columns.
 */
public final class TableScan {

  /** What a scan works with. */
  public record Parts(
      FileIO fileIO,
      FileFormat format,
      SchemaStore schemas,
      ManifestStore manifests,
      PartitionPaths paths) {}

  private static final int POSTPONED_BUCKET = -2;

  private final Parts parts;
  private final @Nullable Snapshot snapshot;
  private final TableSchema schema;
  private final List<String> columns;
  private final @Nullable Filter filter;
  private final boolean numbered;
  private final @Nullable DecodingThreads threads;
  private final boolean levelZeroHidden;
  private final boolean rowIsARecord;
  private @Nullable DeletionVectors deletions;

  private TableScan(
      Parts parts,
      @Nullable Snapshot snapshot,
      TableSchema schema,
      List<String> columns,
      @Nullable Filter filter,
      boolean numbered,
      @Nullable DecodingThreads threads) {
    this.parts = parts;
    this.snapshot = snapshot;
    this.schema = schema;
    this.columns = List.copyOf(columns);
    this.filter = filter;
    this.numbered = numbered;
    this.threads = threads;
    TableOptions options = TableOptions.of(schema);
    this.levelZeroHidden =
        !schema.primaryKeys().isEmpty()
            && (options.deletionVectors() || options.mergeEngine() == MergeEngine.FIRST_ROW);
    this.rowIsARecord =
        options.mergeEngine() == MergeEngine.DEDUPLICATE
            || options.mergeEngine() == MergeEngine.FIRST_ROW;
  }

  /**
   * A scan of all columns and rows.
   *
   * @param snapshot null reads nothing: a table before its first commit
   * @param schema that readers shall see: the newest, or that of the snapshot for time travel
   */
  public static TableScan of(Parts parts, @Nullable Snapshot snapshot, TableSchema schema) {
    List<String> all = schema.rowType().fields().stream().map(DataField::name).toList();
    return new TableScan(parts, snapshot, schema, all, null, false, null);
  }

  /** The snapshot that is read; null if there is none. */
  public @Nullable Snapshot snapshot() {
    return snapshot;
  }

  /** The schema that the rows have. */
  public TableSchema schema() {
    return schema;
  }

  /**
   * Only these columns, in this order.
   *
   * @throws NoSuchElementException naming a column that the table lacks
   */
  public TableScan columns(List<String> wanted) {
    schema.rowType().positions(wanted);
    return new TableScan(parts, snapshot, schema, wanted, filter, numbered, threads);
  }

  /**
   * Only rows that fulfil the condition, in place of an earlier one.
   *
   * @throws IllegalArgumentException if it does not fit the table's columns
   */
  public TableScan where(Predicate predicate) {
    return new TableScan(
        parts, snapshot, schema, columns, predicate.bind(schema.rowType()), numbered, threads);
  }

  /** With {@link RowReader#sequenceNumber}, which else is not read where it isn't needed. */
  public TableScan withSequenceNumbers() {
    return new TableScan(parts, snapshot, schema, columns, filter, true, threads);
  }

  /**
   * Large ORC files are decoded ahead of whoever reads the rows, their columns side by side, by
   * that thread and these; else by that thread alone. The rows and their order are the same. Each
   * file that is open takes up to 8 MiB more for it, or three batches where rows are large.
   */
  public TableScan ahead(DecodingThreads on) {
    return new TableScan(parts, snapshot, schema, columns, filter, numbered, on);
  }

  /** The columns that {@link #open} gives. */
  public RowType rowType() {
    return schema.rowType().project(schema.rowType().positions(columns));
  }

  /** What is to be read, by bucket; ordered by partition folder and bucket. */
  public List<Split> splits() throws IOException {
    if (snapshot == null) {
      return List.of();
    }
    Map<BucketId, List<ManifestEntry>> buckets = new LinkedHashMap<>();
    for (ManifestEntry entry : parts.manifests().liveFiles(snapshot, partitionFilter()).entries()) {
      if (visible(entry) && (filter == null || mayHoldRows(entry, filter))) {
        buckets
            .computeIfAbsent(
                new BucketId(entry.partition(), entry.bucket()), id -> new ArrayList<>())
            .add(entry);
      }
    }
    List<Split> splits = new ArrayList<>();
    buckets.forEach(
        (id, entries) ->
            splits.add(
                new Split(
                    id.partition(),
                    id.bucket(),
                    entries.get(0).totalBuckets(),
                    entries.stream().map(ManifestEntry::file).toList())));
    splits.sort(
        Comparator.comparing((Split split) -> parts.paths().partitionPath(split.partition()))
            .thenComparingInt(Split::bucket));
    return splits;
  }

  /** All rows. */
  public RowReader open() throws IOException {
    return new SplitsReader(this, splits());
  }

  /** The rows of one split. Splits may be read by several threads, each its own. */
  public RowReader open(Split split) throws IOException {
    RowType all = schema.rowType();
    int[] wanted = all.positions(columns);
    refuseUnreadable(wanted);
    List<Section> sections = sections(split);
    boolean merging = sections.stream().anyMatch(section -> section.runs().size() > 1);
    MergeRules rules = merging ? MergeRules.of(schema) : null;
    int[] read = columnsToRead(wanted, rules);
    RowType readType = all.project(read);
    int[] sources = sources(read);
    int[] outputSources = Arrays.stream(wanted).map(column -> sources[column]).toArray();
    Row none = new BinaryRow(0);
    BucketReader files =
        new BucketReader(
                parts.fileIO(),
                parts.format(),
                parts.schemas()::read,
                parts.paths().bucketFolder(split.partition(), split.bucket()),
                readType,
                file ->
                    deletions()
                        .find(split.partition(), split.bucket(), file.fileName(), file.rowCount()))
            .ahead(threads);
    return new MergeReader(
        all.project(wanted),
        wherePossible(files),
        whereKeys(files, new ColumnsView(sources, none, split.partition())),
        sections,
        rules == null ? null : rules.engine(readType),
        new ColumnsView(outputSources, none, split.partition()),
        filter,
        new ColumnsView(sources, none, split.partition()),
        numbered);
  }

  /** Leaves out whatever can't pass: each record is a row of its own. */
  private BucketReader wherePossible(BucketReader files) {
    Set<String> partition = Set.copyOf(schema.partitionKeys());
    Filter possible =
        filter == null ? null : filter.over(column -> !partition.contains(name(column)));
    return possible == null ? files : files.where(possible.forFiles(), null);
  }

  /** Leaves out records whose keys can't pass: the other records of such a key can't, either. */
  private BucketReader whereKeys(BucketReader files, ColumnsView record) {
    Set<String> keys = Set.copyOf(schema.trimmedPrimaryKeys());
    Filter ofKeys = filter == null ? null : filter.over(column -> keys.contains(name(column)));
    if (ofKeys == null) {
      return files;
    }
    return files.where(
        ofKeys.forFiles(),
        row -> {
          record.moveTo(row);
          return ofKeys.test(record);
        });
  }

  private String name(int column) {
    return schema.rowType().field(column).name();
  }

  /** What is merged together; the files of a table without a key follow one another. */
  private List<Section> allSections(Split split) {
    if (schema.primaryKeys().isEmpty()) {
      return split.files().stream()
          .sorted(
              Comparator.comparingLong(DataFileMeta::minSequenceNumber)
                  .thenComparing(DataFileMeta::fileName))
          .map(file -> new Section(List.of(List.of(file))))
          .toList();
    }
    return Sections.of(new SerializedKeyComparator(schema), split.files());
  }

  private void refuseUnreadable(int[] wanted) {
    for (int column : wanted) {
      DataField field = schema.rowType().field(column);
      if (UnsupportedFeatures.holdsVariant(field.type())) {
        throw new UnsupportedTableException(
            "Column "
                + field.name()
                + " is or holds a VARIANT, which this engine does not read. Name the other columns"
                + " instead.");
      }
    }
    if (filter != null) {
      for (int column : filter.columns()) {
        DataField field = schema.rowType().field(column);
        if (field.type().root().isNested()) {
          throw new UnsupportedTableException(
              "Column "
                  + field.name()
                  + " is of type "
                  + field.type().root()
                  + ", which a condition can't look at");
        }
      }
    }
  }

  /** Positions of the columns to be read from files: partition values come from the manifest. */
  private int[] columnsToRead(int[] wanted, @Nullable MergeRules rules) {
    Set<Integer> read = new TreeSet<>();
    for (int column : wanted) {
      read.add(column);
    }
    if (filter != null) {
      read.addAll(filter.columns());
    }
    for (int column : schema.rowType().positions(schema.partitionKeys())) {
      read.remove(column);
    }
    if (rules != null) {
      List<String> names = read.stream().map(i -> schema.rowType().field(i).name()).toList();
      for (int column : schema.rowType().positions(rules.neededFor(names))) {
        read.add(column);
      }
    }
    return read.stream().mapToInt(Integer::intValue).toArray();
  }

  /** Where each column of the table is found, see {@link ColumnsView}. */
  private int[] sources(int[] read) {
    int[] sources = new int[schema.rowType().size()];
    Arrays.fill(sources, ColumnsView.ABSENT);
    for (int i = 0; i < read.length; i++) {
      sources[read[i]] = i;
    }
    int[] partition = schema.rowType().positions(schema.partitionKeys());
    for (int i = 0; i < partition.length; i++) {
      sources[partition[i]] = -1 - i;
    }
    return sources;
  }

  /**
   * Rows of a first-row table show once they are compacted: only then it is known that there is no
   * older one. Those of a table with deletion vectors, too: only then the older one is marked. Rows
   * in the postponed bucket show when they have been brought to their buckets (format description
   * sections 6.6, 8.7 and 10).
   */
  private boolean visible(ManifestEntry entry) {
    return entry.bucket() != POSTPONED_BUCKET && (!levelZeroHidden || entry.file().level() > 0);
  }

  /** Read when the first file is opened: most snapshots have none. */
  private synchronized DeletionVectors deletions() throws IOException {
    DeletionVectors result = deletions;
    if (result == null) {
      result =
          DeletionVectors.of(
              parts.fileIO(),
              parts.paths().table(),
              parts.manifests(),
              snapshot == null ? null : snapshot.indexManifest());
      deletions = result;
    }
    return result;
  }

  // ---------------------------------------------------------------- pruning

  /** The partitions in which the condition may pass. */
  private PartitionFilter partitionFilter() {
    Filter condition = filter;
    if (condition == null || schema.partitionKeys().isEmpty()) {
      return PartitionFilter.ALL;
    }
    int columns = schema.partitionKeys().size();
    return new PartitionFilter() {
      @Override
      public boolean test(BinaryRow partition) {
        return condition.mayPass(column -> partitionRange(partition, column));
      }

      @Override
      public boolean mayHold(ManifestFileMeta manifest) {
        return condition.mayPass(
            column -> {
              int inPartition = inPartition(column);
              ColumnRange range =
                  inPartition < 0 ? null : ColumnRange.of(manifest, inPartition, columns);
              return range == null
                  ? null
                  : new Filter.Range(range.min(), range.max(), inPartition, range.nullsPossible());
            });
      }
    };
  }

  private int inPartition(int column) {
    return schema.partitionKeys().indexOf(schema.rowType().field(column).name());
  }

  /** Null for a column that is none of the partition's. */
  private Filter.@Nullable Range partitionRange(BinaryRow partition, int column) {
    int inPartition = inPartition(column);
    if (inPartition < 0) {
      return null;
    }
    return partition.isNullAt(inPartition)
        ? new Filter.Range(null, null, inPartition, true)
        : new Filter.Range(partition, partition, inPartition, false);
  }

  private boolean mayHoldRows(ManifestEntry entry, Filter condition) {
    return inBucket(entry, condition)
        && condition.mayPass(new FileBounds(entry.partition(), entry.file(), null));
  }

  /** The sections of a split that may hold rows. */
  private List<Section> sections(Split split) throws IOException {
    List<Section> all = allSections(split);
    if (filter == null) {
      return all;
    }
    List<Section> left = new ArrayList<>();
    for (Section section : all) {
      if (mayHoldRows(section, split.partition(), filter)) {
        left.add(section);
      }
    }
    return left;
  }

  private boolean mayHoldRows(Section section, BinaryRow partition, Filter condition)
      throws IOException {
    if (section.fileCount() > 1 && !rowIsARecord) {
      return true;
    }
    for (List<DataFileMeta> run : section.runs()) {
      for (DataFileMeta file : run) {
        TableSchema fileSchema = parts.schemas().read(file.schemaId());
        if (condition.mayPass(new FileBounds(partition, file, fileSchema))) {
          return true;
        }
      }
    }
    return false;
  }

  /** False if the condition fixes the bucket key and it hashes elsewhere. */
  private boolean inBucket(ManifestEntry entry, Filter condition) {
    String function = schema.options().getOrDefault("bucket-function.type", "default").trim();
    if (entry.totalBuckets() <= 0 || !function.equals("default")) {
      return true;
    }
    int[] bucketKeys = schema.rowType().positions(schema.bucketKeys());
    BinaryRow[] values = new BinaryRow[bucketKeys.length];
    for (int i = 0; i < bucketKeys.length; i++) {
      BinaryRow value = condition.requiredValue(bucketKeys[i]);
      if (value == null) {
        return true;
      }
      values[i] = value;
    }
    int[] own = new int[bucketKeys.length];
    Arrays.setAll(own, i -> i);
    BinaryRow key =
        new BinaryRowProjection(schema.rowType().project(bucketKeys), own)
            .apply(new SingleValuesRow(values));
    return BucketHash.bucket(key, entry.totalBuckets()) == entry.bucket();
  }

  /**
   * What is known of the values in a file: its partition, the range of its keys and, with the
   * schema that wrote it, those of its other columns.
   */
  private final class FileBounds implements Filter.Bounds {
    private final BinaryRow values;
    private final DataFileMeta file;
    private final @Nullable TableSchema fileSchema;
    private final List<String> keys = schema.trimmedPrimaryKeys();

    FileBounds(BinaryRow partition, DataFileMeta file, @Nullable TableSchema fileSchema) {
      this.values = partition;
      this.file = file;
      this.fileSchema = fileSchema;
    }

    @Override
    public Filter.@Nullable Range range(int column) {
      String name = schema.rowType().field(column).name();
      Filter.Range partition = partitionRange(values, column);
      if (partition != null) {
        return partition;
      }
      int inKey = keys.indexOf(name);
      if (inKey >= 0) {
        return keyRange(inKey, schema.rowType().type(column));
      }
      return fileSchema == null
          ? null
          : ValueBounds.range(schema.rowType().field(column), fileSchema, file);
    }

    private Filter.@Nullable Range keyRange(int inKey, DataType type) {
      BinaryRow min;
      BinaryRow max;
      if (inKey == 0) {
        // The first column of the exact smallest and largest keys bounds it exactly.
        min = BinaryRow.deserialize(file.minKey());
        max = BinaryRow.deserialize(file.maxKey());
      } else {
        min = BinaryRow.deserialize(file.keyStats().minValues());
        max = BinaryRow.deserialize(file.keyStats().maxValues());
      }
      if (min.size() != keys.size() || max.size() != keys.size()) {
        return null;
      }
      if (min.isNullAt(inKey) || max.isNullAt(inKey)) {
        return null;
      }
      // Key statistics are as good as those that the file format gives of values.
      return inKey > 0 && !ValueBounds.isSure(type, min, inKey)
          ? null
          : new Filter.Range(min, max, inKey, true);
    }
  }

  /** Reads splits one after the other. */
  private static final class SplitsReader implements RowReader {
    private final TableScan scan;
    private final RowType rowType;
    private final List<Split> splits;
    private int next;
    private @Nullable RowReader current;

    SplitsReader(TableScan scan, List<Split> splits) {
      this.scan = scan;
      this.rowType = scan.rowType();
      this.splits = splits;
      scan.refuseUnreadable(scan.schema.rowType().positions(scan.columns));
    }

    @Override
    public RowType rowType() {
      return rowType;
    }

    @Override
    public boolean advance() throws IOException {
      while (true) {
        RowReader reader = current;
        if (reader != null) {
          if (reader.advance()) {
            return true;
          }
          current = null;
          reader.close();
        }
        if (next == splits.size()) {
          return false;
        }
        current = scan.open(splits.get(next++));
      }
    }

    @Override
    public Row row() {
      if (current == null) {
        throw new NoSuchElementException("There is no current row");
      }
      return current.row();
    }

    @Override
    public long sequenceNumber() {
      if (current == null) {
        throw new NoSuchElementException("There is no current row");
      }
      return current.sequenceNumber();
    }

    @Override
    public void close() throws IOException {
      RowReader reader = current;
      current = null;
      if (reader != null) {
        reader.close();
      }
    }
  }
}
