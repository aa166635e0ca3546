package io.sluice.replicator.messages;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One change of one row as a message tells it. Used again for the next: whoever takes it copies
 * what it keeps.
 */
public final class Change {

  /** What became of the row. */
  public enum Kind {
    /** A new row, or a row as it is now: the former one, if any, is replaced. */
    UPSERT,
    /** The row is gone; {@link #row} has at least its key. */
    DELETE,
    /** All rows of the table are gone; there is no row. */
    TRUNCATE
  }

  private FieldRow row = new FieldRow();
  private FieldRow before = new FieldRow();
  private Kind kind = Kind.UPSERT;
  private boolean hasBefore;
  private boolean update;
  private @Nullable String database;
  private @Nullable String table;
  private List<String> primaryKey = List.of();
  private @Nullable MessageColumns columns;
  private long sourceTimeMicros;

  /** Makes it empty, for the next change. */
  public void reset(Kind newKind) {
    row.clear();
    before.clear();
    kind = newKind;
    hasBefore = false;
    update = false;
    database = null;
    table = null;
    primaryKey = List.of();
    columns = null;
    sourceTimeMicros = 0;
  }

  public Kind kind() {
    return kind;
  }

  public void setKind(Kind kind) {
    this.kind = kind;
  }

  /** The row as it is now; of a DELETE as it was, or its key alone. */
  public FieldRow row() {
    return row;
  }

  /**
   * Of an UPSERT: former values, of all fields or of those that changed (a field that is missing
   * here has the same value as in {@link #row}); null if the message has none. A key that differs
   * moved.
   */
  public @Nullable FieldRow before() {
    return hasBefore ? before : null;
  }

  /**
   * Whether the message says of an UPSERT that the row was there before, even if it doesn't tell
   * how it was.
   */
  public boolean isUpdate() {
    return update || hasBefore;
  }

  /** See {@link #isUpdate}. */
  public void markUpdate() {
    update = true;
  }

  /** To be filled by a format; from here on {@link #before} is there. */
  public FieldRow fillBefore() {
    hasBefore = true;
    return before;
  }

  /** Makes {@link #before} the row, as a DELETE wants it; from here on there is no before. */
  public void moveBeforeToRow() {
    FieldRow former = before;
    before = row;
    before.clear();
    row = former;
    hasBefore = false;
  }

  /** Takes {@link #before} away. */
  public void dropBefore() {
    before.clear();
    hasBefore = false;
  }

  /** The database (or schema) that the message names; null if it names none. */
  public @Nullable String database() {
    return database;
  }

  /** The table that the message names; null if it names none. */
  public @Nullable String table() {
    return table;
  }

  public void setTable(@Nullable String newDatabase, @Nullable String newTable) {
    database = newDatabase;
    table = newTable;
  }

  /** Names of the key's fields, in order; empty if the message doesn't tell. */
  public List<String> primaryKey() {
    return primaryKey;
  }

  public void setPrimaryKey(List<String> names) {
    primaryKey = names;
  }

  /** What the message's schema declares; null: names and values are all there is. */
  public @Nullable MessageColumns columns() {
    return columns;
  }

  public void setColumns(@Nullable MessageColumns declared) {
    columns = declared;
  }

  /** Commit time at the message's own source, epoch microseconds; 0 if it doesn't tell. */
  public long sourceTimeMicros() {
    return sourceTimeMicros;
  }

  public void setSourceTimeMicros(long micros) {
    sourceTimeMicros = micros;
  }
}
