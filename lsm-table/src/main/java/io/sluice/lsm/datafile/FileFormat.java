package io.sluice.lsm.datafile;

import io.sluice.lsm.io.FileIO;
import io.sluice.lsm.schema.RowType;
import io.sluice.lsm.schema.TableSchema;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A format of data files: ORC, Parquet, Avro, or the choice among them. Thread safe. */
public interface FileFormat {

  /**
   * The text after the last dot of a new file's name.
   *
   * @param schema that the file will be written with
   * @param level where it will stand
   */
  String suffix(TableSchema schema, int level);

  /**
   * Starts a file of the given schema.
   *
   * @param path full path, unused so far
   * @param level where the file will stand
   * @param fileSource {@link DataFileMeta#SOURCE_FLUSH} or {@link DataFileMeta#SOURCE_COMPACTION}
   */
  KeyValueWriter createWriter(
      FileIO fileIO, String path, TableSchema schema, int level, int fileSource) throws IOException;

  /**
   * Opens a file for reading.
   *
   * @param fileSchema the schema that wrote it ({@code DataFileMeta.schemaId})
   * @param readColumns the wanted columns, as the reading schema has them: matched by field id
   *     (format description section 2.5), absent ones read as null, types converted
   */
  default DataFileReader createReader(
      FileIO fileIO, String path, DataFileMeta file, TableSchema fileSchema, RowType readColumns)
      throws IOException {
    return createReader(fileIO, path, file, fileSchema, readColumns, null);
  }

  /**
   * Opens a file for reading those of its parts that may hold wanted rows.
   *
   * @param filter what holds of each wanted row, by columns of the reading schema; null: nothing
   */
  DataFileReader createReader(
      FileIO fileIO,
      String path,
      DataFileMeta file,
      TableSchema fileSchema,
      RowType readColumns,
      @Nullable RowFilter filter)
      throws IOException;

  /**
   * Opens a file for its values alone, which may be less to read: of its records only {@link
   * KeyValueReader#row} may be asked for, and all are taken to be +I. REQUIRES: {@code
   * !file.mayHoldDeletes()}.
   */
  default DataFileReader createValueReader(
      FileIO fileIO,
      String path,
      DataFileMeta file,
      TableSchema fileSchema,
      RowType readColumns,
      @Nullable RowFilter filter)
      throws IOException {
    return createReader(fileIO, path, file, fileSchema, readColumns, filter);
  }
}
