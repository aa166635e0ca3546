package io.sluice.it.source;

import io.sluice.evolution.PlanOptions;
import io.sluice.evolution.PlannedTable;
import io.sluice.evolution.SchemaChange;
import io.sluice.evolution.SchemaDiff;
import io.sluice.evolution.SourceTable;
import io.sluice.evolution.SourceTableId;
import io.sluice.evolution.TablePlanner;
import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.row.BytesView;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.DataType;
import io.sluice.lsm.schema.TableSchema;
import io.sluice.sinks.ChangeInput;
import io.sluice.sinks.PartCopy;
import io.sluice.sinks.PipelineStoppedException;
import io.sluice.sinks.RecoveredState;
import io.sluice.sinks.RoutedTable;
import io.sluice.sinks.SourcePosition;
import io.sluice.sinks.TableRefusedException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Writes down what a source hands over, and where it may be cut. Thread safe. */
final class RecordingInput implements ChangeInput {

  /** What an epoch cut here would hold. */
  record Cut(
      SourcePosition position,
      int events,
      List<String> history,
      Map<SourceTableId, TableSchema> lake) {
    RecoveredState state() {
      return new RecoveredState(1, Optional.of(position), history, Map.of());
    }
  }

  private final Predicate<SourceTableId> captured;
  private final List<String> events = new ArrayList<>();
  private final List<Cut> cuts = new ArrayList<>();
  private final List<String> history = new ArrayList<>();
  private final Map<SourceTableId, RoutedTable> tables = new HashMap<>();
  private final Map<SourceTableId, TableSchema> lake = new HashMap<>();
  private long generation;
  private boolean mustCut;
  private @Nullable Runnable beforeRow;
  private boolean parks;
  private final Map<SourceTableId, String> parked = new HashMap<>();

  RecordingInput(Predicate<SourceTableId> captured) {
    this.captured = captured;
  }

  /** A pipeline that was recovered from this cut. */
  static RecordingInput after(Predicate<SourceTableId> captured, Cut cut) {
    var input = new RecordingInput(captured);
    input.history.addAll(cut.history());
    input.lake.putAll(cut.lake());
    return input;
  }

  /** Tables that can't go on are left behind. */
  RecordingInput parking() {
    parks = true;
    return this;
  }

  @Override
  public synchronized boolean parksTables() {
    return parks;
  }

  @Override
  public synchronized boolean park(SourceTableId table, String reason) {
    if (parks && parked.putIfAbsent(table, reason) == null) {
      tables.remove(table);
      event("park " + table.table());
    }
    return parks;
  }

  @Override
  public synchronized boolean isParked(SourceTableId table) {
    return parked.containsKey(table);
  }

  /** Null for a table that goes on. */
  synchronized @Nullable String whyParked(String table) {
    return parked.entrySet().stream()
        .filter(each -> each.getKey().table().equals(table))
        .map(Map.Entry::getValue)
        .findFirst()
        .orElse(null);
  }

  /** Into a new lake table, whatever the old one was. */
  @Override
  public synchronized RoutedTable resync(SourceTable definition, @Nullable PartCopy part) {
    parked.remove(definition.id());
    TableSchema schema = planned(definition);
    lake.put(definition.id(), schema);
    event(
        "resync "
            + definition.id().table()
            + " "
            + schema.rowType().fields().stream().map(DataField::name).toList());
    return routed(definition, schema).orElseThrow();
  }

  private static TableSchema planned(SourceTable definition) {
    var options =
        new PlanOptions(
            definition.id().database(), definition.id().table(), 1, List.of(), Map.of(), false);
    PlannedTable plan = TablePlanner.plan(definition, options, 0);
    if (plan instanceof PlannedTable.Refused refused) {
      throw new TableRefusedException(definition.id(), refused.text());
    }
    return ((PlannedTable.Planned) plan).schema();
  }

  synchronized void beforeRow(Runnable hook) {
    beforeRow = hook;
  }

  @Override
  public synchronized Optional<RoutedTable> restoreTable(SourceTable definition) {
    if (!captured.test(definition.id())) {
      return Optional.empty();
    }
    TableSchema schema = lake.get(definition.id());
    if (schema == null) {
      throw new AssertionError("restored a table that no epoch holds: " + definition.id());
    }
    return routed(definition, schema);
  }

  @Override
  public synchronized Optional<RoutedTable> tableChanged(
      SourceTable definition, @Nullable String historyRecord) {
    checkMayHandOver();
    if (historyRecord != null) {
      history.add(historyRecord);
    }
    if (!captured.test(definition.id()) || parked.containsKey(definition.id())) {
      return Optional.empty();
    }
    TableSchema now = lake.get(definition.id());
    if (now == null) {
      now = planned(definition);
    } else {
      RoutedTable before = tables.get(definition.id());
      SchemaChange change =
          SchemaDiff.diff(before == null ? null : before.source(), definition, now, false, 0);
      if (change instanceof SchemaChange.Refused refused) {
        throw new TableRefusedException(definition.id(), refused.reason());
      }
      if (change instanceof SchemaChange.Evolve evolve) {
        now = evolve.schema();
        if (evolve.oldRowsNeedValues()) {
          event("again " + definition.id().table());
        }
      }
    }
    lake.put(definition.id(), now);
    event(
        "table "
            + definition.id()
            + " "
            + now.rowType().fields().stream().map(DataField::name).toList());
    return routed(definition, now);
  }

  private Optional<RoutedTable> routed(SourceTable definition, TableSchema schema) {
    var routed = new RoutedTable(definition, definition.id().toString(), schema, generation++);
    tables.put(definition.id(), routed);
    return Optional.of(routed);
  }

