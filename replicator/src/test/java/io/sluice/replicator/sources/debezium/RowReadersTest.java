package io.sluice.replicator.sources.debezium;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.shyiko.mysql.binlog.event.EventType;
import com.github.shyiko.mysql.binlog.event.TableMapEventData;
import com.github.shyiko.mysql.binlog.event.WriteRowsEventData;
import com.github.shyiko.mysql.binlog.event.deserialization.ColumnType;
import com.github.shyiko.mysql.binlog.event.deserialization.EventDeserializer;
import com.github.shyiko.mysql.binlog.io.ByteArrayInputStream;
import io.sluice.replicator.sources.debezium.RowReaders.ImpossibleDate;
import io.sluice.replicator.sources.debezium.RowReaders.RowsHead;
import java.io.IOException;
import java.io.Serializable;
import java.time.LocalDate;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RowReadersTest {

  private final RowReaders readers = new RowReaders(Map.of(0x060504030201L, table()));
  private final EventDeserializer reader = new EventDeserializer();

  RowReadersTest() {
    readers.register(reader);
  }

  private static TableMapEventData table() {
    var data = new TableMapEventData();
    data.setTableId(0x060504030201L);
    data.setColumnTypes(
        new byte[] {(byte) ColumnType.DATE.getCode(), (byte) ColumnType.DATETIME_V2.getCode(), 3});
    data.setColumnMetadata(new int[] {0, 0, 0});
    return data;
  }

  /** One row of a DATE, a DATETIME and an INT. */
  private Serializable[] row(int year, int month, int day) throws IOException {
    int date = year << 9 | month << 5 | day;
    long dateTime = 1L << 39 | (long) (year * 13 + month) << 22 | (long) day << 17;
    byte[] bytes = {
      1,
      2,
      3,
      4,
      5,
      6,
      1,
      0,
      2,
      0,
      3,
      7,
      0, // table, flags, no extra, columns, which of them
      (byte) date,
      (byte) (date >> 8),
      (byte) (date >> 16),
      (byte) (dateTime >> 32),
      (byte) (dateTime >> 24),
      (byte) (dateTime >> 16),
      (byte) (dateTime >> 8),
      (byte) dateTime,
      42,
      0,
      0,
      0
    };
    // The bits of columns that are null come once a row.
    WriteRowsEventData data =
        (WriteRowsEventData)
            reader
                .getEventDataDeserializer(EventType.EXT_WRITE_ROWS)
                .deserialize(new ByteArrayInputStream(bytes));
    return data.getRows().get(0);
  }

  @Test
  void marksDatesThatNoCalendarHasAndReadsOnBehindThem() throws IOException {
    Serializable[] good = row(2024, 2, 29);
    assertThat(good[0]).isEqualTo(LocalDate.of(2024, 2, 29));
    assertThat(good[2]).isEqualTo(42);
    assertThat(readers.takeImpossibleDate()).isFalse();
    Serializable[] bad = row(2023, 2, 31);
    assertThat(bad[0]).isEqualTo(new ImpossibleDate("Invalid date 'FEBRUARY 31'"));
    assertThat(bad[1]).isEqualTo(bad[0]);
    assertThat(bad[2]).isEqualTo(42);
    assertThat(readers.takeImpossibleDate()).isTrue();
    assertThat(readers.takeImpossibleDate()).isFalse();
    assertThat(row(2023, 0, 31)[0]).as("a partial date").isNull();
  }

  @Test
  void readsTheHeadOfRowsThatItCannotRead() throws IOException {
    for (EventType type :
        new EventType[] {EventType.UNKNOWN, EventType.PARTIAL_UPDATE_ROWS_EVENT}) {
      var deserializer = reader.getEventDataDeserializer(type);
      assertThat(
              deserializer.deserialize(
                  new ByteArrayInputStream(new byte[] {1, 2, 3, 4, 5, 6, 1, 0, 99, 99})))
          .isEqualTo(new RowsHead(0x060504030201L, true));
      assertThat(deserializer.deserialize(new ByteArrayInputStream(new byte[7]))).isNull();
    }
    assertThat(RowsHead.of(new byte[] {(byte) 0xff, 0, 0, 0, 0, 0, 2, 1}))
        .isEqualTo(new RowsHead(255, false));
  }
}
