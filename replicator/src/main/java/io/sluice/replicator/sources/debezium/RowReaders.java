package io.sluice.replicator.sources.debezium;

import com.github.shyiko.mysql.binlog.event.EventData;
import com.github.shyiko.mysql.binlog.event.EventType;
import com.github.shyiko.mysql.binlog.event.TableMapEventData;
import com.github.shyiko.mysql.binlog.event.deserialization.EventDataDeserializer;
import com.github.shyiko.mysql.binlog.event.deserialization.EventDeserializer;
import com.github.shyiko.mysql.binlog.io.ByteArrayInputStream;
import io.debezium.DebeziumException;
import io.debezium.config.CommonConnectorConfig.EventProcessingFailureHandlingMode;
import io.debezium.connector.binlog.event.RowDeserializers;
import java.io.IOException;
import java.io.Serializable;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads rows as Debezium does, with two differences: a date that no calendar has (of sessions with
 * {@code ALLOW_INVALID_DATES}) comes as an {@link ImpossibleDate} where Debezium can't read the
 * whole event, so that table and column can be told; and of rows that can't be read at all comes
 * the head, which names their table. Inside compressed transactions Debezium's own readers read.
 * One thread: the binlog client's.
 */
final class RowReaders {

  private static final EventProcessingFailureHandlingMode FAIL =
      EventProcessingFailureHandlingMode.FAIL;

  /**
   * Stands in a row image for a date that no calendar has.
   *
   * @param problem of the date, in the words of Java's calendar
   */
  record ImpossibleDate(String problem) implements Serializable {}

  /**
   * What every event with rows begins with, compressed or partial ones too.
   *
   * @param tableNumber the server's number of the table
   * @param endsStatement whether these are the statement's last rows
   */
  record RowsHead(long tableNumber, boolean endsStatement) implements EventData {

    private static final int BYTES = 8;
    private static final int STMT_END_F = 1;

    static RowsHead of(byte[] bytes) {
      long number = 0;
      for (int i = 5; i >= 0; i--) {
        number = number << 8 | bytes[i] & 0xff;
      }
      return new RowsHead(number, (bytes[6] & STMT_END_F) != 0);
    }
  }

  private final Map<Long, TableMapEventData> tables;
  private boolean impossibleDate;

  /**
   * @param tables by number, of the statement whose rows come now
   */
  RowReaders(Map<Long, TableMapEventData> tables) {
    this.tables = tables;
  }

  /** Has the client's reader of events use these. */
  void register(EventDeserializer reader) {
    reader.setEventDataDeserializer(EventType.WRITE_ROWS, new Written());
    reader.setEventDataDeserializer(
        EventType.EXT_WRITE_ROWS, new Written().setMayContainExtraInformation(true));
    reader.setEventDataDeserializer(EventType.UPDATE_ROWS, new Updated());
    reader.setEventDataDeserializer(
        EventType.EXT_UPDATE_ROWS, new Updated().setMayContainExtraInformation(true));
    reader.setEventDataDeserializer(EventType.DELETE_ROWS, new Deleted());
    reader.setEventDataDeserializer(
        EventType.EXT_DELETE_ROWS, new Deleted().setMayContainExtraInformation(true));
    reader.setEventDataDeserializer(EventType.PARTIAL_UPDATE_ROWS_EVENT, new Head());
    reader.setEventDataDeserializer(EventType.UNKNOWN, new Head());
  }

  /** Whether there was an {@link ImpossibleDate} since the last call. */
  boolean takeImpossibleDate() {
    boolean was = impossibleDate;
    impossibleDate = false;
    return was;
  }

  void noteImpossibleDate() {
    impossibleDate = true;
  }

  private interface DateReader {
    Serializable read() throws IOException;
  }

  /** The date's bytes have been read when Debezium finds that there is no such day. */
  private Serializable orImpossible(DateReader reader) throws IOException {
    try {
      return reader.read();
    } catch (DebeziumException e) {
      noteImpossibleDate();
      String text = String.valueOf(e.getMessage());
      return new ImpossibleDate(text.substring(text.indexOf(": ") + 1).strip());
    }
  }

  private final class Written extends RowDeserializers.WriteRowsDeserializer {
    Written() {
      super(tables, FAIL);
    }

    @Override
    protected Serializable deserializeDate(ByteArrayInputStream in) throws IOException {
      return orImpossible(() -> super.deserializeDate(in));
    }

    @Override
    protected Serializable deserializeDatetime(ByteArrayInputStream in) throws IOException {
      return orImpossible(() -> super.deserializeDatetime(in));
    }

    @Override
    protected Serializable deserializeDatetimeV2(int meta, ByteArrayInputStream in)
        throws IOException {
      return orImpossible(() -> super.deserializeDatetimeV2(meta, in));
    }
  }

  private final class Updated extends RowDeserializers.UpdateRowsDeserializer {
    Updated() {
      super(tables, FAIL);
    }

    @Override
    protected Serializable deserializeDate(ByteArrayInputStream in) throws IOException {
      return orImpossible(() -> super.deserializeDate(in));
    }

    @Override
    protected Serializable deserializeDatetime(ByteArrayInputStream in) throws IOException {
      return orImpossible(() -> super.deserializeDatetime(in));
    }

    @Override
    protected Serializable deserializeDatetimeV2(int meta, ByteArrayInputStream in)
        throws IOException {
      return orImpossible(() -> super.deserializeDatetimeV2(meta, in));
    }
  }

  private final class Deleted extends RowDeserializers.DeleteRowsDeserializer {
    Deleted() {
      super(tables, FAIL);
    }

    @Override
    protected Serializable deserializeDate(ByteArrayInputStream in) throws IOException {
      return orImpossible(() -> super.deserializeDate(in));
    }

    @Override
    protected Serializable deserializeDatetime(ByteArrayInputStream in) throws IOException {
      return orImpossible(() -> super.deserializeDatetime(in));
    }

    @Override
    protected Serializable deserializeDatetimeV2(int meta, ByteArrayInputStream in)
        throws IOException {
      return orImpossible(() -> super.deserializeDatetimeV2(meta, in));
    }
  }

  /** A {@link RowsHead}; null for an event that is too short to have one. */
  private static final class Head implements EventDataDeserializer<EventData> {
    @Override
    public @Nullable EventData deserialize(ByteArrayInputStream in) throws IOException {
      return in.available() < RowsHead.BYTES ? null : RowsHead.of(in.read(RowsHead.BYTES));
    }
  }
}
