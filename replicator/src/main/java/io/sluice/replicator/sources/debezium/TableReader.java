package io.sluice.replicator.sources.debezium;

import io.debezium.data.Envelope;
import io.sluice.replicator.values.ValueEncoders;
import io.sluice.replicator.wide.tables.TablePart;
import io.sluice.sinks.RoutedTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.apache.kafka.connect.data.Field;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.Struct;
import org.jspecify.annotations.Nullable;

/** How to read change events of one envelope schema: its fields, and where the rows go. */
final class TableReader {

  private final Field operation;
  private final Field before;
  private final Field after;
  private final Field source;
  private final Field timeMicros;
  private final @Nullable RoutedTable table;
  private final @Nullable StructRowConverter converter;
  private final List<PartWriter> parts;

  /**
   * @param table null: it has no lake table of its own, or that is parked
   * @param filled parts of wide tables that its rows fill
   */
  TableReader(
      Schema envelope,
      @Nullable RoutedTable table,
      List<TablePart> filled,
      ValueEncoders compiler) {
    operation = field(envelope, Envelope.FieldName.OPERATION);
    before = field(envelope, Envelope.FieldName.BEFORE);
    after = field(envelope, Envelope.FieldName.AFTER);
    source = field(envelope, Envelope.FieldName.SOURCE);
    timeMicros = field(source.schema(), "ts_us");
    this.table = table;
    this.converter = table == null ? null : new StructRowConverter(after.schema(), table, compiler);
    List<PartWriter> writers = new ArrayList<>();
    for (TablePart part : filled) {
      part.now()
          .ifPresent(
              version -> writers.add(new PartWriter(after.schema(), part, version, compiler)));
    }
    this.parts = List.copyOf(writers);
  }

  private static Field field(Schema schema, String name) {
    return Objects.requireNonNull(schema.field(name), name);
  }

  @Nullable RoutedTable table() {
    return table;
  }

  List<PartWriter> parts() {
    return parts;
  }

  /** Whether rows go nowhere. */
  boolean passesOver() {
    return table == null && parts.isEmpty();
  }

  /** REQUIRES: {@link #table} is not null. */
  StructRowConverter converter() {
    return Objects.requireNonNull(converter);
  }

  /** One of c, u, d, r, t, m. */
  char operation(Struct envelope) {
    return ((String) envelope.get(operation)).charAt(0);
  }

  Struct before(Struct envelope) {
    return (Struct) Objects.requireNonNull(envelope.get(before), "before image");
  }

  Struct after(Struct envelope) {
    return (Struct) Objects.requireNonNull(envelope.get(after), "after image");
  }

  Struct source(Struct envelope) {
    return (Struct) envelope.get(source);
  }

  long timeMicros(Struct envelope) {
    Object value = source(envelope).get(timeMicros);
    return value == null ? 0 : (Long) value;
  }
}
