package io.sluice.evolution;

import io.sluice.lsm.schema.TableSchema;
import java.util.List;

/** What {@link TablePlanner} makes of a source table. */
public sealed interface PlannedTable {

  /** Schema 0 of the new table. */
  record Planned(TableSchema schema) implements PlannedTable {}

  /**
   * The table can't be followed.
   *
   * @param reasons one text for each fault, at least one; each names table, column and remedy
   */
  record Refused(List<String> reasons) implements PlannedTable {
    public Refused {
      reasons = List.copyOf(reasons);
    }

    /** All reasons, one a line. */
    public String text() {
      return String.join("\n", reasons);
    }
  }
}
