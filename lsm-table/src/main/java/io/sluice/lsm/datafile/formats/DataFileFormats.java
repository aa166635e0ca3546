package io.sluice.lsm.datafile.formats;

import io.sluice.lsm.datafile.DataFileReader;
import io.sluice.lsm.datafile.FileFormat;
import io.sluice.lsm.datafile.KeyValueWriter;
import io.sluice.lsm.datafile.NewFile;
import io.sluice.lsm.datafile.StoredFile;
import io.sluice.lsm.datafile.avro.AvroFormat;
import io.sluice.lsm.datafile.orc.OrcFormat;
import io.sluice.lsm.datafile.parquet.ParquetFormat;
import io.sluice.lsm.error.UnsupportedTableException;
import io.sluice.lsm.io.FileIO;
import io.sluice.lsm.schema.TableOptions;
import io.sluice.lsm.schema.TableSchema;
import java.io.IOException;
import java.time.Clock;
import java.util.Map;
import java.util.TreeSet;

/**
 * All formats of data files. A new file has the format that the options want at its level; what a
 * file is read with is told by the text after the last dot of its name, whatever the options say.
 */
public final class DataFileFormats implements FileFormat {

  private final Map<String, FileFormat> formats;

  /**
   * @param clock whose zone's wall clock goes into {@code _CREATION_TIME}
   */
  public DataFileFormats(Clock clock) {
    this.formats =
        Map.of(
            "orc",
            new OrcFormat(clock),
            "parquet",
            new ParquetFormat(clock),
            "avro",
            new AvroFormat(clock));
  }

  @Override
  public String suffix(TableSchema schema, int level) {
    return TableOptions.of(schema).dataFiles().format(level);
  }

  @Override
  public KeyValueWriter createWriter(FileIO fileIO, NewFile file) throws IOException {
    return of(file.path()).createWriter(fileIO, file);
  }

  @Override
  public DataFileReader createReader(FileIO fileIO, StoredFile file) throws IOException {
    return of(file.path()).createReader(fileIO, file);
  }

  @Override
  public DataFileReader createValueReader(FileIO fileIO, StoredFile file) throws IOException {
    return of(file.path()).createValueReader(fileIO, file);
  }

  private FileFormat of(String path) {
    String suffix = path.substring(path.lastIndexOf('.') + 1);
    FileFormat format = formats.get(suffix);
    if (format == null) {
      throw new UnsupportedTableException(
          "The data file "
              + path
              + " has the format "
              + suffix
              + "; this engine knows "
              + new TreeSet<>(formats.keySet())
              + ". Compact the table with one of them by another engine first.");
    }
    return format;
  }
}
