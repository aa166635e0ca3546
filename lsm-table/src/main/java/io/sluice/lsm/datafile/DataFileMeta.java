package io.sluice.lsm.datafile;

import io.sluice.lsm.binary.ColumnStats;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a manifest says of one data file: the {@code _FILE} record of format description section
 * 4.2.
 *
 * @param fileName name in the bucket folder
 * @param fileSize bytes
 * @param rowCount records, deletes included
 * @param minKey first trimmed primary key as a serialized BinaryRow; exact, never null
 * @param maxKey last trimmed primary key, likewise
 * @param keyStats over the trimmed primary key, always full
 * @param valueStats over all columns, or over {@code valueStatsCols}
 * @param schemaId the schema that wrote the file
 * @param level LSM level, 0 for a flush
 * @param creationTimeMillis local wall clock of the writer read as if it were UTC; null in old
 *     files
 * @param deleteRowCount records of kind -U or -D; null if unknown, which forces a merging read
 * @param embeddedIndex file index container, kept as it is
 * @param fileSource 0 flush, 1 compaction
 * @param valueStatsCols null: stats of every column; a list: of these; empty: none
 */
public record DataFileMeta(
    String fileName,
    long fileSize,
    long rowCount,
    byte[] minKey,
    byte[] maxKey,
    ColumnStats keyStats,
    ColumnStats valueStats,
    long minSequenceNumber,
    long maxSequenceNumber,
    long schemaId,
    int level,
    List<String> extraFiles,
    @Nullable Long creationTimeMillis,
    @Nullable Long deleteRowCount,
    byte @Nullable [] embeddedIndex,
    @Nullable Integer fileSource,
    @Nullable List<String> valueStatsCols,
    @Nullable String externalPath,
    @Nullable Long firstRowId,
    @Nullable List<String> writeCols) {

  public static final int SOURCE_FLUSH = 0;
  public static final int SOURCE_COMPACTION = 1;

  /** The same file re-entered at another level. */
  public DataFileMeta withLevel(int newLevel) {
    return new DataFileMeta(
        fileName,
        fileSize,
        rowCount,
        minKey,
        maxKey,
        keyStats,
        valueStats,
        minSequenceNumber,
        maxSequenceNumber,
        schemaId,
        newLevel,
        extraFiles,
        creationTimeMillis,
        deleteRowCount,
        embeddedIndex,
        fileSource,
        valueStatsCols,
        externalPath,
        firstRowId,
        writeCols);
  }

  /** The same file with other numbers: those of a table without a key count its rows. */
  public DataFileMeta withSequenceNumbers(long min, long max) {
    return new DataFileMeta(
        fileName,
        fileSize,
        rowCount,
        minKey,
        maxKey,
        keyStats,
        valueStats,
        min,
        max,
        schemaId,
        level,
        extraFiles,
        creationTimeMillis,
        deleteRowCount,
        embeddedIndex,
        fileSource,
        valueStatsCols,
        externalPath,
        firstRowId,
        writeCols);
  }

  /** False lets readers take the file raw; unknown counts as true. */
  public boolean mayHoldDeletes() {
    return deleteRowCount == null || deleteRowCount > 0;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof DataFileMeta that
        && fileName.equals(that.fileName)
        && level == that.level
        && schemaId == that.schemaId;
  }

  @Override
  public int hashCode() {
    return fileName.hashCode() * 31 + level;
  }

  @Override
  public String toString() {
    return fileName + "@L" + level + "(" + rowCount + " rows, " + fileSize + " bytes)";
  }
}
