package io.sluice.lsm.datafile;

import io.sluice.lsm.schema.TableSchema;

/**
 * A data file that is about to be written.
 *
 * @param path full path, unused so far
 * @param level where the file will stand
 * @param fileSource {@link DataFileMeta#SOURCE_FLUSH} or {@link DataFileMeta#SOURCE_COMPACTION}
 * @param rowsMax records that it will have at most, as far as is known: a small one is written with
 *     small buffers; {@link #UNKNOWN} else
 */
public record NewFile(String path, TableSchema schema, int level, int fileSource, long rowsMax) {

  public static final long UNKNOWN = Long.MAX_VALUE;
}
