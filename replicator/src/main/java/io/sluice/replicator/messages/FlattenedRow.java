package io.sluice.replicator.messages;

import org.jspecify.annotations.Nullable;

/**
 * What Debezium's ExtractNewRecordState adds to a row that it takes out of its envelope: {@code
 * __op} and {@code __deleted} say what became of the row and are no columns, {@code __db}, {@code
 * __schema}, {@code __table} and {@code __source_ts_ms} tell where it was and stay columns.
 */
public final class FlattenedRow {

  private FlattenedRow() {}

  /** Whether a field is one that {@link #takeKind} takes out. */
  public static boolean isMark(String name) {
    return name.equals("__op") || name.equals("__deleted");
  }

  /**
   * Takes the marks out of a row.
   *
   * @return null if it has none
   */
  public static Change.@Nullable Kind takeKind(FieldRow row) {
    int deleted = row.position("__deleted");
    int operation = row.position("__op");
    if (deleted < 0 && operation < 0) {
      return null;
    }
    boolean gone =
        deleted >= 0
                && (row.kind(deleted) == FieldRow.Kind.BOOLEAN
                    ? row.booleanValue(deleted)
                    : "true".equals(text(row, deleted)))
            || "d".equals(text(row, operation));
    row.remove(Math.max(deleted, operation));
    if (Math.min(deleted, operation) >= 0) {
      row.remove(Math.min(deleted, operation));
    }
    return gone ? Change.Kind.DELETE : Change.Kind.UPSERT;
  }

  /** Gives a change the table and the time that its row names. */
  public static void tellPlace(FieldRow row, Change change) {
    String schema = text(row, row.position("__schema"));
    String database = schema != null ? schema : text(row, row.position("__db"));
    change.setTable(database, text(row, row.position("__table")));
    int time = row.position("__source_ts_ms");
    boolean told = time >= 0 && row.kind(time) == FieldRow.Kind.LONG;
    change.setSourceTimeMicros(told ? row.longValue(time) * 1_000 : 0);
  }

  private static @Nullable String text(FieldRow row, int field) {
    return field >= 0 && row.kind(field) == FieldRow.Kind.TEXT ? row.text(field) : null;
  }
}
