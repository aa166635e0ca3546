package io.sluice.lsm.schema;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One {@code schema-N} file (format description section 2). JSON is read and written by {@link
 * TableSchemaJson}.
 *
 * @param id N
 * @param rowType all columns, key and partition columns included
 * @param highestFieldId largest id ever used, nested ones included
 * @param partitionKeys in the order of the folders; empty for an unpartitioned table
 * @param primaryKeys as declared; empty for an append table
 * @param options all values are text, as in the file
 * @param timeMillis epoch milliseconds of creation
 */
public record TableSchema(
    long id,
    RowType rowType,
    int highestFieldId,
    List<String> partitionKeys,
    List<String> primaryKeys,
    Map<String, String> options,
    @Nullable String comment,
    long timeMillis) {

  public TableSchema {
    partitionKeys = List.copyOf(partitionKeys);
    primaryKeys = List.copyOf(primaryKeys);
    // LinkedHashMap keeps the file's order, so that a schema file is reproduced byte for byte.
    options = java.util.Collections.unmodifiableMap(new java.util.LinkedHashMap<>(options));
  }

  /** The LSM key: primary key columns that are not partition columns, in primary key order. */
  public List<String> trimmedPrimaryKeys() {
    return primaryKeys.stream().filter(name -> !partitionKeys.contains(name)).toList();
  }

  /** The columns of the bucket hash: option {@code bucket-key}, else the trimmed primary key. */
  public List<String> bucketKeys() {
    String declared = options.get("bucket-key");
    if (declared == null || declared.isBlank()) {
      return trimmedPrimaryKeys();
    }
    return java.util.Arrays.stream(declared.split(",", -1)).map(String::trim).toList();
  }
}
