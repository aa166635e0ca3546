package io.sluice.replicator.backfill;

import io.sluice.evolution.SourceColumn;
import io.sluice.evolution.SourceTable;
import io.sluice.evolution.SourceTableId;
import io.sluice.lsm.schema.DataField;
import io.sluice.sinks.BackfillInput;
import io.sluice.sinks.ChunkOutdatedException;
import io.sluice.sinks.KeyStretch;
import io.sluice.sinks.RoutedTable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A source table's rows on their way into one lake table: what a copy needs of the pipeline. Two of
 * them are the same copy if they are equal; their text is what messages call it. Thread safe.
 */
public interface CopiedTable {

  /** The table that is read. */
  SourceTableId source();

  /** How both sides are now; empty if the lake table is parked, or the source's is gone. */
  Optional<Version> now();

  /** How far the copy is, by the newest epoch and what came since. */
  BackfillProgress progress();

  /** See {@link BackfillInput#openChunk}. */
  BackfillInput.Chunk openChunk(Version version);

  /** See {@link BackfillInput#progress(RoutedTable, String)}. */
  boolean progress(Version version, String progress);

  /** See {@link BackfillInput#park}. */
  boolean park(String reason);

  /** See {@link BackfillInput#mustSweep}. */
  boolean mustSweep();

  /** See {@link BackfillInput#sweep}. */
  long sweep(Version version, @Nullable KeyStretch keys)
      throws ChunkOutdatedException, InterruptedException, IOException;

  /**
   * One version of both tables.
   *
   * @param definition the source's columns that are read, and its key
   * @param fillers which of them fills each field of the lake's rows; null: none does
   * @param generation grows with every version
   * @param rows what is to be seen to in each row
   */
  record Version(
      SourceTable definition,
      RoutedTable target,
      List<@Nullable SourceColumn> fillers,
      long generation,
      RowRule rows) {
    public Version {
      fillers = Collections.unmodifiableList(new ArrayList<>(fillers));
    }

    /**
     * The lake's field as a value is written to it: a key that is NULL is to be seen, not refused.
     */
    public DataField field(int position) {
      DataField field = target.lakeSchema().rowType().field(position);
      return rows.keyFields().contains(position)
          ? new DataField(field.id(), field.name(), field.type().withNullable(true))
          : field;
    }

    /** Of a table that is copied as it is: columns are paired by name. */
    static Version ofCopy(RoutedTable table) {
      Map<String, SourceColumn> columns = new HashMap<>();
      table.source().columns().forEach(column -> columns.put(column.name(), column));
      List<@Nullable SourceColumn> fillers = new ArrayList<>();
      table
          .lakeSchema()
          .rowType()
          .fields()
          .forEach(field -> fillers.add(columns.get(field.name())));
      return new Version(table.source(), table, fillers, table.generation(), RowRule.AS_IT_IS);
    }
  }

  /**
   * What a row needs besides its values.
   *
   * @param counterField field that gets the chunk's number; -1: none
   * @param keyFields a row that has NULL in one of them is passed over
   * @param neededFields a row that has NULL in one of them can't be copied
   */
  record RowRule(int counterField, List<Integer> keyFields, List<Integer> neededFields) {
    static final RowRule AS_IT_IS = new RowRule(-1, List.of(), List.of());

    public RowRule {
      keyFields = List.copyOf(keyFields);
      neededFields = List.copyOf(neededFields);
    }
  }
}
