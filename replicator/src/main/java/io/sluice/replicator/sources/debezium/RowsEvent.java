package io.sluice.replicator.sources.debezium;

import com.github.shyiko.mysql.binlog.event.DeleteRowsEventData;
import com.github.shyiko.mysql.binlog.event.EventData;
import com.github.shyiko.mysql.binlog.event.UpdateRowsEventData;
import com.github.shyiko.mysql.binlog.event.WriteRowsEventData;
import io.sluice.replicator.sources.debezium.RowReaders.ImpossibleDate;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntPredicate;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The rows of one binlog event, whatever was done to them.
 *
 * @param tableNumber the server's number of the table, as its TABLE_MAP event gives it
 * @param images the columns of each row image
 * @param written the images of rows as they are now
 * @param replaced the images of rows as they were: of them nothing but the key counts
 * @param empty takes the rows away, so that whoever sees the event later finds none
 */
record RowsEvent(
    long tableNumber,
    List<BitSet> images,
    Supplier<Stream<Serializable[]>> written,
    Supplier<Stream<Serializable[]>> replaced,
    Runnable empty) {

  /**
   * @return null for data of another kind of event
   */
  static @Nullable RowsEvent of(@Nullable EventData data) {
    if (data instanceof WriteRowsEventData write) {
      return new RowsEvent(
          write.getTableId(),
          List.of(write.getIncludedColumns()),
          () -> write.getRows().stream(),
          Stream::empty,
          () -> write.setRows(new ArrayList<>()));
    }
    if (data instanceof UpdateRowsEventData update) {
      return new RowsEvent(
          update.getTableId(),
          List.of(update.getIncludedColumnsBeforeUpdate(), update.getIncludedColumns()),
          () -> update.getRows().stream().map(Map.Entry::getValue),
          () -> update.getRows().stream().map(Map.Entry::getKey),
          () -> update.setRows(new ArrayList<>()));
    }
    if (data instanceof DeleteRowsEventData delete) {
      return new RowsEvent(
          delete.getTableId(),
          List.of(delete.getIncludedColumns()),
          Stream::empty,
          () -> delete.getRows().stream(),
          () -> delete.setRows(new ArrayList<>()));
    }
    return null;
  }

  /**
   * A date that no calendar has.
   *
   * @param column from 0, of a row image with all columns
   */
  record Impossible(int column, ImpossibleDate date) {}

  /**
   * The first one that counts, if there is any; those that don't are null from here on: a row whose
   * date is corrected, or that is deleted, shows the date for the last time.
   *
   * @param isKey whether a column is of the key
   */
  Optional<Impossible> impossible(IntPredicate isKey) {
    replaced
        .get()
        .forEach(
            row ->
                IntStream.range(0, row.length)
                    .filter(i -> row[i] instanceof ImpossibleDate && !isKey.test(i))
                    .forEach(i -> row[i] = null));
    return Stream.concat(written.get(), replaced.get())
        .flatMap(
            row ->
                IntStream.range(0, row.length)
                    .filter(i -> row[i] instanceof ImpossibleDate)
                    .mapToObj(i -> new Impossible(i, (ImpossibleDate) row[i])))
        .findFirst();
  }
}
