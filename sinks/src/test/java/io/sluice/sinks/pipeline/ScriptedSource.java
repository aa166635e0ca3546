package io.sluice.sinks.pipeline;

import io.sluice.evolution.SourceTable;
import io.sluice.lsm.io.FileIO;
import io.sluice.lsm.row.RowKind;
import io.sluice.sinks.ChangeInput;
import io.sluice.sinks.RoutedTable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A source's log that can be delivered from any position on, and the model of what the tables hold
 * at each position.
 */
final class ScriptedSource {

  /** One thing in a transaction. */
  private sealed interface Step {}

  private record Define(SourceTable table) implements Step {}

  private record Put(String table, RowKind kind, long id, String v) implements Step {}

  private record Truncate(String table) implements Step {}

  /** Rows of each table. */
  private final List<List<Step>> log = new ArrayList<>();

  private final List<Map<String, SortedMap<Long, String>>> models = new ArrayList<>();
  private final Map<String, SourceTable> defined = new HashMap<>();

  ScriptedSource() {
    models.add(Map.of());
  }

  /** A log over three tables with a late table, an added column, a truncate and key changes. */
  static ScriptedSource overThreeTables(long seed, int transactions) {
    ScriptedSource script = new ScriptedSource();
    Random random = new Random(seed);
    script.add(List.of(new Define(TestLake.definition("a")), new Define(TestLake.definition("b"))));
    for (int i = 1; i < transactions; i++) {
      List<Step> steps = new ArrayList<>();
      if (i == transactions / 3) {
        steps.add(new Define(TestLake.definition("c")));
      } else if (i == transactions / 2) {
        steps.add(new Define(TestLake.definition("a", "extra")));
      } else if (i == transactions * 2 / 3) {
        script.add(List.of(new Truncate("b")));
        continue;
      }
      int changes = 1 + random.nextInt(6);
      for (int k = 0; k < changes; k++) {
        String table =
            random.nextInt(3) == 0 && i > transactions / 3 ? "c" : random.nextBoolean() ? "a" : "b";
        long id = random.nextInt(12);
        RowKind kind =
            random.nextInt(4) == 0
                ? RowKind.DELETE
                : random.nextBoolean() ? RowKind.INSERT : RowKind.UPDATE_AFTER;
        steps.add(new Put(table, kind, id, "t" + i + "." + k));
      }
      script.add(steps);
    }
    return script;
  }

  private void add(List<Step> transaction) {
    log.add(transaction);
    Map<String, SortedMap<Long, String>> model = new HashMap<>();
    models.get(models.size() - 1).forEach((table, rows) -> model.put(table, new TreeMap<>(rows)));
    for (Step step : transaction) {
      if (step instanceof Define define) {
        SortedMap<Long, String> rows =
            model.computeIfAbsent(define.table().id().table(), t -> new TreeMap<>());
        if (define.table().columns().size() == 3) {
          rows.replaceAll((id, v) -> v + ",null");
        }
        defined.put(define.table().id().table(), define.table());
      } else if (step instanceof Truncate truncate) {
        model.get(truncate.table()).clear();
      } else if (step instanceof Put put) {
        if (put.kind() == RowKind.DELETE) {
          model.get(put.table()).remove(put.id());
        } else {
          boolean wide = defined.get(put.table()).columns().size() == 3;
          model.get(put.table()).put(put.id(), put.v() + (wide ? ",null" : ""));
        }
      }
    }
    models.add(model);
  }

  long end() {
    return log.size();
  }

  /** Rows of each table when the source stands there. */
  Map<String, SortedMap<Long, String>> modelAt(long position) {
    return models.get((int) position);
  }

  /** Where the pipeline stands; 0 for a new one. */
  static long positionOf(Pipeline pipeline) {
    return pipeline
        .recovered()
        .position()
        .map(p -> Long.parseLong(p.text().replaceAll("\\D", "")))
        .orElse(0L);
  }

  /** What all tables in the lake hold. */
  static Map<String, SortedMap<Long, String>> read(TestLake lake, FileIO storage)
      throws IOException {
    Map<String, SortedMap<Long, String>> result = new HashMap<>();
    for (String table : List.of("a", "b", "c")) {
      result.put(table, lake.rows(storage, table));
    }
    return result;
  }

  /** The model with an empty map for a table that is not there. */
  Map<String, SortedMap<Long, String>> expectedAt(long position) {
    Map<String, SortedMap<Long, String>> result = new HashMap<>();
    for (String table : List.of("a", "b", "c")) {
      result.put(table, modelAt(position).getOrDefault(table, new TreeMap<>()));
    }
    return result;
  }

  /** Delivers all that comes after the pipeline's position, some transactions to an epoch. */
  void deliver(Pipeline pipeline, int transactionsPerEpoch) throws InterruptedException {
    deliver(pipeline, transactionsPerEpoch, log.size());
  }

  void deliver(Pipeline pipeline, int transactionsPerEpoch, long until)
      throws InterruptedException {
    ChangeInput changes = pipeline.changes();
    Map<String, RoutedTable> routed = new HashMap<>();
    long from = positionOf(pipeline);
    for (int i = 0; i < from; i++) {
      for (Step step : log.get(i)) {
        if (step instanceof Define define) {
          routed.put(define.table().id().table(), null);
        }
      }
    }
    for (String table : routed.keySet()) {
      routed.put(table, changes.restoreTable(definitionAt(table, from)).orElseThrow());
    }
    for (long at = from + 1; at <= until; at++) {
      for (Step step : log.get((int) at - 1)) {
        if (step instanceof Define define) {
          String name = define.table().id().table();
          routed.put(name, changes.tableChanged(define.table(), "ddl " + name + at).orElseThrow());
        } else if (step instanceof Put put) {
          RoutedTable table = routed.get(put.table());
          changes.row(table, TestLake.row(table, put.kind(), put.id(), put.v()), at);
        } else if (step instanceof Truncate truncate) {
          routed.put(truncate.table(), changes.truncate(routed.get(truncate.table()), at));
        }
      }
      changes.cutPoint(TestLake.position(at), at);
      if (at % transactionsPerEpoch == 0 || at == until) {
        TestLake.awaitPosition(pipeline, TestLake.position(at));
      }
    }
  }

  private SourceTable definitionAt(String table, long position) {
    SourceTable result = null;
    for (int i = 0; i < position; i++) {
      for (Step step : log.get(i)) {
        if (step instanceof Define define && define.table().id().table().equals(table)) {
          result = define.table();
        }
      }
    }
    if (result == null) {
      throw new AssertionError(table + " is not defined at " + position);
    }
    return result;
  }
}
