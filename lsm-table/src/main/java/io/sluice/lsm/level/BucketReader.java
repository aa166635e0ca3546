package io.sluice.lsm.level;

import io.sluice.lsm.datafile.DataFileMeta;
import io.sluice.lsm.datafile.DataFileReader;
import io.sluice.lsm.datafile.DecodingThreads;
import io.sluice.lsm.datafile.FileFormat;
import io.sluice.lsm.datafile.KeyValueReader;
import io.sluice.lsm.datafile.RowFilter;
import io.sluice.lsm.datafile.StoredFile;
import io.sluice.lsm.index.DeletionVector;
import io.sluice.lsm.io.FileIO;
import io.sluice.lsm.merge.KWayMerge;
import io.sluice.lsm.merge.MergeRules;
import io.sluice.lsm.row.Row;
import io.sluice.lsm.schema.RowType;
import io.sluice.lsm.schema.TableSchema;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Opens the data files of one bucket for a reading schema: single, as sorted runs, as merged
 * sections. One thread at a time.
 */
public final class BucketReader implements RunReader.Opener {

  /** Finds the schema that wrote a file. */
  @FunctionalInterface
  public interface SchemaLookup {
    TableSchema schema(long id) throws IOException;
  }

  private final FileIO fileIO;
  private final FileFormat format;
  private final SchemaLookup schemas;
  private final String folder;
  private final RowType readColumns;
  private final Deletions deletions;
  private final @Nullable RowFilter filter;
  private final @Nullable Predicate<Row> test;
  private final @Nullable DecodingThreads threads;

  /** Finds the rows of a file that are deleted. */
  @FunctionalInterface
  public interface Deletions {
    /** Null if none is. */
    @Nullable DeletionVector of(DataFileMeta file) throws IOException;
  }

  /**
   * @param folder of the bucket
   * @param readColumns the wanted columns, as the reading schema has them
   */
  public BucketReader(
      FileIO fileIO, FileFormat format, SchemaLookup schemas, String folder, RowType readColumns) {
    this(fileIO, format, schemas, folder, readColumns, file -> null);
  }

  /**
   * Leaves out deleted rows.
   *
   * @param folder of the bucket
   * @param readColumns the wanted columns, as the reading schema has them
   */
  public BucketReader(
      FileIO fileIO,
      FileFormat format,
      SchemaLookup schemas,
      String folder,
      RowType readColumns,
      Deletions deletions) {
    this(fileIO, format, schemas, folder, readColumns, deletions, null, null, null);
  }

  private BucketReader(
      FileIO fileIO,
      FileFormat format,
      SchemaLookup schemas,
      String folder,
      RowType readColumns,
      Deletions deletions,
      @Nullable RowFilter filter,
      @Nullable Predicate<Row> test,
      @Nullable DecodingThreads threads) {
    this.deletions = deletions;
    this.filter = filter;
    this.test = test;
    this.threads = threads;
    this.fileIO = fileIO;
    this.format = format;
    this.schemas = schemas;
    this.folder = folder;
    this.readColumns = readColumns;
  }

  /**
   * Leaves out records before they are merged. REQUIRES: all records of a key that is wanted are
   * kept.
   *
   * @param mayHold tells which parts of files may hold records that are kept; null: all
   * @param keep tells which records are kept; null: all that are read
   */
  public BucketReader where(@Nullable RowFilter mayHold, @Nullable Predicate<Row> keep) {
    return new BucketReader(
        fileIO, format, schemas, folder, readColumns, deletions, mayHold, keep, threads);
  }

  /** Decodes large files ahead of whoever reads them; null: as they are asked for. */
  public BucketReader ahead(@Nullable DecodingThreads on) {
    return new BucketReader(
        fileIO, format, schemas, folder, readColumns, deletions, filter, test, on);
  }

  @Override
  public KeyValueReader open(DataFileMeta file) throws IOException {
    return open(file, format::createReader);
  }

  /** A way to open a file, one of those of {@link FileFormat}. */
  private interface Opening {
    DataFileReader open(FileIO fileIO, StoredFile file) throws IOException;
  }

  private KeyValueReader open(DataFileMeta file, Opening opening) throws IOException {
    String external = file.externalPath();
    String path = external == null ? folder + "/" + file.fileName() : external;
    DeletionVector deleted = deletions.of(file);
    DataFileReader rows =
        opening.open(
            fileIO,
            new StoredFile(
                path, file, schemas.schema(file.schemaId()), readColumns, filter, threads));
    return deleted == null && test == null ? rows : new SelectingReader(rows, deleted, test);
  }

  /** The records of files with ascending, disjoint key ranges, as they are. */
  public KeyValueReader run(List<DataFileMeta> files) {
    return new RunReader(files, this);
  }

  /**
   * The values of such files, all of them +I: numbers are not read. REQUIRES: {@link
   * #holdsValuesAlone}.
   */
  public KeyValueReader values(List<DataFileMeta> files) {
    return new RunReader(files, file -> open(file, format::createValueReader));
  }

  /** Whether all records of the files are rows as they stand: certainly none is a delete. */
  public static boolean holdsValuesAlone(List<DataFileMeta> files) {
    return files.stream().noneMatch(DataFileMeta::mayHoldDeletes);
  }

  /** The records of a section, one for each key; deletes are among them. */
  public KeyValueReader merged(Sections.Section section, MergeRules.Engine engine) {
    List<KeyValueReader> runs = new ArrayList<>();
    for (List<DataFileMeta> files : section.runs()) {
      runs.add(run(files));
    }
    return runs.size() == 1 ? runs.get(0) : new KWayMerge(runs, engine);
  }
}
