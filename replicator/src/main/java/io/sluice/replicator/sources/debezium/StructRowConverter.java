package io.sluice.replicator.sources.debezium;

import io.sluice.evolution.SourceColumn;
import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.binary.BinaryRowWriter;
import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.RowType;
import io.sluice.replicator.values.ValueEncoder;
import io.sluice.replicator.values.ValueEncoders;
import io.sluice.sinks.RoutedTable;
import io.sluice.sinks.TableRefusedException;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.Struct;
import org.jspecify.annotations.Nullable;

/**
 * One row image from Debezium's Struct to the lake's row, compiled for one version of both schemas.
 * Columns are paired by name, both ways: a column of the source that the lake lacks is an error, a
 * column of the lake that the source lacks is null. An explicit null stays null ({@code Struct.get}
 * would give the default). One thread.
 */
final class StructRowConverter {

  private final String[] names;
  private final @Nullable ValueEncoder[] encoders;
  private final RowType lakeType;
  private final BinaryRowWriter writer;

  /**
   * @param image schema of the before and after images
   * @throws TableRefusedException if the two schemas don't fit
   */
  StructRowConverter(Schema image, RoutedTable table, ValueEncoders compiler) {
    lakeType = table.lakeSchema().rowType();
    Map<String, SourceColumn> columns = new HashMap<>();
    table.source().columns().forEach(column -> columns.put(column.name(), column));
    names = new String[lakeType.size()];
    encoders = new ValueEncoder[lakeType.size()];
    int paired = 0;
    for (int i = 0; i < names.length; i++) {
      DataField field = lakeType.field(i);
      names[i] = field.name();
      SourceColumn column = columns.get(field.name());
      if (column != null && image.field(field.name()) != null) {
        encoders[i] = compiler.compile(table.source().id(), column, field);
        paired++;
      }
    }
    if (paired != image.fields().size()) {
      throw new TableRefusedException(
          table.source().id(),
          "The rows of "
              + table.source().id()
              + " have the columns "
              + image.fields().stream().map(org.apache.kafka.connect.data.Field::name).toList()
              + ", its lake table "
              + table.lakeTable()
              + " has "
              + java.util.Arrays.asList(names)
              + ". Column names must be the same on both sides.");
    }
    writer = new BinaryRowWriter(lakeType.size());
  }

  /** The row is good until the next call. */
  BinaryRow convert(Struct image, RowKind kind) {
    writer.reset();
    for (int i = 0; i < names.length; i++) {
      ValueEncoder encoder = encoders[i];
      if (encoder == null) {
        ValueEncoders.writeNull(writer, i, lakeType.type(i));
      } else {
        encoder.encode(image.getWithoutDefault(names[i]), writer, i);
      }
    }
    return writer.finish(kind);
  }
}
