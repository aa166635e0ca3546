package io.sluice.lsm.datafile.orc;

import io.sluice.lsm.datafile.ReadFailures;
import io.sluice.lsm.datafile.column.BatchSource;
import io.sluice.lsm.datafile.column.Column.LongColumn;
import io.sluice.lsm.datafile.column.ColumnCast;
import io.sluice.lsm.datafile.orc.OrcReadPlan.Found;
import io.sluice.lsm.datafile.orc.OrcReadPlan.RecordVectors;
import io.sluice.lsm.error.CorruptTableException;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Some of the wanted columns of a file, perhaps with the numbers and kinds of its records. All
 * groups of a file give the same batches of records. One thread at a time.
 */
final class OrcColumnGroup implements BatchSource<OrcBatch> {

  private static final int KIND_MAX = 3;

  static final long ROWS_UNKNOWN = -1;

  private static final int NOT_READ = -1;

  private final String path;
  private final OrcStreams streams;
  private final OrcRecords records;
  private final InstantZone zone;
  private final List<Wanted> wanted;
  private final int sequenceVector;
  private final int kindVector;
  private final long rowsExpected;
  private int stripe = -1;
  private long rowsSeen;

  /** A column of the file. */
  record Wanted(int vector, OrcColumns reader, ColumnCast cast) {}

  /**
   * How to read columns; throws what there is to say of one that can't be.
   *
   * @param zone of the group
   */
  static List<Wanted> wanted(OrcReadPlan plan, List<Found> columns, InstantZone zone, String path) {
    return columns.stream()
        .map(
            column ->
                new Wanted(
                    column.vector(),
                    OrcColumns.of(column.stored(), plan.type(column), zone, path),
                    ColumnCast.of(column.stored(), column.wanted(), path)))
        .toList();
  }

  /**
   * @param records of the file, with these columns
   * @param zone for this group alone
   * @param recordVectors where the numbers and the kinds stand; null: they aren't read
   * @param rowsExpected in all; or {@link #ROWS_UNKNOWN}
   */
  OrcColumnGroup(
      String path,
      OrcStreams streams,
      OrcRecords records,
      InstantZone zone,
      List<Wanted> wanted,
      @Nullable RecordVectors recordVectors,
      long rowsExpected) {
    this.path = path;
    this.streams = streams;
    this.records = records;
    this.zone = zone;
    this.wanted = wanted;
    this.sequenceVector = recordVectors == null ? NOT_READ : recordVectors.sequence();
    this.kindVector = recordVectors == null ? NOT_READ : recordVectors.kind();
    this.rowsExpected = rowsExpected;
  }

  @Override
  public boolean read(OrcBatch into) {
    try {
      if (!records.advance()) {
        into.vectors.size = 0;
        if (rowsExpected != ROWS_UNKNOWN && rowsSeen != rowsExpected) {
          throw ReadFailures.count(path, rowsSeen, rowsExpected);
        }
        return false;
      }
      if (records.stripe() != stripe) {
        stripe = records.stripe();
        zone.moveTo(records.writerTimezone());
      }
      into.start = records.rowNumber();
      records.read(into.vectors);
      int size = into.size();
      rowsSeen += size;
      if (sequenceVector >= 0) {
        into.sequences = longs(into, sequenceVector);
        long[] kinds = longs(into, kindVector);
        for (int i = 0; i < size; i++) {
          if (kinds[i] < 0 || kinds[i] > KIND_MAX) {
            throw ReadFailures.kind(path, kinds[i]);
          }
        }
        into.kinds = kinds;
      }
      for (int i = 0; i < into.columns.length; i++) {
        Wanted column = wanted.get(i);
        into.columns[i] =
            column
                .cast()
                .apply(column.reader().read(into.vectors.cols[column.vector()], size), size);
      }
      return true;
    } catch (IOException | RuntimeException e) {
      throw ReadFailures.of(path, ReadFailures.records(rowsSeen), streams.failure(), e);
    }
  }

  private long[] longs(OrcBatch batch, int vector) {
    LongColumn column = (LongColumn) OrcColumns.flat(batch.vectors.cols[vector], batch.size());
    boolean[] nulls = column.nulls;
    if (nulls != null) {
      for (int i = 0; i < batch.size(); i++) {
        if (nulls[i]) {
          throw new CorruptTableException(
              path + ": record " + (batch.start + i) + " has no sequence number or kind");
        }
      }
    }
    return column.values;
  }

  @Override
  public void close() throws IOException {
    records.close();
  }
}
