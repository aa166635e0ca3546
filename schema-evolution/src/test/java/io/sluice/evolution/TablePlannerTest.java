package io.sluice.evolution;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.lsm.schema.TableSchema;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TablePlannerTest {

  private static PlanOptions options(List<String> partitionBy, Map<String, String> more) {
    return new PlanOptions("ods", "t", 3, partitionBy, more, false);
  }

  private static List<String> refusals(SourceTable table, PlanOptions options) {
    PlannedTable planned = TablePlanner.plan(table, options, 7);
    assertThat(planned).isInstanceOf(PlannedTable.Refused.class);
    return ((PlannedTable.Refused) planned).reasons();
  }

  @Test
  void keepsColumnsInOrderAndOnlyKeysNotNull() {
    PlannedTable planned =
        TablePlanner.plan(
            Columns.table("b,a", "a INT NOT NULL", "x VARCHAR(9) NOT NULL", "b BIGINT NOT NULL"),
            options(List.of(), Map.of("z", "1", "file.format", "orc")),
            7);
    TableSchema schema = ((PlannedTable.Planned) planned).schema();
    assertThat(schema.rowType().fields())
        .extracting(field -> field.id() + " " + field.name() + " " + field.type())
        .containsExactly("0 a INT NOT NULL", "1 x STRING", "2 b BIGINT NOT NULL");
    assertThat(schema.primaryKeys()).containsExactly("b", "a");
    assertThat(schema.partitionKeys()).isEmpty();
    assertThat(schema.highestFieldId()).isEqualTo(2);
    assertThat(schema.id()).isZero();
    assertThat(schema.timeMillis()).isEqualTo(7);
    assertThat(schema.options())
        .containsExactly(
            Map.entry("bucket", "3"),
            Map.entry("file.format", "orc"),
            Map.entry("orc.timestamp-ltz.legacy.type", "false"),
            Map.entry("z", "1"));
  }

  @Test
  void partitionsByColumnsOfTheKey() {
    SourceTable table = Columns.table("id,d", "id INT NOT NULL", "d DATE NOT NULL", "v INT");
    TableSchema schema =
        ((PlannedTable.Planned) TablePlanner.plan(table, options(List.of("d"), Map.of()), 7))
            .schema();
    assertThat(schema.partitionKeys()).containsExactly("d");
    assertThat(schema.trimmedPrimaryKeys()).containsExactly("id");
    assertThat(refusals(table, options(List.of("v"), Map.of())))
        .singleElement()
        .asString()
        .contains("shop.t, column v", "not in the primary key [id, d]");
    assertThat(refusals(table, options(List.of("id", "d"), Map.of())))
        .singleElement()
        .asString()
        .contains("whole primary key");
  }

  @Test
  void refusesATableWithoutAPrimaryKeyByName() {
    assertThat(refusals(Columns.table("", "a INT"), options(List.of(), Map.of())))
        .containsExactly(
            "Table shop.t has no primary key. Add one, or exclude the table with source.exclude.");
  }

  @Test
  void tellsAllFaultsAtOnce() {
    assertThat(
            refusals(
                Columns.table("f", "f DOUBLE NOT NULL", "g GEOMETRY", "_KEY_x INT"),
                options(List.of(), Map.of("bucket", "5", "merge-engine", "aggregation"))))
        .satisfiesExactly(
            one -> assertThat(one).contains("column f", "DOUBLE", "can't be a key", "DECIMAL"),
            two -> assertThat(two).contains("column g", "GEOMETRY"),
            three -> assertThat(three).contains("column _KEY_x", "reserved"),
            four -> assertThat(four).contains("option bucket"),
            five -> assertThat(five).contains("option merge-engine", "deduplicate"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"a/b", "a$b", "a\\b", ".a", "a\u0001"})
  void refusesNamesThatTheLakeCannotHave(String name) {
    SourceTable table = Columns.table("a", "a INT NOT NULL");
    PlanOptions options = new PlanOptions("ods", name, 1, List.of(), Map.of(), false);
    assertThat(refusals(table, options)).singleElement().asString().contains("tables.rules");
  }

  @ParameterizedTest
  @ValueSource(strings = {"order-items", "x.y", "订单", "a b"})
  void takesOtherNamesAsTheyAre(String name) {
    PlanOptions options = new PlanOptions("ods", name, 1, List.of(), Map.of(), false);
    assertThat(TablePlanner.plan(Columns.table("a", "a INT NOT NULL"), options, 7))
        .isInstanceOf(PlannedTable.Planned.class);
  }

  @ParameterizedTest
  @CsvSource({
    "sequence.field, x",
    "bucket-key, a",
    "file.format, csv",
    "primary-key, a",
    "orc.timestamp-ltz.legacy.type, true"
  })
  void refusesOptionsThatWouldMakeItAnotherTable(String key, String value) {
    assertThat(
            refusals(Columns.table("a", "a INT NOT NULL"), options(List.of(), Map.of(key, value))))
        .singleElement()
        .asString()
        .contains("option " + key);
  }
}
