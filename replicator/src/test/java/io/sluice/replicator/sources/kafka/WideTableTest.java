package io.sluice.replicator.sources.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.config.TopicPattern;
import io.sluice.config.WideArray;
import io.sluice.config.WidePart;
import io.sluice.config.WidePart.OnDelete;
import io.sluice.config.WideRule;
import io.sluice.evolution.SourceColumn;
import io.sluice.evolution.SourceTable;
import io.sluice.lsm.row.Row;
import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.row.Values;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.DataTypes;
import io.sluice.lsm.schema.RowType;
import io.sluice.replicator.messages.BadMessageException;
import io.sluice.replicator.messages.Change;
import io.sluice.replicator.messages.FieldRow;
import io.sluice.replicator.messages.Message;
import io.sluice.replicator.messages.rows.PartRow;
import io.sluice.replicator.messages.rows.PartRow.Image;
import io.sluice.replicator.messages.rows.PartRow.Members;
import io.sluice.replicator.messages.rows.RowColumns;
import io.sluice.replicator.messages.rows.RowColumns.NumbersAsTimes;
import io.sluice.replicator.messages.rows.RowWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.jspecify.annotations.Nullable;
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
        columns.containsKey("total") ? Map.of("total", "sum") : Map.of(),
        Optional.empty());
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
    PartRow orders = new PartRow(wide.columns(ORDERS), NumbersAsTimes.BY_PRECISION);
    PartRow items = new PartRow(wide.columns(ITEMS), NumbersAsTimes.BY_PRECISION);
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
    PartRow items = new PartRow(table(Map.of()).columns(ITEMS), NumbersAsTimes.BY_PRECISION);
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
    PartRow orders = new PartRow(table(Map.of()).columns(ORDERS), NumbersAsTimes.BY_PRECISION);
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

  private static final WidePart LINES =
      new WidePart(
          "lines",
          Optional.of(TopicPattern.parse("lines")),
          Optional.empty(),
          Map.of("k", "order_id"),
          List.of(),
          OnDelete.CLEAR,
          Map.of(),
          Optional.of(
              new WideArray(
                  "items",
                  List.of("line"),
                  fields("line", "no", "at", "t", "qty", "q"),
                  Map.of("line", "INT", "at", "TIMESTAMP(3)", "qty", "DECIMAL(10, 2)"))));

  private static WideTable lines() {
    return new WideTable(
        new WideRule(
            "dwd",
            "w",
            List.of("k"),
            OptionalInt.empty(),
            List.of(),
            Map.of("k", "BIGINT"),
            List.of(LINES),
            Map.of()));
  }

  private static Change line(Change.Kind kind, long no, @Nullable String quantity) {
    Change change = new Change();
    change.reset(kind);
    change.row().addLong("order_id", 7);
    change.row().addLong("no", no);
    if (quantity == null) {
      change.row().addNull("q");
    } else {
      change.row().addText("q", FieldRow.Kind.DECIMAL, quantity);
    }
    change.row().addTimestamp("t", 1500, 0);
    return change;
  }

  private static String items(Change change) throws BadMessageException {
    SourceTable table = lines().declared();
    List<DataField> fields = new ArrayList<>();
    for (SourceColumn column : table.columns()) {
      fields.add(new DataField(fields.size(), column.name(), column.lakeType()));
    }
    RowType type = new RowType(fields);
    RowWriter writer =
        RowWriter.of(
            type,
            List.of("k"),
            new RowColumns(
                Map.of(), RowColumns.Rest.BY_NAME, Set.of(), NumbersAsTimes.BY_PRECISION));
    Message message = new Message("t", 0, 0, -1, null, null, List.of());
    assertThat(writer.write(message, change, RowKind.INSERT)).isEqualTo(RowWriter.Outcome.FITS);
    Values items = writer.row().getArray(type.position("items"));
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < items.size(); i++) {
      Row item = items.getRow(i, 4);
      text.append(i == 0 ? "" : ", ").append(item.getInt(0)).append(' ');
      text.append(item.isNullAt(1) ? "null" : item.getTimestampMillis(1, 3)).append(' ');
      text.append(item.isNullAt(2) ? "null" : item.getDecimal(2, 10, 2).toPlainString());
      text.append(item.getBoolean(3) ? " gone" : "");
    }
    return text.toString();
  }

  @Test
  void rowsOfASourceAreElements() throws BadMessageException {
    WideTable wide = lines();
    assertThat(columns(wide.declared())).hasSize(3);
    assertThat(wide.options(wide.declared()))
        .containsEntry("fields._seq_lines.sequence-group", "items")
        .containsEntry("fields.items.aggregate-function", "nested_update")
        .containsEntry("fields.items.nested-key", "line");
    PartRow row = new PartRow(wide.columns(LINES), NumbersAsTimes.BY_PRECISION);
    Change created = line(Change.Kind.UPSERT, 1, "2.5");
    assertThat(items(row.of(created, Image.NOW, Members.VALUES, 1))).isEqualTo("1 1500 2.50");
    assertThat(items(row.of(line(Change.Kind.DELETE, 1, "2.5"), Image.NOW, Members.TAKEN_BACK, 2)))
        .isEqualTo("1 null null gone");
    // The key that was before, and only then the element.
    Change renumbered = line(Change.Kind.UPSERT, 2, null);
    renumbered.fillBefore().addLong("no", 1);
    assertThat(items(row.of(renumbered, Image.NOW, Members.DIFFERENCES, 3)))
        .isEqualTo("1 null null gone, 2 1500 null");
    assertThat(items(row.of(renumbered, Image.BEFORE, Members.TAKEN_BACK, 4)))
        .isEqualTo("1 null null gone");
    // Another spelling is the same key.
    Change same = line(Change.Kind.UPSERT, 1, null);
    same.fillBefore().addText("no", FieldRow.Kind.TEXT, "1");
    assertThat(items(row.of(same, Image.NOW, Members.DIFFERENCES, 5))).isEqualTo("1 1500 null");
  }

  @Test
  void anElementNeedsItsKeyAndExactValues() {
    PartRow row = new PartRow(lines().columns(LINES), NumbersAsTimes.BY_PRECISION);
    Change keyless = new Change();
    keyless.reset(Change.Kind.UPSERT);
    keyless.row().addLong("order_id", 7);
    assertThatThrownBy(() -> row.of(keyless, Image.NOW, Members.VALUES, 1))
        .hasMessageContaining(
            "items.line tells elements apart, and field no is not in the message");
    assertThatThrownBy(
            () -> row.of(line(Change.Kind.UPSERT, 1, "0.125"), Image.NOW, Members.VALUES, 1))
        .hasMessageContaining("0.125 can't be held exactly by items.qty (DECIMAL(10, 2))");
    RowType other =
        new RowType(
            List.of(
                new DataField(0, "k", DataTypes.INT), new DataField(1, "items", DataTypes.INT)));
    assertThatThrownBy(() -> row.checkElements(other)).hasMessageContaining("and the lake has INT");
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
