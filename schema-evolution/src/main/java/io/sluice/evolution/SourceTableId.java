package io.sluice.evolution;

/** A table at the source, by its exact names. */
public record SourceTableId(String database, String table) {
  @Override
  public String toString() {
    return database + "." + table;
  }
}
