package io.sluice.lsm.datafile;

import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.binary.ColumnBounds;
import io.sluice.lsm.binary.ColumnStats;
import io.sluice.lsm.io.FileIO;
import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.DataType;
import io.sluice.lsm.schema.StatsMode;
import io.sluice.lsm.schema.TableOptions;
import io.sluice.lsm.schema.TableSchema;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Clock;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;

/**
 * What is counted while a file is written, whatever its format, and the {@link DataFileMeta} that
 * comes of it. One thread.
 */
public final class FileSummary {

  private final TableSchema schema;
  private final int[] keys;
  private final int level;
  private final int fileSource;
  private final Clock clock;
  private long rows;
  private long deletes;
  private long minSequence = Long.MAX_VALUE;
  private long maxSequence = Long.MIN_VALUE;

  /**
   * @param clock whose zone's wall clock goes into {@code _CREATION_TIME}
   */
  public FileSummary(NewFile file, Clock clock) {
    this.schema = file.schema();
    this.keys = schema.rowType().positions(schema.trimmedPrimaryKeys());
    this.level = file.level();
    this.fileSource = file.fileSource();
    this.clock = clock;
  }

  /**
   * Starts the file. A flushed one is made durable by its commit, together with all else that this
   * makes; a compaction's, which may be large, when it is closed, so that no commit waits for it.
   */
  public OutputStream create(FileIO fileIO, String path) throws IOException {
    return fileSource == DataFileMeta.SOURCE_FLUSH
        ? fileIO.createUnsynced(path)
        : fileIO.create(path);
  }

  /** Counts one record. */
  public void add(long sequenceNumber, RowKind kind) {
    if (sequenceNumber < minSequence) {
      minSequence = sequenceNumber;
    }
    if (sequenceNumber > maxSequence) {
      maxSequence = sequenceNumber;
    }
    if (kind.isRetract()) {
      deletes++;
    }
    rows++;
  }

  public long rows() {
    return rows;
  }

  /**
   * The description of the complete file.
   *
   * @param path full path
   * @param minKey first trimmed primary key as a serialized BinaryRow, {@link #noKey} without
   * @param bounds of the column at a position among the table's columns, not yet shortened
   */
  public DataFileMeta meta(
      String path, long bytes, byte[] minKey, byte[] maxKey, IntFunction<ColumnBounds> bounds) {
    List<String> columns = new ArrayList<>();
    ColumnStats values = values(bounds, columns);
    return new DataFileMeta(
        path.substring(path.lastIndexOf('/') + 1),
        bytes,
        rows,
        minKey,
        maxKey,
        keys(bounds),
        values,
        minSequence,
        maxSequence,
        schema.id(),
        level,
        List.of(),
        LocalDateTime.now(clock).toInstant(ZoneOffset.UTC).toEpochMilli(),
        deletes,
        null,
        fileSource,
        columns.size() == schema.rowType().size() ? null : List.copyOf(columns),
        null,
        null,
        null);
  }

  /** The key of a file of a table without one. */
  public static byte[] noKey() {
    return BinaryRow.EMPTY.serialize();
  }

  private ColumnStats keys(IntFunction<ColumnBounds> bounds) {
    if (keys.length == 0) {
      return ColumnStats.EMPTY;
    }
    List<DataType> types = new ArrayList<>();
    List<ColumnBounds> reduced = new ArrayList<>();
    for (int column : keys) {
      types.add(schema.rowType().type(column));
      reduced.add(bounds.apply(column).reduced(StatsMode.KEYS));
    }
    return ColumnBounds.toStats(types, reduced);
  }

  private ColumnStats values(IntFunction<ColumnBounds> bounds, List<String> columns) {
    TableOptions table = TableOptions.of(schema);
    TableOptions.Stats options = table.stats();
    List<StatsMode> modes =
        options.modes(
            level,
            schema.rowType().fields().stream().map(DataField::name).toList(),
            table.dataFiles().thinMode() ? schema.trimmedPrimaryKeys() : List.of());
    List<DataType> types = new ArrayList<>();
    List<ColumnBounds> kept = new ArrayList<>();
    for (int column = 0; column < schema.rowType().size(); column++) {
      DataField field = schema.rowType().field(column);
      ColumnBounds reduced = bounds.apply(column).reduced(modes.get(column));
      if (!options.denseStore() || !reduced.isEmpty()) {
        types.add(field.type());
        kept.add(reduced);
        columns.add(field.name());
      }
    }
    return ColumnBounds.toStats(types, kept);
  }

  /** Whether a NULL may not stand in a column: a retraction may lack all but the key. */
  public static boolean refusesNull(DataField field, boolean inKey, RowKind kind) {
    return !field.type().nullable() && (inKey || !kind.isRetract());
  }

  /** What to say of such a NULL. */
  public static IllegalArgumentException nullRefused(DataField field) {
    return new IllegalArgumentException(
        "Column " + field.name() + " is NOT NULL and the row has a null there");
  }
}
