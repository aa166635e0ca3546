package io.sluice.replicator.sources.mysql.preflight;

import io.sluice.config.SourceSize;
import io.sluice.evolution.SourceTable;
import java.util.List;

/**
 * A table as the server's catalog describes it.
 *
 * @param kind e.g. {@code BASE TABLE}, {@code SYSTEM VERSIONED}
 * @param engine e.g. {@code InnoDB}; empty if it isn't told
 * @param size the server's estimate
 * @param cascades names of foreign keys by which a change of another table changes this one
 */
public record CatalogTable(
    SourceTable definition, String kind, String engine, SourceSize size, List<String> cascades) {

  public CatalogTable {
    cascades = List.copyOf(cascades);
  }
}
