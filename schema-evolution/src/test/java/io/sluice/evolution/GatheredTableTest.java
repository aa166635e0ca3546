package io.sluice.evolution;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.DataType.ArrayType;
import io.sluice.lsm.schema.DataType.NestedRowType;
import io.sluice.lsm.schema.DataTypeText;
import io.sluice.lsm.schema.TableSchema;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tables that are gathered from messages. */
class GatheredTableTest {

  private static final SourceTableId ID = new SourceTableId("kafka", "t");

  private static SourceTable table(List<String> key, String... columns) {
    List<SourceColumn> result = new ArrayList<>();
    for (String column : columns) {
      String[] parts = column.split(" ", 2);
      result.add(
          SourceColumn.ofLake(parts[0], DataTypeText.parse(parts[1]), !key.contains(parts[0])));
    }
    return new SourceTable(ID, result, key);
  }

  private static PlannedTable plan(SourceTable table, Map<String, String> options) {
    return TablePlanner.plan(
        table, new PlanOptions("ods", "t", 3, List.of(), options, false, TableKind.GATHERED), 0);
  }

  private static TableSchema schema(SourceTable table, Map<String, String> options) {
    return ((PlannedTable.Planned) plan(table, options)).schema();
  }

  private static List<String> fields(TableSchema schema) {
    return schema.rowType().fields().stream()
        .map((DataField field) -> field.id() + " " + field.name() + " " + field.type())
        .toList();
  }

  @Test
  void mayBeWithoutAKeyAndMergeInAnyWay() {
    TableSchema keyless = schema(table(List.of(), "a INT"), Map.of());
    assertThat(keyless.options()).containsEntry("bucket", "-1");
    TableSchema keyed =
        schema(
            table(List.of("k"), "k BIGINT", "v INT"),
            Map.of("merge-engine", "aggregation", "sequence.field", "v"));
    assertThat(fields(keyed)).containsExactly("0 k BIGINT NOT NULL", "1 v INT");
    assertThat(keyed.options()).containsEntry("bucket", "3");
  }

  @Test
  void refusesKeysThatCannotBe() {
    assertThat(plan(table(List.of("k"), "k DOUBLE"), Map.of()))
        .isInstanceOfSatisfying(
            PlannedTable.Refused.class,
            refused -> assertThat(refused.text()).contains("type DOUBLE can't be a key"));
    assertThat(plan(table(List.of("x"), "k INT"), Map.of()))
        .isInstanceOfSatisfying(
            PlannedTable.Refused.class,
            refused -> assertThat(refused.text()).contains("the table has no such column"));
  }

  @Test
  void addsColumnsAndMakesThemWider() {
    TableSchema before = schema(table(List.of("k"), "k BIGINT", "a INT", "gone INT"), Map.of());
    SchemaChange change =
        SchemaDiff.gathered(
            table(List.of("k"), "k BIGINT", "a BIGINT", "b STRING"), before, Map.of(), 9);
    assertThat(change)
        .isInstanceOfSatisfying(
            SchemaChange.Evolve.class,
            evolve -> {
              assertThat(fields(evolve.schema()))
                  .containsExactly("0 k BIGINT NOT NULL", "1 a BIGINT", "2 gone INT", "3 b STRING");
              assertThat(evolve.widened()).containsExactly("a");
              assertThat(evolve.oldRowsNeedValues()).isFalse();
            });
    // What is wider in the lake stays, and twice is no change the second time.
    assertThat(SchemaDiff.gathered(table(List.of("k"), "k INT", "a TINYINT"), before, Map.of(), 9))
        .isInstanceOf(SchemaChange.None.class);
  }

  private static SourceTable withItems(String... fieldTypes) {
    List<DataField> fields = new ArrayList<>();
    for (String type : fieldTypes) {
      fields.add(new DataField(fields.size(), "f" + fields.size(), DataTypeText.parse(type)));
    }
    List<SourceColumn> columns = new ArrayList<>(table(List.of("k"), "k INT", "a INT").columns());
    columns.add(
        1,
        SourceColumn.ofLake("items", new ArrayType(new NestedRowType(fields, true), true), true));
    return new SourceTable(table(List.of("k"), "k INT").id(), columns, List.of("k"));
  }

