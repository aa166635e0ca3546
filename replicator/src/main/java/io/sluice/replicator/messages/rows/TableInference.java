package io.sluice.replicator.messages.rows;

import io.sluice.evolution.SourceColumn;
import io.sluice.evolution.SourceTable;
import io.sluice.evolution.SourceTableId;
import io.sluice.evolution.TypeLattice;
import io.sluice.lsm.binary.BinaryRowWriter;
import io.sluice.lsm.schema.DataType;
import io.sluice.lsm.schema.DataTypes;
import io.sluice.replicator.messages.BadMessageException;
import io.sluice.replicator.messages.BadMessageException.Reason;
import io.sluice.replicator.messages.Change;
import io.sluice.replicator.messages.FieldRow;
import io.sluice.replicator.messages.MessageColumn;
import io.sluice.replicator.messages.MessageColumns;
import io.sluice.replicator.messages.rows.RowColumns.NumbersAsTimes;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The columns that a table must have for a message. A column's type is, in this order: what the
 * config declares; what the message's own schema declares; what the values so far need (see {@link
 * TypeLattice}). A field that has only been null has no column yet; a column that is in no message
 * any more stays. Pure.
 */
public final class TableInference {

  private final SourceTableId id;
  private final List<String> key;
  private final Map<String, DataType> declared;
  private final Map<String, DataType> facts;

  /**
   * @param key by config; empty: what messages tell
   * @param declared types by config, by column
   * @param facts types of columns that hold facts about the message
   */
  public TableInference(
      SourceTableId id,
      List<String> key,
      Map<String, DataType> declared,
      Map<String, DataType> facts) {
    this.id = id;
    this.key = List.copyOf(key);
    this.declared = Map.copyOf(declared);
    this.facts = new LinkedHashMap<>(facts);
  }

  /**
   * The table with what the message needs beside what it has.
   *
   * @param known null: nothing is known yet
   * @return equal to {@code known} if that is enough
   * @throws BadMessageException no type holds the old values and the new one
   */
  public SourceTable with(@Nullable SourceTable known, Change change) throws BadMessageException {
    List<String> primaryKey =
        known != null ? known.primaryKey() : key.isEmpty() ? change.primaryKey() : key;
    Map<String, SourceColumn> columns = new LinkedHashMap<>();
    if (known != null) {
      known.columns().forEach(column -> columns.put(column.name(), column));
    }
    MessageColumns told = change.columns();
    Set<String> settled = new LinkedHashSet<>();
    if (told != null) {
      for (MessageColumn column : told.columns()) {
        join(columns, ofSchema(column), primaryKey);
        settled.add(column.name());
      }
    }
    infer(columns, change.row(), primaryKey, settled);
    FieldRow before = change.before();
    if (before != null) {
      infer(columns, before, primaryKey, settled);
    }
    declared.forEach(
        (name, type) ->
            columns.putIfAbsent(name, SourceColumn.ofLake(name, type, !primaryKey.contains(name))));
    facts.forEach((name, type) -> columns.put(name, SourceColumn.ofLake(name, type, true)));
    for (String name : primaryKey) {
      if (!columns.containsKey(name)) {
        throw new BadMessageException(
            Reason.KEY, "Key column " + name + " of table " + id + " is not in the message.");
      }
    }
    return new SourceTable(id, List.copyOf(columns.values()), primaryKey);
  }

  private SourceColumn ofSchema(MessageColumn column) {
    DataType type = declared.get(column.name());
    if (type != null) {
      return SourceColumn.ofLake(column.name(), type, column.nullable());
    }
    SourceColumn source = column.source();
    return source != null
        ? source
        : SourceColumn.ofLake(column.name(), column.type(), column.nullable());
  }

  /** Columns for values whose fields no schema declares. */
  private void infer(
      Map<String, SourceColumn> columns, FieldRow row, List<String> primaryKey, Set<String> settled)
      throws BadMessageException {
    for (int i = 0; i < row.size(); i++) {
      String name = row.name(i);
      if (facts.containsKey(name) || settled.contains(name) || row.position(name) != i) {
        continue;
      }
      DataType type = declared.get(name);
      if (type == null && row.kind(i) != FieldRow.Kind.NULL) {
        type = typeOf(row, i, columns.get(name), primaryKey.contains(name));
      }
      if (type != null) {
        join(columns, SourceColumn.ofLake(name, type, !primaryKey.contains(name)), primaryKey);
      }
    }
  }

  /** The type that a value needs; null if the column that is there will do, or can't grow. */
  private static @Nullable DataType typeOf(
      FieldRow row, int field, @Nullable SourceColumn known, boolean key) {
    DataType type = known == null ? null : known.lakeType();
    if (known != null && (type == null || !ValueTypes.mayGrow(type) || fits(row, field, type))) {
      return null;
    }
    DataType needed = ValueTypes.of(row, field, type);
    // A key can't grow later.
    return key && needed.equals(DataTypes.INT) ? DataTypes.BIGINT : needed;
  }

  private static boolean fits(FieldRow row, int field, DataType type) {
    return new ValueWriter(type, NumbersAsTimes.REFUSED)
        .write(new BinaryRowWriter(1), 0, row, field);
  }

  private void join(Map<String, SourceColumn> columns, SourceColumn wanted, List<String> primaryKey)
      throws BadMessageException {
    String name = wanted.name();
    if (facts.containsKey(name)) {
      return;
    }
    SourceColumn known = columns.get(name);
    if (known == null || known.equals(wanted)) {
      columns.put(name, wanted);
      return;
    }
    DataType before = known.lakeType();
    DataType now = wanted.lakeType();
    if (before == null || now == null) {
      // Of a database's column: the gate compares what both are in the lake.
      columns.put(name, wanted);
      return;
    }
    DataType joined = TypeLattice.join(before, now);
    if (joined == null || primaryKey.contains(name) && !joined.equals(before)) {
      throw new BadMessageException(
          Reason.SCHEMA,
          "Column "
              + name
              + " of table "
              + id
              + " is "
              + before
              + " and would have to be "
              + now
              + " too"
              + (joined == null
                  ? ", which no type is."
                  : ", and a key column's type can't be changed."));
    }
    columns.put(name, SourceColumn.ofLake(name, joined, known.nullable() || wanted.nullable()));
  }
}
