package io.sluice.config;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What one source gives to a wide table.
 *
 * @param name of the part: its own columns are {@code _seq_<name>...}
 * @param match topics it comes from; empty: it comes from a database's tables, or another pipeline
 *     fills it
 * @param from the table that a message must name, {@code database.table}, empty: any; of a part
 *     that comes from a database: its tables
 * @param columns source fields by column of the wide table, the key's too
 * @param sequence source fields that say which of two rows is newer; empty: the one that came later
 * @param onDelete what a deleted row of the source does
 * @param aggregates functions by column; a column without one holds the newest row's value
 * @param nested the column whose elements are the source's rows; empty: there is none
 */
public record WidePart(
    String name,
    Optional<TopicPattern> match,
    Optional<TablePattern> from,
    Map<String, String> columns,
    List<String> sequence,
    OnDelete onDelete,
    Map<String, String> aggregates,
    Optional<WideArray> nested) {

  /** What a deleted row of one source does to the wide row. */
  public enum OnDelete {
    /** The part's columns become NULL. */
    CLEAR,
    /** The wide row goes, with what the other parts have given to it. */
    DELETE_ROW,
    /** Nothing. */
    IGNORE
  }

  public WidePart {
    columns = Collections.unmodifiableMap(new LinkedHashMap<>(columns));
    sequence = List.copyOf(sequence);
    aggregates = Collections.unmodifiableMap(new LinkedHashMap<>(aggregates));
  }

  /**
   * Columns of the wide table that say which of two rows of the part is newer, in order: one for
   * each field of {@code sequence}, then the counter, so that no two rows are equal. They are of
   * their own, since they stay when a deleted row's columns are cleared.
   */
  public List<String> sequenceColumns() {
    return Stream.concat(fieldColumns().stream(), Stream.of(counterColumn())).toList();
  }

  /** Those of them that hold the fields of {@code sequence}, in its order. */
  public List<String> fieldColumns() {
    return sequence.stream().map(field -> counterColumn() + "_" + field).toList();
  }

  /** The hidden column that numbers the part's rows as they come. */
  public String counterColumn() {
    return "_seq_" + name;
  }

  /** Whether another pipeline fills it. */
  public boolean isElsewhere() {
    return match.isEmpty() && from.isEmpty();
  }
}
