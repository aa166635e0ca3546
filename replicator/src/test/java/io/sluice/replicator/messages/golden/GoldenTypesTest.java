package io.sluice.replicator.messages.golden;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.evolution.MappedType;
import io.sluice.evolution.SourceColumn;
import io.sluice.evolution.SourceTable;
import io.sluice.evolution.SourceTableId;
import io.sluice.evolution.TypeMapping;
import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.DataType;
import io.sluice.lsm.schema.RowType;
import io.sluice.replicator.messages.BadMessageException;
import io.sluice.replicator.messages.Change;
import io.sluice.replicator.messages.Message;
import io.sluice.replicator.messages.MessageFormat;
import io.sluice.replicator.messages.rows.RowColumns;
import io.sluice.replicator.messages.rows.RowWriter;
import io.sluice.replicator.messages.rows.TableInference;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Columns of all types, through recorded messages into rows of the lake. What they must be is
 * written by hand, from docs/types.md and the literals of the recorder's {@code GoldenScript}:
 * {@code types-*.json} has column, lake type, value of row 1 and of row 2. Row 3 is all NULL.
 */
class GoldenTypesTest {

  private static final SourceTableId ID = new SourceTableId("shop", "types");

  @ParameterizedTest
  @CsvSource({
    "mysql/propagated/json-with-schema, propagated",
    "mysql/propagated/avro, propagated",
    "mariadb/propagated/json-with-schema, propagated",
    "mariadb/propagated/avro, propagated",
    "mysql/defaults/json-with-schema, by-schema",
    "mysql/defaults/avro, by-schema",
    "mariadb/defaults/json-with-schema, by-schema",
    "mariadb/defaults/avro, by-schema",
    "mysql/defaults/json, by-values",
    "mariadb/defaults/json, by-values",
  })
  void giveColumnsAndValues(String messages, String wanted) throws Exception {
    GoldenFile file = GoldenFile.read("debezium/" + messages);
    try (GoldenReader reader = new GoldenReader(file)) {
      SourceTable table = table(file, reader.reader());
      RowType lake = lake(table);
      assertThat(rows(file, reader.reader(), table, lake))
          .isEqualTo(wanted(wanted, messages, lake.size()));
    }
  }

  private static void each(GoldenFile file, MessageFormat format, Consumer<Change> changes)
      throws BadMessageException {
    for (Message message : file.messages()) {
      if (message.topic().equals("srv.shop.types")) {
        format.read(message, changes::accept);
      }
    }
  }

  private static SourceTable table(GoldenFile file, MessageFormat format) throws Exception {
    TableInference inference = new TableInference(ID, List.of(), Map.of(), Map.of());
    SourceTable[] table = new SourceTable[1];
    each(
        file,
        format,
        change -> {
          try {
            table[0] = inference.with(table[0], change);
          } catch (BadMessageException e) {
            throw new AssertionError(e);
          }
        });
    assertThat(table[0].primaryKey()).containsExactly("id");
    return table[0];
  }

  private static RowType lake(SourceTable table) {
    List<DataField> fields = new ArrayList<>();
    for (SourceColumn column : table.columns()) {
      DataType type = column.lakeType();
      if (type == null) {
        type = ((MappedType.Lake) new TypeMapping(false).map(column)).type();
      }
      fields.add(new DataField(fields.size(), column.name(), type));
    }
    return new RowType(fields);
  }

  /** Column to its type and its values in the order of the rows. */
  private static Map<String, List<String>> rows(
      GoldenFile file, MessageFormat format, SourceTable table, RowType lake) throws Exception {
    RowWriter writer = RowWriter.of(lake, table.primaryKey(), RowColumns.BY_NAME);
    Map<String, List<String>> result = new TreeMap<>();
    for (DataField field : lake.fields()) {
      String type = field.type().withNullable(true).toString();
      result.put(field.name(), new ArrayList<>(List.of(type)));
    }
    each(
        file,
        format,
        change -> {
          try {
            assertThat(writer.write(file.messages().get(0), change, RowKind.INSERT))
                .isEqualTo(RowWriter.Outcome.FITS);
          } catch (BadMessageException e) {
            throw new AssertionError(e);
          }
          for (int i = 0; i < lake.size(); i++) {
            DataField field = lake.field(i);
            result.get(field.name()).add(LakeText.of(writer.row(), i, field.type()));
          }
        });
    return result;
  }

  private static Map<String, List<String>> wanted(String name, String messages, int columns)
      throws Exception {
    JsonNode all =
        new ObjectMapper()
            .readTree(GoldenFile.ALL.resolve("debezium/types-" + name + ".json").toFile());
    String server = messages.substring(0, messages.indexOf('/'));
    String producer = messages.substring(messages.lastIndexOf('/') + 1);
    Map<String, List<String>> result = new TreeMap<>();
    for (Map.Entry<String, JsonNode> entry : all.properties()) {
      String[] column = entry.getKey().split(" of ", 2);
      if (column.length == 1 || column[1].equals(server) || column[1].equals(producer)) {
        List<String> values = new ArrayList<>();
        entry.getValue().forEach(value -> values.add(value.isNull() ? null : value.asText()));
        String third = values.get(1) != null && values.get(1).equals("5") ? "5" : null;
        values.add(column[0].equals("id") ? "3" : third);
        result.put(column[0], values);
      }
    }
    assertThat(result).hasSize(columns);
    return result;
  }
}