  @Override
  public synchronized void history(String historyRecord) {
    checkMayHandOver();
    history.add(historyRecord);
  }

  @Override
  public void row(RoutedTable table, BinaryRow row, long sourceTimeMicros) {
    Runnable hook;
    synchronized (this) {
      hook = beforeRow;
    }
    if (hook != null) {
      hook.run();
    }
    synchronized (this) {
      checkMayHandOver();
      if (tables.get(table.source().id()) != table) {
        throw new AssertionError("a row of an outdated " + table.source().id());
      }
      if (sourceTimeMicros < 1_500_000_000_000_000L) {
        throw new AssertionError("a row without its time: " + sourceTimeMicros);
      }
      event(
          row.kind().shortText()
              + " "
              + table.source().id().table()
              + " "
              + text(row, table.lakeSchema()));
    }
  }

  @Override
  public synchronized RoutedTable truncate(RoutedTable table, long sourceTimeMicros) {
    checkMayHandOver();
    event("truncate " + table.source().id().table());
    mustCut = true;
    return routed(table.source(), table.lakeSchema()).orElseThrow();
  }

  @Override
  public synchronized void cutPoint(SourcePosition position, long sourceTimeMicros) {
    mustCut = false;
    cuts.add(new Cut(position, events.size(), List.copyOf(history), Map.copyOf(lake)));
    notifyAll();
  }

  @Override
  public synchronized Optional<RoutedTable> routed(SourceTableId id) {
    return Optional.ofNullable(tables.get(id));
  }

  private void checkMayHandOver() {
    if (mustCut) {
      throw new AssertionError("a truncate was not followed by its cut");
    }
  }

  private void event(String text) {
    events.add(text);
    notifyAll();
  }

  synchronized List<String> events() {
    return List.copyOf(events);
  }

  synchronized List<Cut> cuts() {
    return List.copyOf(cuts);
  }

  synchronized Cut lastCut() {
    return cuts.get(cuts.size() - 1);
  }

  /** The table's rows by replaying what was handed over. */
  synchronized int count(String startsWith) {
    return (int) events.stream().filter(event -> event.startsWith(startsWith)).count();
  }

  /** The table's rows by their first column, from what was handed over. */
  synchronized Map<String, String> rowsOf(String table) {
    var rows = new java.util.TreeMap<String, String>();
    int columns = 0;
    for (String event : events) {
      String[] words = event.split(" ", 3);
      if (event.startsWith("table ") && words[1].endsWith("." + table)) {
        columns = words[2].split(",").length;
      } else if (event.equals("truncate " + table)) {
        rows.clear();
      } else if (words.length == 3 && words[1].equals(table)) {
        String key = words[2].split(",", 2)[0];
        if (words[0].equals("-D")) {
          rows.remove(key);
        } else {
          rows.put(key, words[2]);
        }
      }
    }
    int wanted = columns;
    // Rows from before a column was added have none.
    rows.replaceAll((key, row) -> row + ",null".repeat(wanted - row.split(",").length));
    return rows;
  }

  /** Waits until the event has come and is behind a cut. */
  void awaitCommitted(String event, DebeziumRun run) {
    await(
        run,
        () -> {
          int at = events.lastIndexOf(event);
          return at >= 0 && !cuts.isEmpty() && lastCut().events() > at;
        },
        event);
  }

  /** Waits until so many events are behind a cut, or the run has ended. */
  synchronized void awaitEither(DebeziumRun run, int count) {
    long deadline = System.nanoTime() + Duration.ofSeconds(90).toNanos();
    while (run.endedWith() == null && (cuts.isEmpty() || lastCut().events() < count)) {
      if (System.nanoTime() > deadline) {
        throw new AssertionError("neither ended nor at event " + count + " of " + events.size());
      }
      try {
        wait(50);
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }
  }

  synchronized void await(DebeziumRun run, BooleanSupplier condition, String what) {
    long deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
    while (!condition.getAsBoolean()) {
      long left = (deadline - System.nanoTime()) / 1_000_000;
      PipelineStoppedException ended = run.endedWith();
      if (left <= 0 || ended != null) {
        throw new AssertionError(
            "waited in vain for "
                + what
                + "; last events "
                + events.subList(Math.max(0, events.size() - 10), events.size())
                + ", cuts "
                + cuts.size(),
            ended);
      }
      try {
        wait(Math.min(left, 200));
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }
  }

  private static String text(BinaryRow row, TableSchema schema) {
    var text = new StringBuilder();
    for (int i = 0; i < schema.rowType().size(); i++) {
      text.append(i == 0 ? "" : ",").append(value(row, i, schema.rowType().type(i)));
    }
    return text.toString();
  }

  private static String value(BinaryRow row, int i, DataType type) {
    if (row.isNullAt(i)) {
      return "null";
    }
    return switch (type.root()) {
      case BOOLEAN -> String.valueOf(row.getBoolean(i));
      case TINYINT -> String.valueOf(row.getByte(i));
      case SMALLINT -> String.valueOf(row.getShort(i));
      case INT, DATE -> String.valueOf(row.getInt(i));
      case BIGINT -> String.valueOf(row.getLong(i));
      case DECIMAL -> {
        var decimal = (DataType.DecimalType) type;
        yield row.getDecimal(i, decimal.precision(), decimal.scale()).toPlainString();
      }
      default -> {
        if (type.root().isText() || type.root().isBytes()) {
          var view = new BytesView();
          row.getBytes(i, view);
          yield type.root().isText()
              ? new String(view.toByteArray(), StandardCharsets.UTF_8)
              : HexFormat.of().formatHex(view.toByteArray());
        }
        yield type.root() + "?";
      }
    };
  }
}
