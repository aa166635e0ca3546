package io.sluice.lsm.datafile;

import io.sluice.lsm.schema.RowType;
import io.sluice.lsm.schema.TableSchema;
import org.jspecify.annotations.Nullable;

/**
 * A data file, and what is wanted of it.
 *
 * @param path full path
 * @param meta what its manifest says of it
 * @param schema that wrote it ({@code DataFileMeta.schemaId})
 * @param wanted the columns, as the reading schema has them: matched by field id (format
 *     description section 2.5), absent ones read as null, types converted
 * @param filter what holds of each wanted row, by columns of the reading schema, so that parts that
 *     hold none may be left out; null: nothing
 * @param threads that may decode it ahead of its reader; null: the reader's own alone
 */
public record StoredFile(
    String path,
    DataFileMeta meta,
    TableSchema schema,
    RowType wanted,
    @Nullable RowFilter filter,
    @Nullable DecodingThreads threads) {

  /** All rows of it are wanted, by one thread. */
  public StoredFile(String path, DataFileMeta meta, TableSchema schema, RowType wanted) {
    this(path, meta, schema, wanted, null, null);
  }
}
