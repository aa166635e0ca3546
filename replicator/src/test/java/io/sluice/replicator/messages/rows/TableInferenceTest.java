package io.sluice.replicator.messages.rows;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.evolution.SourceTable;
import io.sluice.evolution.SourceTableId;
import io.sluice.lsm.schema.DataType;
import io.sluice.lsm.schema.DataTypes;
import io.sluice.replicator.messages.BadMessageException;
import io.sluice.replicator.messages.BadMessageException.Reason;
import io.sluice.replicator.messages.Change;
import io.sluice.replicator.messages.MessageColumn;
import io.sluice.replicator.messages.MessageColumns;
import io.sluice.replicator.messages.Shown;
import io.sluice.replicator.messages.json.JsonFormat;
import io.sluice.replicator.messages.json.Tombstones;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TableInferenceTest {

  private static final SourceTableId ID = new SourceTableId("kafka", "t");

  private final TableInference inference = new TableInference(ID, List.of(), Map.of(), Map.of());

  private static Change json(@Nullable String key, String object) throws BadMessageException {
    Change[] result = new Change[1];
    new JsonFormat(Tombstones.SKIP).read(Shown.message(key, object), change -> result[0] = change);
    return result[0];
  }

  private static String shown(SourceTable table) {
    return table.columns().stream()
            .map(column -> column.name() + " " + column.lakeType())
            .collect(Collectors.joining(", "))
        + (table.primaryKey().isEmpty() ? "" : " key " + table.primaryKey());
  }

  @Test
  void valuesGiveColumns() throws BadMessageException {
    SourceTable table =
        inference.with(
            null,
            json(
                "{\"id\":1}",
                "{\"id\":1,\"b\":true,\"i\":5,\"l\":5000000000,\"d\":1.5,\"e\":1e5,"
                    + "\"u\":18446744073709551615,\"v\":123456789012345678901234567890,"
                    + "\"f\":12345678901234567890.5,\"w\":1e-999999999,\"s\":\"2026-01-01\","
                    + "\"n\":null,\"o\":{},\"a\":[]}"));
    assertThat(shown(table))
        .isEqualTo(
            "id BIGINT, b BOOLEAN, i INT, l BIGINT, d DOUBLE, e DOUBLE, u DECIMAL(20, 0),"
                + " v DECIMAL(38, 0), f DECIMAL(38, 18), w STRING, s STRING, o STRING, a STRING"
                + " key [id]");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\0',
      textBlock =
          """
          5          | 6           | INT
          5          | 5000000000  | BIGINT
          5          | 1.5         | DOUBLE
          5000000000 | 5           | BIGINT
          5000000000 | 1.5         | DECIMAL(38, 18)
          5          | 18446744073709551615 | DECIMAL(20, 0)
          1.5        | 5           | DOUBLE
          1.5        | 5000000000  | DOUBLE
          1.5        | 9007199254740993 | STRING
          1.5        | 12345678901234567890.5 | STRING
          5          | "5"         | INT
          5          | "x"         | STRING
          5          | true        | INT
          true       | 1           | BOOLEAN
          true       | 5           | STRING
          "x"        | 5           | STRING
          "x"        | {}          | STRING
          18446744073709551615 | 1.5 | DECIMAL(38, 18)
          123456789012345678901234567890 | 1.5 | STRING
          """)
  void columnsGrowWhenTheyMust(String first, String second, String type)
      throws BadMessageException {
    SourceTable one = inference.with(null, json(null, "{\"c\":" + first + "}"));
    SourceTable two = inference.with(one, json(null, "{\"c\":" + second + "}"));
    assertThat(shown(two)).isEqualTo("c " + type);
    assertThat(inference.with(two, json(null, "{\"c\":" + second + "}"))).isEqualTo(two);
    assertThat(inference.with(two, json(null, "{\"c\":" + first + "}"))).isEqualTo(two);
  }

  @Test
  void columnsStayAndComeAndKeepTheirOrder() throws BadMessageException {
    SourceTable one = inference.with(null, json(null, "{\"a\":1,\"b\":\"x\"}"));
    SourceTable two = inference.with(one, json(null, "{\"c\":true,\"b\":\"y\",\"d\":null}"));
    assertThat(shown(two)).isEqualTo("a INT, b STRING, c BOOLEAN");
  }

  @Test
  void aKeyIsThereFromTheStartAndStays() throws BadMessageException {
    TableInference keyed = new TableInference(ID, List.of("k"), Map.of(), Map.of());
    for (String row : List.of("{\"a\":1}", "{\"k\":null}")) {
      assertThatThrownBy(() -> keyed.with(null, json("{\"other\":1}", row)))
          .isInstanceOfSatisfying(
              BadMessageException.class, e -> assertThat(e.reason()).isEqualTo(Reason.KEY));
    }
    SourceTable table = keyed.with(null, json(null, "{\"k\":1}"));
    assertThat(shown(table)).isEqualTo("k BIGINT key [k]");
    assertThatThrownBy(() -> keyed.with(table, json(null, "{\"k\":\"x\"}")))
        .isInstanceOfSatisfying(
            BadMessageException.class, e -> assertThat(e.reason()).isEqualTo(Reason.SCHEMA));
    assertThat(keyed.with(table, json("{\"z\":1}", "{\"k\":2}")).primaryKey())
        .isEqualTo(table.primaryKey());
  }

  @Test
  void whatConfigDeclaresIsSo() throws BadMessageException {
    TableInference declared =
        new TableInference(
            ID,
            List.of(),
            Map.of("a", DataTypes.decimal(10, 2), "late", DataTypes.DATE),
            Map.of("o", DataTypes.BIGINT));
    SourceTable one = declared.with(null, json(null, "{\"a\":\"x\",\"b\":1,\"o\":\"x\"}"));
    assertThat(shown(one)).isEqualTo("a DECIMAL(10, 2), b INT, late DATE, o BIGINT");
    assertThat(declared.with(one, json(null, "{\"a\":1e9,\"late\":\"x\"}"))).isEqualTo(one);
  }

  @Test
  void whatTheMessagesSchemaDeclaresIsSo() throws BadMessageException {
    Change change = json("{\"k\":1}", "{\"a\":1,\"x\":2}");
    DataType timestamp = DataTypes.timestamp(3);
    change.setColumns(
        new MessageColumns(
            List.of(
                new MessageColumn("a", DataTypes.BIGINT, true, null),
                new MessageColumn("t", timestamp, true, null))));
    SourceTable one = inference.with(null, change);
    assertThat(shown(one)).isEqualTo("a BIGINT, t TIMESTAMP(3), x INT, k BIGINT key [k]");
    change.setColumns(
        new MessageColumns(
            List.of(
                new MessageColumn("a", DataTypes.INT, true, null),
                new MessageColumn("t", DataTypes.timestamp(6), true, null))));
    assertThat(shown(inference.with(one, change)))
        .isEqualTo("a BIGINT, t TIMESTAMP(6), x INT, k BIGINT key [k]");
    change.setColumns(
        new MessageColumns(List.of(new MessageColumn("t", DataTypes.BYTES, true, null))));
    assertThatThrownBy(() -> inference.with(one, change)).hasMessageContaining("which no type is");
  }

  /** An old value and the new one have places in a DATE column, or the message has none. */
  @Test
  void aPointInTimeIsNeverMadeText() throws BadMessageException {
    Change change = json(null, "{\"d\":1}");
    change.setColumns(
        new MessageColumns(List.of(new MessageColumn("d", DataTypes.DATE, true, null))));
    SourceTable one = inference.with(null, change);
    assertThat(inference.with(one, json(null, "{\"d\":\"abc\"}"))).isEqualTo(one);
  }
}
