package io.sluice.evolution;

import io.sluice.lsm.schema.TableSchema;
import java.util.List;

/** What {@link SchemaDiff} makes of a changed source table. */
public sealed interface SchemaChange {

  /** The lake table's schema stays. */
  record None() implements SchemaChange {}

  /**
   * The lake table gets another schema.
   *
   * @param schema the whole new schema, its id one above the current one's
   * @param added the columns it has more, at its end
   * @param widened names of columns whose type holds more than before
   */
  record Evolve(TableSchema schema, List<AddedColumn> added, List<String> widened)
      implements SchemaChange {
    public Evolve {
      added = List.copyOf(added);
      widened = List.copyOf(widened);
    }

    public Evolve(TableSchema schema, List<AddedColumn> added) {
      this(schema, added, List.of());
    }

    /** Whether rows that are in the lake already lack a value that they have at the source. */
    public boolean oldRowsNeedValues() {
      return added.stream().anyMatch(AddedColumn::oldRowsHaveValue);
    }
  }

  /**
   * The change can't be followed.
   *
   * @param reason names table, column, change and remedy
   */
  record Refused(String reason) implements SchemaChange {}

  /**
   * @param oldRowsHaveValue at the source, rows that were there before have a value in it (its
   *     default), while the lake shows NULL
   */
  record AddedColumn(String name, boolean oldRowsHaveValue) {}
}
