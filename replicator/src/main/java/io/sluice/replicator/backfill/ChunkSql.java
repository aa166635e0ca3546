package io.sluice.replicator.backfill;

import io.sluice.evolution.SourceTableId;
import io.sluice.replicator.values.ValueEncoders;
import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;

/**
 * The SELECTs of one table. The server orders and compares; nothing here knows a collation. All go
 * by the primary key: {@code FORCE INDEX (PRIMARY)} keeps the optimizer from another index's order.
 *
 * <p>A tuple comparison {@code (a, b) > (x, y)} is written out as {@code a > x OR (a = x AND b >
 * y)}: the row form isn't turned into an index range.
 */
final class ChunkSql {

  private final SourceTableId table;
  private final List<KeyColumn> keys;

  /**
   * @param primaryKey all key columns; chunks are cut by the first of them, as far as they have
   *     safe constants
   */
  ChunkSql(SourceTableId table, List<KeyColumn> primaryKey) {
    this.table = table;
    List<KeyColumn> usable = new ArrayList<>();
    for (KeyColumn key : primaryKey) {
      if (key.literal() == KeyColumn.Literal.NONE) {
        break;
      }
      usable.add(key);
    }
    this.keys = List.copyOf(usable);
  }

  SourceTableId table() {
    return table;
  }

  /** Columns that chunks are cut by; empty: the table is one chunk. */
  List<KeyColumn> keys() {
    return keys;
  }

  boolean singleInteger() {
    return keys.size() == 1 && keys.get(0).literal() == KeyColumn.Literal.INTEGER;
  }

  /** The key of the n-th row (from 1) of a range, as texts; no row if it has fewer. */
  String boundary(KeyRange range, long n) {
    StringJoiner texts = new StringJoiner(", ");
    StringJoiner order = new StringJoiner(", ");
    for (KeyColumn key : keys) {
      texts.add(key.textExpression());
      order.add(key.quotedName());
    }
    return "SELECT "
        + texts
        + from()
        + where(range)
        + " ORDER BY "
        + order
        + " LIMIT 1 OFFSET "
        + (n - 1);
  }

  /** Smallest and largest key of a single integer key; NULLs for an empty table. */
  String extremes() {
    String name = keys.get(0).quotedName();
    return "SELECT CAST(MIN(" + name + ") AS CHAR), CAST(MAX(" + name + ") AS CHAR)" + from();
  }

  /** All rows of a range. */
  String rows(String selectList, KeyRange range) {
    return "SELECT " + selectList + from() + where(range);
  }

  /** Opens the table and takes its metadata lock for the transaction, reads no row. */
  String open() {
    return "SELECT 1 FROM " + tableName() + " LIMIT 0";
  }

  String tableName() {
    return ValueEncoders.quote(table.database()) + "." + ValueEncoders.quote(table.table());
  }

  private String from() {
    return " FROM " + tableName() + " FORCE INDEX (PRIMARY)";
  }

  private String where(KeyRange range) {
    List<String> lower = range.from();
    List<String> upper = range.to();
    if (lower == null && upper == null) {
      return "";
    }
    StringJoiner both = new StringJoiner(" AND ", " WHERE ", "");
    if (lower != null) {
      both.add(compare(lower, " > ", " > "));
    }
    if (upper != null) {
      both.add(compare(upper, " < ", " <= "));
    }
    return both.toString();
  }

  /**
   * The written-out tuple comparison, of as many columns as the bound has; the last of them takes
   * an operator of its own.
   */
  private String compare(List<String> bound, String strict, String last) {
    if (bound.isEmpty() || bound.size() > keys.size()) {
      throw new IllegalArgumentException(
          "A key of " + table + " has " + keys.size() + " columns, not " + bound.size());
    }
    StringJoiner any = new StringJoiner(" OR ", "(", ")");
    StringBuilder equals = new StringBuilder();
    for (int i = 0; i < bound.size(); i++) {
      String name = keys.get(i).quotedName();
      String literal = keys.get(i).sqlLiteral(bound.get(i));
      String operator = i == bound.size() - 1 ? last : strict;
      any.add("(" + equals + name + operator + literal + ")");
      equals.append(name).append(" = ").append(literal).append(" AND ");
    }
    return any.toString();
  }
}
