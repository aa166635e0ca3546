package io.sluice.lsm.datafile.orc;

import io.sluice.lsm.datafile.DataFileMeta;
import io.sluice.lsm.datafile.DecodingThreads;
import io.sluice.lsm.datafile.KeyValueLayout;
import io.sluice.lsm.datafile.ReadFailures;
import io.sluice.lsm.datafile.RowFilter;
import io.sluice.lsm.datafile.StoredFile;
import io.sluice.lsm.datafile.column.BatchReader;
import io.sluice.lsm.datafile.column.BatchRow;
import io.sluice.lsm.datafile.column.Batches;
import io.sluice.lsm.datafile.column.ReadAhead;
import io.sluice.lsm.datafile.orc.OrcColumnGroup.Wanted;
import io.sluice.lsm.datafile.orc.OrcReadPlan.Found;
import io.sluice.lsm.datafile.orc.OrcReadPlan.RecordVectors;
import io.sluice.lsm.error.CorruptTableException;
import io.sluice.lsm.io.FileIO;
import io.sluice.lsm.row.Row;
import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.DataType;
import io.sluice.lsm.schema.DataType.ArrayType;
import io.sluice.lsm.schema.DataType.MapType;
import io.sluice.lsm.schema.DataType.MultisetType;
import io.sluice.lsm.schema.DataType.NestedRowType;
import io.sluice.lsm.schema.RowType;
import io.sluice.lsm.schema.TableOptions;
import io.sluice.lsm.schema.TableSchema;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.apache.hadoop.hive.ql.io.sarg.SearchArgument;
import org.apache.orc.OrcFile;
import org.apache.orc.impl.ReaderImpl;
import org.jspecify.annotations.Nullable;

/**
 * Reads the wanted columns of one file, a batch at a time. Columns are found by field id in the
 * schema that wrote the file and by the name they have there in the file (format description
 * section 2.5). {@code _KEY_} columns are not needed. Row groups that a filter rules out are
 * skipped.
 *
 * <p>Where there are threads for it, a large file is decoded ahead: its columns in groups, one of
 * them for the reader's own thread, put together here batch by batch.
 */
final class OrcKeyValueReader implements BatchReader {

  /** Files with fewer are read batch by batch, as they are asked for. */
  private static final int AHEAD_BATCHES_MIN = 16;

  /** More are hardly faster: what is done with the rows takes time, too. */
  private static final int GROUPS_MAX = 4;

  /** A group's batches, the one that is in use among them. */
  private static final int GROUP_BATCHES_MAX = 12;

  private static final int GROUP_BATCHES_MIN = 3;

  /** What all batches of a file may take, if they are more than the fewest. */
  private static final long BATCHES_BYTES = 8 << 20;

  /** What is read of a file: all of its records, or their values without number and kind. */
  enum Part {
    RECORDS,
    VALUES
  }

  private final String path;
  private final DataFileMeta file;
  private final boolean append;
  private final ReaderImpl reader;
  private final List<Group> groups = new ArrayList<>();
  private final BatchRow row;
  private final boolean numbered;
  private int batchSize;
  private long batchStart;
  private long[] sequences = new long[0];

  /** The batches of a group of columns, and where those are shown. */
  private record Group(Batches<OrcBatch> batches, int[] positions) {}

  private OrcKeyValueReader(
      StoredFile stored, OrcStreams streams, ReaderImpl reader, boolean trusted, Part part)
      throws IOException {
    this.path = stored.path();
    this.file = stored.meta();
    this.reader = reader;
    TableSchema schema = stored.schema();
    this.append = KeyValueLayout.full(schema).append();
    OrcReadPlan plan = new OrcReadPlan(stored, reader, part == Part.VALUES);
    this.numbered = plan.recordVectors() != null;
    this.row = new BatchRow(stored.wanted().size());
    row.position = -1;
    plan.absent().forEach(row::bindAbsent);
    RowFilter filter = stored.filter();
    RowFilter inFile = filter == null ? null : filter.inFile(schema);
    SearchArgument search =
        inFile == null ? null : OrcSearch.of(inFile, reader.getSchema(), reader.getStatistics());
    boolean large = file.rowCount() >= (long) AHEAD_BATCHES_MIN * plan.rowsMax();
    DecodingThreads threads = large ? stored.threads() : null;
    // Groups of which each searches for itself might not find the same row groups.
    int countMax =
        threads == null || search != null ? 1 : Math.min(GROUPS_MAX, threads.count() + 1);
    boolean done = false;
    try {
      for (List<Found> columns : plan.groups(countMax)) {
        RecordVectors records = groups.isEmpty() ? plan.recordVectors() : null;
        boolean[] include = plan.include(columns, records);
        InstantZone zone = instants(reader, schema, stored.wanted());
        // All that may be refused, before the group holds the file open.
        List<Wanted> wanted = OrcColumnGroup.wanted(plan, columns, zone, path);
        List<OrcBatch> batches =
            Stream.generate(
                    () -> new OrcBatch(reader.getSchema(), include, columns.size(), plan.rowsMax()))
                .limit(threads == null ? 1 : batchCount(plan))
                .toList();
        OrcStreams own = groups.isEmpty() ? streams : streams.another();
        OrcColumnGroup group =
            new OrcColumnGroup(
                path,
                own,
                new OrcRecords(reader, own, trusted, include, search),
                zone,
                wanted,
                records,
                search == null ? file.rowCount() : OrcColumnGroup.ROWS_UNKNOWN);
        groups.add(
            new Group(
                threads == null
                    ? Batches.onDemand(group, batches.get(0))
                    : new ReadAhead<>(group, batches, threads.executor()),
                columns.stream().mapToInt(Found::position).toArray()));
      }
      done = true;
    } finally {
      if (!done) {
        groups.forEach(group -> closeQuietly(group.batches()));
      }
    }
  }

