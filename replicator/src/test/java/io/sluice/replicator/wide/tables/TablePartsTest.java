package io.sluice.replicator.wide.tables;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.config.SourceSize;
import io.sluice.config.TableDefaults;
import io.sluice.config.TablePattern;
import io.sluice.config.TableRouting;
import io.sluice.config.TablesConfig;
import io.sluice.config.WidePart;
import io.sluice.config.WidePart.OnDelete;
import io.sluice.config.WideRule;
import io.sluice.evolution.SourceColumn;
import io.sluice.evolution.SourceTable;
import io.sluice.evolution.SourceTableId;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class TablePartsTest {

  private static final WidePart ORDERS =
      part("orders", "shop_*.orders", Map.of("k", "id", "note", "note"));
  private static final WidePart PAYS =
      part("pays", "shop_1.pays", Map.of("k", "order_id", "amount", "amount"));

  private static WidePart part(String name, String match, Map<String, String> columns) {
    return new WidePart(
        name,
        Optional.empty(),
        Optional.of(TablePattern.parse(match)),
        columns,
        List.of(),
        OnDelete.CLEAR,
        Map.of(),
        Optional.empty());
  }

  private static TableParts parts(Map<String, String> types) {
    TableDefaults defaults =
        new TableDefaults(OptionalInt.empty(), 1 << 30, "orc", Map.of(), false);
    WideRule rule =
        new WideRule(
            "dwd",
            "wide",
            List.of("k"),
            OptionalInt.of(1),
            List.of(),
            types,
            List.of(ORDERS, PAYS),
            Map.of());
    TableRouting routing =
        new TableRouting(
            List.of(TablePattern.parse("*.*")),
            List.of(),
            new TablesConfig(defaults, List.of(), List.of(), List.of(rule)));
    return new TableParts(routing, each -> routing.target(each, SourceSize.UNKNOWN));
  }

  private static SourceTable table(String database, String name, SourceColumn... columns) {
    return new SourceTable(
        new SourceTableId(database, name), List.of(columns), List.of(columns[0].name()));
  }

  private static SourceColumn column(String name, String type, @Nullable Integer length) {
    return new SourceColumn(name, type, length, null, true, null, List.of(), null);
  }

  @Test
  void aColumnHoldsTheValuesOfAllThatFillIt() {
    TableParts.Plan plan =
        parts(Map.of())
            .plan(
                List.of(
                    table(
                        "shop_1",
                        "orders",
                        column("id", "INT", null),
                        column("note", "VARCHAR", 9),
                        column("place", "POINT", null)),
                    table(
                        "shop_2",
                        "orders",
                        column("id", "BIGINT", null),
                        column("note", "TEXT", null)),
                    table(
                        "shop_1",
                        "pays",
                        column("id", "INT", null),
                        column("order_id", "SMALLINT", null),
                        column("amount", "DECIMAL", 8))))
            .get(0);
    assertThat(plan.problems()).isEmpty();
    assertThat(plan.definition()).isNotNull();
    assertThat(
            plan.definition().columns().stream().map(each -> each.name() + " " + each.lakeType()))
        .containsExactly(
            "k BIGINT",
            "note STRING",
            "amount DECIMAL(8, 0)",
            "_seq_orders BIGINT",
            "_seq_pays BIGINT");
    assertThat(plan.target().options())
        .containsEntry("fields._seq_orders.sequence-group", "note")
        .containsEntry("fields._seq_pays.sequence-group", "amount");
  }

  @Test
  void typesThatHaveNothingInCommonNeedAWord() {
    List<SourceTable> tables =
        List.of(
            table("shop_1", "orders", column("id", "INT", null), column("note", "INT", null)),
            table("shop_2", "orders", column("id", "INT", null), column("note", "BLOB", null)));
    assertThat(parts(Map.of()).plan(tables).get(0).problems())
        .singleElement()
        .asString()
        .contains("column note is INT by one of its sources and BYTES by shop_2.orders")
        .contains("types { note = \"...\" }");
  }

  @Test
  void aColumnThatIsNotThereIsNamed() {
    assertThat(
            parts(Map.of())
                .plan(List.of(table("shop_1", "pays", column("order_id", "INT", null))))
                .get(0)
                .problems())
        .singleElement()
        .asString()
        .contains("column amount is filled by column amount of shop_1.pays (part pays)");
  }

  @Test
  void takesWhatAPartNamesAndNothingElse() {
    TableParts parts = parts(Map.of());
    assertThat(parts.takes(new SourceTableId("shop_7", "orders"))).isTrue();
    assertThat(parts.takes(new SourceTableId("shop_7", "pays"))).isFalse();
    assertThat(parts.target(new SourceTableId("dwd", "wide"))).isPresent();
    assertThat(parts.target(new SourceTableId("shop_1", "orders"))).isEmpty();
  }
}
