package io.sluice.lsm.schema;

import org.jspecify.annotations.Nullable;

/**
 * One column.
 *
 * @param id never reused within a table; old data files are read by it
 * @param defaultValue as the schema file holds it: text, cast to the type by whoever writes
 */
public record DataField(
    int id,
    String name,
    DataType type,
    @Nullable String description,
    @Nullable String defaultValue) {

  public DataField(int id, String name, DataType type) {
    this(id, name, type, null, null);
  }

  public DataField withType(DataType newType) {
    return new DataField(id, name, newType, description, defaultValue);
  }
}
