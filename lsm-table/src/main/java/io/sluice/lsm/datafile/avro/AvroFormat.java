package io.sluice.lsm.datafile.avro;

import io.sluice.lsm.datafile.DataFileReader;
import io.sluice.lsm.datafile.FileFormat;
import io.sluice.lsm.datafile.KeyValueWriter;
import io.sluice.lsm.datafile.NewFile;
import io.sluice.lsm.datafile.StoredFile;
import io.sluice.lsm.io.FileIO;
import io.sluice.lsm.schema.TableSchema;
import java.io.IOException;
import java.time.Clock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Avro data files (format description section 7.4): zstd with checksums. Thread safe; its writers
 * and readers are not.
 */
public final class AvroFormat implements FileFormat {

  static final Logger LOG = LoggerFactory.getLogger(AvroFormat.class);

  private final Clock clock;

  /**
   * @param clock whose zone's wall clock goes into {@code _CREATION_TIME}
   */
  public AvroFormat(Clock clock) {
    this.clock = clock;
  }

  @Override
  public String suffix(TableSchema schema, int level) {
    return "avro";
  }

  @Override
  public KeyValueWriter createWriter(FileIO fileIO, NewFile file) {
    return new AvroKeyValueWriter(fileIO, file, clock);
  }

  @Override
  public DataFileReader createReader(FileIO fileIO, StoredFile file) throws IOException {
    return AvroKeyValueReader.open(fileIO, file);
  }
}