  private static int batchCount(OrcReadPlan plan) {
    long fit = BATCHES_BYTES / Math.max(1, plan.batchBytes());
    return (int) Math.max(GROUP_BATCHES_MIN, Math.min(GROUP_BATCHES_MAX, fit));
  }

  private static InstantZone instants(ReaderImpl reader, TableSchema schema, RowType wanted) {
    return new InstantZone(
        !TableOptions.of(schema).dataFiles().timestampLtzLegacy()
            || reader.hasMetadataValue(InstantZone.MARK)
            || !holdsInstants(schema.rowType(), wanted));
  }

  static OrcKeyValueReader open(OrcFormat format, FileIO fileIO, StoredFile file, Part part)
      throws IOException {
    String path = file.path();
    OrcStreams streams = new OrcStreams(fileIO, path, format.configuration());
    ReaderImpl reader = null;
    try {
      reader =
          new ReaderImpl(
              OrcStreams.PATH,
              OrcFile.readerOptions(format.configuration())
                  .filesystem(streams)
                  .maxLength(file.meta().fileSize())
                  .useUTCTimestamp(true)
                  .convertToProlepticGregorian(false));
      boolean trusted = streams.verify(reader.getFileTail());
      return new OrcKeyValueReader(file, streams, reader, trusted, part);
    } catch (IOException | RuntimeException e) {
      if (reader != null) {
        closeQuietly(reader);
      }
      throw ReadFailures.of(path, ReadFailures.METADATA, streams.failure(), e);
    }
  }

  /** Whether a wanted column of the file is or holds a TIMESTAMP_LTZ. */
  private static boolean holdsInstants(RowType inFile, RowType wanted) {
    for (DataField field : wanted.fields()) {
      int at = inFile.positionOfId(field.id());
      if (at >= 0 && holdsInstants(inFile.type(at))) {
        return true;
      }
    }
    return false;
  }

  private static boolean holdsInstants(DataType type) {
    return switch (type.root()) {
      case TIMESTAMP_LTZ -> true;
      case ARRAY -> holdsInstants(((ArrayType) type).element());
      case MAP -> holdsInstants(((MapType) type).key()) || holdsInstants(((MapType) type).value());
      case MULTISET -> holdsInstants(((MultisetType) type).element());
      case ROW ->
          ((NestedRowType) type).fields().stream().anyMatch(field -> holdsInstants(field.type()));
      default -> false;
    };
  }

  @Override
  public boolean advance() throws IOException {
    if (++row.position >= batchSize) {
      if (!nextBatch()) {
        return false;
      }
      row.position = 0;
    }
    return true;
  }

  @Override
  public BatchRow batch() {
    return row;
  }

  @Override
  public int batchSize() {
    return batchSize;
  }

  private boolean nextBatch() throws IOException {
    batchSize = 0;
    OrcBatch first = groups.get(0).batches().next(this::help);
    for (Group group : groups.subList(1, groups.size())) {
      OrcBatch other = group.batches().next(this::help);
      boolean same =
          first == null || other == null
              ? first == other
              : first.start == other.start && first.size() == other.size();
      if (!same) {
        throw new CorruptTableException(
            path + ": its columns don't have the same rows from " + batchStart + " on");
      }
      show(group, other);
    }
    show(groups.get(0), first);
    if (first == null) {
      return false;
    }
    if (numbered) {
      sequences = first.sequences;
      row.bindKinds(first.kinds);
    }
    batchStart = first.start;
    batchSize = first.size();
    return true;
  }

  /** Decodes another group meanwhile. */
  private boolean help() {
    for (Group group : groups) {
      if (group.batches().help()) {
        return true;
      }
    }
    return false;
  }

  private void show(Group group, @Nullable OrcBatch batch) {
    if (batch != null) {
      int[] positions = group.positions();
      for (int i = 0; i < positions.length; i++) {
        row.bind(positions[i], batch.columns[i]);
      }
    }
  }

  @Override
  public long positionInFile() {
    return batchStart + row.position;
  }

  @Override
  public long sequenceNumber() {
    if (!numbered && !append) {
      throw new IllegalStateException("The numbers of " + path + " are not read");
    }
    return numbered ? sequences[row.position] : file.minSequenceNumber() + positionInFile();
  }

  @Override
  public RowKind kind() {
    return row.kind();
  }

  @Override
  public Row row() {
    return row;
  }

  @Override
  public void close() throws IOException {
    IOException failure = null;
    for (Group group : groups) {
      try {
        group.batches().close();
      } catch (IOException e) {
        failure = e;
      }
    }
    reader.close();
    if (failure != null) {
      throw failure;
    }
  }

  private static void closeQuietly(Closeable opened) {
    try {
      opened.close();
    } catch (IOException e) {
      OrcFormat.LOG.debug("Closing a file that can't be read", e);
    }
  }
}
