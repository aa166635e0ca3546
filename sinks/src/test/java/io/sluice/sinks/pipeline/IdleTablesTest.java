package io.sluice.sinks.pipeline;

import static io.sluice.sinks.pipeline.TestLake.awaitPosition;
import static io.sluice.sinks.pipeline.TestLake.definition;
import static io.sluice.sinks.pipeline.TestLake.position;
import static io.sluice.sinks.pipeline.TestLake.row;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.testing.FaultyFileIO;
import io.sluice.lsm.testing.MemoryFileIO;
import io.sluice.sinks.ChangeInput;
import io.sluice.sinks.RoutedTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** What a table costs that nobody changes: nothing, however often the others are committed. */
class IdleTablesTest {

  private static final int IDLE = 1_000;
  private static final int BUSY = 10;
  private static final int EPOCHS = 60;

  private final MemoryFileIO memory = new MemoryFileIO();
  private final TestLake lake = new TestLake("/lake");

  @Test
  void aThousandIdleTablesCostNoRequest() throws Exception {
    Queue<String> ofIdleTables = new ConcurrentLinkedQueue<>();
    var others = new AtomicLong();
    FaultyFileIO storage = new FaultyFileIO(memory);
    Pipeline pipeline = lake.start(storage);
    try {
      ChangeInput changes = pipeline.changes();
      List<RoutedTable> busy = new ArrayList<>();
      for (int i = 0; i < IDLE; i++) {
        RoutedTable table = changes.tableChanged(definition("idle" + i), null).orElseThrow();
        changes.row(table, row(table, RowKind.INSERT, 1, "v"), 1);
      }
      for (int i = 0; i < BUSY; i++) {
        busy.add(changes.tableChanged(definition("busy" + i), null).orElseThrow());
      }
      commit(pipeline, 1);
      storage.observe(
          (number, verb, path) -> {
            if (path.startsWith(lake.warehouse + "/shop.db/idle")) {
              ofIdleTables.add(verb + " " + path);
            } else {
              others.incrementAndGet();
            }
          });
      // What their first rows leave to do, such as a look by the compactor, comes to an end.
      long at = 2;
      do {
        assertThat(at).as("epochs until idle tables are left alone").isLessThan(100L * EPOCHS);
        ofIdleTables.clear();
        at = change(pipeline, busy, at);
      } while (!ofIdleTables.isEmpty());
      int filesOfIdle = filesOfIdle();
      others.set(0);
      change(pipeline, busy, at);
      assertThat(ofIdleTables).isEmpty();
      assertThat(filesOfIdle()).isEqualTo(filesOfIdle);
      System.out.println(
          "IdleTablesTest: "
              + others
              + " requests for "
              + EPOCHS
              + " epochs of "
              + BUSY
              + " tables");
      // An epoch of the busy ones must not list, read or write once for each table either.
      assertThat(others.get()).isLessThan(EPOCHS * (20 + 40L * BUSY));
    } finally {
      pipeline.abort();
    }
  }

  /** Epochs with a row in each table; returns the next position. */
  private static long change(Pipeline pipeline, List<RoutedTable> tables, long from)
      throws InterruptedException {
    for (long at = from; at < from + EPOCHS; at++) {
      for (RoutedTable table : tables) {
        pipeline.changes().row(table, row(table, RowKind.INSERT, at, "v" + at), at);
      }
      commit(pipeline, at);
    }
    return from + EPOCHS;
  }

  private static void commit(Pipeline pipeline, long at) throws InterruptedException {
    pipeline.changes().cutPoint(position(at), at);
    awaitPosition(pipeline, position(at));
  }

  private int filesOfIdle() {
    return (int) memory.paths().stream().filter(path -> path.contains("/shop.db/idle")).count();
  }
}
