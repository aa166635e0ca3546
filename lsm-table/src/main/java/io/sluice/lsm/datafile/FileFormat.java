package io.sluice.lsm.datafile;

import io.sluice.lsm.io.FileIO;
import io.sluice.lsm.schema.TableSchema;
import java.io.IOException;

/** A format of data files: ORC, Parquet, Avro, or the choice among them. Thread safe. */
public interface FileFormat {

  /**
   * The text after the last dot of a new file's name.
   *
   * @param schema that the file will be written with
   * @param level where it will stand
   */
  String suffix(TableSchema schema, int level);

  KeyValueWriter createWriter(FileIO fileIO, NewFile file) throws IOException;

  /** Opens a file for reading those of its parts that may hold wanted rows. */
  DataFileReader createReader(FileIO fileIO, StoredFile file) throws IOException;

  /**
   * Opens a file for its values alone, which may be less to read: of its records only {@link
   * KeyValueReader#row} may be asked for, and all are taken to be +I. REQUIRES: {@code
   * !file.meta().mayHoldDeletes()}.
   */
  default DataFileReader createValueReader(FileIO fileIO, StoredFile file) throws IOException {
    return createReader(fileIO, file);
  }
}