  private static List<Integer> idsOfItems(TableSchema schema) {
    ArrayType items = (ArrayType) schema.rowType().type(schema.rowType().position("items"));
    return ((NestedRowType) items.element()).fields().stream().map(DataField::id).toList();
  }

  @Test
  void fieldsInsideOfColumnsHaveIdsOfTheirOwn() {
    SourceTable items = withItems("INT", "STRING");
    TableSchema made = schema(items, Map.of());
    assertThat(made.rowType().fields()).extracting(DataField::id).containsExactly(0, 1, 2);
    assertThat(idsOfItems(made)).containsExactly(3, 4);
    assertThat(made.highestFieldId()).isEqualTo(4);
    assertThat(SchemaDiff.gathered(items, made, Map.of(), 9)).isInstanceOf(SchemaChange.None.class);
    TableSchema without = schema(table(List.of("k"), "k INT", "a INT"), Map.of());
    assertThat(SchemaDiff.gathered(items, without, Map.of(), 9))
        .isInstanceOfSatisfying(
            SchemaChange.Evolve.class,
            evolve -> {
              assertThat(idsOfItems(evolve.schema())).containsExactly(3, 4);
              assertThat(evolve.schema().highestFieldId()).isEqualTo(4);
            });
    assertThat(SchemaDiff.gathered(withItems("INT", "BIGINT"), made, Map.of(), 9))
        .isInstanceOfSatisfying(
            SchemaChange.Refused.class,
            refused -> assertThat(refused.reason()).contains("no type holds the values of both"));
  }

  @Test
  void refusesAWiderKeyAndTypesThatNothingHolds() {
    TableSchema before = schema(table(List.of("k"), "k INT", "a BYTES"), Map.of());
    assertThat(SchemaDiff.gathered(table(List.of("k"), "k BIGINT"), before, Map.of(), 9))
        .isInstanceOfSatisfying(
            SchemaChange.Refused.class,
            refused -> assertThat(refused.reason()).contains("key column's type can't be changed"));
    assertThat(SchemaDiff.gathered(table(List.of("k"), "k INT", "a INT"), before, Map.of(), 9))
        .isInstanceOfSatisfying(
            SchemaChange.Refused.class,
            refused -> assertThat(refused.reason()).contains("no type holds the values of both"));
    assertThat(SchemaDiff.gathered(table(List.of("a"), "k INT", "a INT"), before, Map.of(), 9))
        .isInstanceOfSatisfying(
            SchemaChange.Refused.class,
            refused -> assertThat(refused.reason()).contains("its key is [a]"));
  }

  @Test
  void optionsOfMergingFollowTheColumns() {
    SourceTable table = table(List.of("k"), "k INT", "a INT", "b INT", "s INT");
    TableSchema before =
        schema(
            table,
            Map.of(
                "merge-engine", "partial-update",
                "fields.s.sequence-group", "a",
                "target-file-size", "1 mb"));
    SchemaChange change =
        SchemaDiff.gathered(
            table,
            before,
            Map.of(
                "fields.s.sequence-group", "b",
                "fields.b.aggregate-function", "sum",
                "target-file-size", "2 mb"),
            9);
    assertThat(change)
        .isInstanceOfSatisfying(
            SchemaChange.Evolve.class,
            evolve ->
                assertThat(evolve.schema().options())
                    .containsEntry("fields.s.sequence-group", "a,b")
                    .containsEntry("fields.b.aggregate-function", "sum")
                    .containsEntry("target-file-size", "1 mb"));
    TableSchema after = ((SchemaChange.Evolve) change).schema();
    assertThat(SchemaDiff.gathered(table, after, Map.of("fields.b.aggregate-function", "max"), 9))
        .isInstanceOfSatisfying(
            SchemaChange.Refused.class,
            refused -> assertThat(refused.reason()).contains("can't be merged again by the other"));
  }
}
