package io.sluice.replicator.messages;

import io.sluice.evolution.SourceColumn;
import io.sluice.evolution.SourceTable;
import io.sluice.evolution.SourceTableId;
import io.sluice.evolution.TypeLattice;
import io.sluice.lsm.schema.DataType;
import io.sluice.lsm.schema.DataTypes;
import io.sluice.replicator.messages.BadMessageException.Reason;
import java.math.BigDecimal;
import java.util.ArrayList;
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

  private static final int DECIMAL_DIGITS_MAX = 38;

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
    if (told == null) {
      infer(columns, change.row(), primaryKey);
      FieldRow before = change.before();
      if (before != null) {
        infer(columns, before, primaryKey);
      }
    } else {
      for (MessageColumn column : told.columns()) {
        join(columns, ofSchema(column), primaryKey);
      }
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

  private void infer(Map<String, SourceColumn> columns, FieldRow row, List<String> primaryKey)
      throws BadMessageException {
    Set<String> seen = new LinkedHashSet<>();
    for (int i = row.size() - 1; i >= 0; i--) {
      seen.add(row.name(i));
    }
    List<String> inOrder = new ArrayList<>(seen);
    java.util.Collections.reverse(inOrder);
    for (String name : inOrder) {
      if (facts.containsKey(name)) {
        continue;
      }
      DataType type = declared.get(name);
      int field = row.position(name);
      if (type == null && row.kind(field) != FieldRow.Kind.NULL) {
        type = typeOf(row, field);
      }
      if (type != null) {
        join(columns, SourceColumn.ofLake(name, type, !primaryKey.contains(name)), primaryKey);
      }
    }
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

  /** The least type of a value that is not NULL. */
  static DataType typeOf(FieldRow row, int field) throws BadMessageException {
    return switch (row.kind(field)) {
      case NULL -> throw new IllegalArgumentException("NULL has no type");
      case BOOLEAN -> DataTypes.BOOLEAN;
      case LONG -> DataTypes.BIGINT;
      case DOUBLE -> DataTypes.DOUBLE;
      case DECIMAL -> number(row.text(field));
      case TEXT, NESTED -> DataTypes.STRING;
      case BYTES -> DataTypes.BYTES;
      case DATE -> DataTypes.DATE;
      case TIME -> DataTypes.time(3);
      case TIMESTAMP -> DataTypes.timestamp(6);
      case INSTANT -> DataTypes.timestampLtz(6);
    };
  }

  /** A number that is no 64-bit integer. */
  private static DataType number(String text) {
    BigDecimal number = new BigDecimal(text);
    boolean whole = number.scale() <= 0 && number.scale() >= -DECIMAL_DIGITS_MAX;
    if (whole && number.setScale(0).precision() <= DECIMAL_DIGITS_MAX) {
      return DataTypes.decimal(DECIMAL_DIGITS_MAX, 0);
    }
    double value = number.doubleValue();
    boolean exact =
        Double.isFinite(value)
            && Math.abs((long) number.scale()) < 400
            && new BigDecimal(Double.toString(value)).compareTo(number) == 0;
    return exact ? DataTypes.DOUBLE : DataTypes.STRING;
  }
}
