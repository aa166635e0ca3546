package io.sluice.sinks;

import io.sluice.evolution.SourceColumn;
import io.sluice.evolution.SourceTable;
import io.sluice.evolution.SourceTableId;
import io.sluice.evolution.TableKind;
import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.binary.BinaryRowWriter;
import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.schema.DataType;
import io.sluice.lsm.schema.DataTypes;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * {@code sluice_system.dead_letters}: a table without a key that all pipelines of a warehouse add
 * to, each as part of its own epochs. A row is never changed: that a letter was replayed or dropped
 * is a row more, with the same pipeline, source, position and number. A letter waits as long as it
 * has more rows that set it aside than rows that end that; clocks decide nothing.
 */
public final class DeadLetterTable {

  /** The table, as if the source had it. */
  public static final SourceTableId ID = new SourceTableId("sluice_system", "dead_letters");

  public static final int PIPELINE = 0;
  public static final int STATE = 1;
  public static final int SOURCE = 2;
  public static final int POSITION = 3;
  public static final int TABLE = 4;
  public static final int MESSAGE_TIME = 5;
  public static final int STATE_TIME = 6;
  public static final int REASON = 7;
  public static final int DETAIL = 8;
  public static final int KEY = 9;
  public static final int VALUE = 10;
  public static final int HEADERS = 11;

  /**
   * The number that the record's first row would have had: a replayed one gets it, and the next
   * ones those that follow, see {@link DeadLetter#ROWS_MAX}.
   */
  public static final int SEQUENCE = 12;

  private static final int TIME_PRECISION = 3;

  /** Its columns. */
  public static final SourceTable DEFINITION =
      new SourceTable(
          ID,
          List.of(
              column("pipeline", DataTypes.STRING),
              column("state", DataTypes.STRING),
              column("source", DataTypes.STRING),
              column("position", DataTypes.STRING),
              column("table_name", DataTypes.STRING),
              column("message_time", DataTypes.timestampLtz(TIME_PRECISION)),
              column("state_time", DataTypes.timestampLtz(TIME_PRECISION)),
              column("reason", DataTypes.STRING),
              column("detail", DataTypes.STRING),
              column("message_key", DataTypes.BYTES),
              column("message_value", DataTypes.BYTES),
              column("message_headers", DataTypes.STRING),
              column("sequence_number", DataTypes.BIGINT)),
          List.of());

  private static final TableTarget TARGET =
      new TableTarget(
          ID.database(),
          ID.table(),
          1,
          "",
          List.of(),
          Map.of(),
          false,
          TableKind.GATHERED,
          TableTarget.Sharing.SHARED);

  private DeadLetterTable() {}

  private static SourceColumn column(String name, DataType type) {
    return SourceColumn.ofLake(name, type, true);
  }

  /** The same source, which has this table, too. */
  public static SourceCallbacks within(SourceCallbacks source) {
    return new SourceCallbacks() {
      @Override
      public Optional<TableTarget> target(SourceTableId table) {
        return table.equals(ID) ? Optional.of(TARGET) : source.target(table);
      }

      @Override
      public String deliveredMark() {
        return source.deliveredMark();
      }

      @Override
      public List<String> foldHistory(List<String> history) {
        return source.foldHistory(history);
      }
    };
  }

  /**
   * A letter as a row of the table.
   *
   * @param sequence see {@link #SEQUENCE}
   * @param nowMillis when the letter came into this state, epoch milliseconds
   */
  public static BinaryRow row(
      String pipeline, DeadLetter letter, DeadLetter.State state, long sequence, long nowMillis) {
    BinaryRowWriter writer = new BinaryRowWriter(DEFINITION.columns().size());
    text(writer, PIPELINE, pipeline);
    text(writer, STATE, state.text());
    text(writer, SOURCE, letter.source());
    text(writer, POSITION, letter.position());
    text(writer, TABLE, letter.table());
    if (letter.timeMillis() < 0) {
      writer.setNullTimestamp(MESSAGE_TIME, TIME_PRECISION);
    } else {
      writer.writeTimestamp(MESSAGE_TIME, letter.timeMillis(), 0, TIME_PRECISION);
    }
    writer.writeTimestamp(STATE_TIME, nowMillis, 0, TIME_PRECISION);
    text(writer, REASON, letter.reason());
    text(writer, DETAIL, letter.detail());
    bytes(writer, KEY, letter.key());
    bytes(writer, VALUE, letter.value());
    text(writer, HEADERS, letter.headers());
    writer.writeLong(SEQUENCE, sequence);
    return writer.finish(RowKind.INSERT);
  }

  private static void text(BinaryRowWriter writer, int column, @Nullable String text) {
    if (text == null) {
      writer.setNull(column);
    } else {
      writer.writeString(column, text);
    }
  }

  private static void bytes(BinaryRowWriter writer, int column, byte @Nullable [] bytes) {
    if (bytes == null) {
      writer.setNull(column);
    } else {
      writer.writeBytes(column, bytes, 0, bytes.length);
    }
  }
}
