package io.sluice.replicator.sources.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.config.TopicPattern;
import io.sluice.config.WidePart;
import io.sluice.config.WidePart.OnDelete;
import io.sluice.config.WideRule;
import io.sluice.evolution.SourceColumn;
import io.sluice.evolution.SourceTable;
import io.sluice.replicator.messages.BadMessageException;
import io.sluice.replicator.messages.Change;
import io.sluice.replicator.messages.FieldRow;
import io.sluice.replicator.messages.rows.PartRow;
import io.sluice.replicator.messages.rows.PartRow.Image;
import io.sluice.replicator.messages.rows.PartRow.Members;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

class WideTableTest {

  /** In this order. */
  private static Map<String, String> fields(String... pairs) {
    Map<String, String> result = new LinkedHashMap<>();
    for (int i = 0; i < pairs.length; i += 2) {
      result.put(pairs[i], pairs[i + 1]);
    }
    return result;
  }

  private static WidePart part(
      String name, Map<String, String> columns, List<String> sequence, OnDelete onDelete) {
    return new WidePart(
        name,
        Optional.of(TopicPattern.parse(name)),
        Optional.empty(),
        columns,
        sequence,
        onDelete,
        columns.containsKey("total") ? Map.of("total", "sum") : Map.of());
  }

  private static final WidePart ORDERS =
      part("orders", fields("k", "id", "note", "note"), List.of("ver"), OnDelete.DELETE_ROW);
  private static final WidePart ITEMS =
      part("items", fields("k", "order_id", "total", "price"), List.of(), OnDelete.CLEAR);

  private static WideTable table(Map<String, String> types) {
    return new WideTable(
        new WideRule(
            "dwd",
            "w",
            List.of("k"),
            OptionalInt.empty(),
            List.of(),
            types,
            List.of(ORDERS, ITEMS),
            Map.of("file.format", "orc")));
  }

  private static Change order() {
    Change change = new Change();
    change.reset(Change.Kind.UPSERT);
    change.row().addLong("id", 7);
    change.row().addText("note", FieldRow.Kind.TEXT, "n");
    change.row().addLong("ver", 3);
    change.row().addLong("other", 9);
    return change;
  }

  private static Change item(String price) {
    Change change = new Change();
    change.reset(Change.Kind.UPSERT);
    change.row().addLong("order_id", 7);
    change.row().addText("price", FieldRow.Kind.DECIMAL, price);
    return change;
  }

  private static List<String> columns(SourceTable table) {
    return table.columns().stream()
        .map((SourceColumn column) -> column.name() + " " + column.lakeType())
        .toList();
  }

  @Test
  void growsByWhatItsPartsTell() throws BadMessageException {
    WideTable wide = table(Map.of());
    PartRow orders = new PartRow(wide.columns(ORDERS));
    PartRow items = new PartRow(wide.columns(ITEMS));
    SourceTable first = wide.with(null, orders.of(order(), Image.NOW, Members.VALUES, 1));
    assertThat(columns(first))
        .containsExactly(
            "k BIGINT",
            "note STRING",
            "_seq_orders_ver INT",
            "_seq_orders BIGINT",
            "_seq_items BIGINT");
    assertThat(wide.options(first))
        .isEqualTo(
            Map.of(
                "merge-engine", "partial-update",
                "fields._seq_orders_ver,_seq_orders.sequence-group", "note",
                "partial-update.remove-record-on-sequence-group", "_seq_orders_ver,_seq_orders",
                "file.format", "orc"));
    SourceTable second = wide.with(first, items.of(item("1.5"), Image.NOW, Members.VALUES, 2));
    assertThat(columns(second))
        .containsExactly(
            "k BIGINT",
            "note STRING",
            "total DECIMAL(38, 18)",
            "_seq_orders_ver INT",
            "_seq_orders BIGINT",
            "_seq_items BIGINT");
    assertThat(wide.options(second))
        .containsEntry("fields._seq_items.sequence-group", "total")
        .containsEntry("fields.total.aggregate-function", "sum");
    assertThat(wide.with(second, items.of(item("2"), Image.NOW, Members.VALUES, 3)))
        .isEqualTo(second);
  }

  @Test
  void isWholeFromTheStartWhereAllTypesAreGiven() {
    WideTable wide =
        table(Map.of("k", "BIGINT", "note", "STRING", "total", "BIGINT", "_seq_orders_ver", "INT"));
    SourceTable declared = wide.declared();
    assertThat(declared).isNotNull().isEqualTo(wide.whole());
    assertThat(table(Map.of("note", "STRING")).declared()).isNull();
    assertThatThrownBy(() -> table(Map.of("k", "BIGGISH")))
        .hasMessageContaining("column k of dwd.w");
  }

  @Test
  void sumsGetDifferencesAndAreTakenBack() throws BadMessageException {
    PartRow items = new PartRow(table(Map.of()).columns(ITEMS));
    Change update = item("5");
    update.fillBefore().addLong("order_id", 7);
    update.before().addText("price", FieldRow.Kind.DECIMAL, "7.25");
    assertThat(text(items.of(update, Image.NOW, Members.DIFFERENCES, 4)))
        .isEqualTo("k=7 total=-2.25 _seq_items=4");
    assertThat(text(items.of(update, Image.BEFORE, Members.TAKEN_BACK, 5)))
        .isEqualTo("k=7 total=-7.25 _seq_items=5");
    assertThat(text(items.of(update, Image.NOW, Members.VALUES, 6)))
        .isEqualTo("k=7 total=5 _seq_items=6");
    assertThat(text(items.of(update, Image.NOW, Members.NONE, 7))).isEqualTo("k=7 _seq_items=7");
    assertThat(items.movesKey(update)).isFalse();
    assertThatThrownBy(() -> items.of(item("1e999999999"), Image.NOW, Members.VALUES, 8))
        .isInstanceOf(BadMessageException.class)
        .hasMessageContaining("can't be added up in column total");
  }

  @Test
  void wantsKeyAndSequence() {
    PartRow orders = new PartRow(table(Map.of()).columns(ORDERS));
    Change change = new Change();
    change.reset(Change.Kind.UPSERT);
    change.row().addLong("id", 7);
    change.row().addNull("ver");
    assertThatThrownBy(() -> orders.of(change, Image.NOW, Members.VALUES, 1))
        .hasMessage("Sequence column _seq_orders_ver: field ver is null.");
    change.reset(Change.Kind.DELETE);
    assertThatThrownBy(() -> orders.of(change, Image.NOW, Members.NONE, 1))
        .hasMessageContaining("is not in the message");
  }

  private static String text(Change change) {
    StringBuilder text = new StringBuilder();
    FieldRow row = change.row();
    for (int i = 0; i < row.size(); i++) {
      text.append(i == 0 ? "" : " ").append(row.name(i)).append('=');
      text.append(
          switch (row.kind(i)) {
            case LONG -> Long.toString(row.longValue(i));
            case NULL -> "null";
            default -> row.text(i);
          });
    }
    return text.toString();
  }
}
