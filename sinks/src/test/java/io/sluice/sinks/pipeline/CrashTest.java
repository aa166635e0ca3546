package io.sluice.sinks.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.sluice.lsm.testing.FaultyFileIO;
import io.sluice.lsm.testing.FaultyFileIO.Fault;
import io.sluice.lsm.testing.MemoryFileIO;
import io.sluice.sinks.PipelineListener;
import io.sluice.sinks.PipelineStoppedException;
import java.util.Random;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;

/**
 * Something goes wrong at every storage operation of a run over three tables, one after the other.
 * After a restart all tables stand at one position and hold what the source held there.
 */
class CrashTest {

  private static final long SEED = Long.getLong("test.seed", 20260115L);

  /** Every so many operations; 1 tries them all and takes a quarter of an hour. */
  private static final int STEP = Integer.getInteger("test.crash.step", 41);

  private final ScriptedSource script = ScriptedSource.overThreeTables(SEED, 15);

  @BeforeAll
  static void beQuiet() {
    ((Logger) LoggerFactory.getLogger("io.sluice")).setLevel(Level.OFF);
  }

  @AfterAll
  static void speakAgain() {
    ((Logger) LoggerFactory.getLogger("io.sluice")).setLevel(null);
  }

  @ParameterizedTest
  @EnumSource(Fault.class)
  void everyOperationMayGoWrong(Fault fault) throws Exception {
    boolean deadly = fault == Fault.CRASH || fault == Fault.CRASH_AFTER;
    int first = 1 + new Random(SEED + fault.ordinal()).nextInt(STEP);
    for (int n = first; ; n += STEP) {
      TestLake lake = new TestLake("/lake");
      MemoryFileIO memory = new MemoryFileIO();
      FaultyFileIO storage = new FaultyFileIO(memory).inject(n, fault);
      String what = "seed " + SEED + ", " + fault + " at operation " + n;
      try {
        boolean finished = run(lake, storage);
        // Rows that the disk has lost are in no memory any more: the pipeline begins again.
        boolean lost = operation(storage, n).startsWith("sync ");
        assertThat(finished || deadly || lost).as(what).isTrue();
        if (fault == Fault.LATE) {
          storage.landLateRequests();
        }
        restartAndCompare(lake, memory, what, finished);
      } catch (AssertionError | Exception e) {
        throw new AssertionError(what + ": " + operation(storage, n), e);
      }
      if (storage.operations() < n) {
        break;
      }
    }
  }

  private static String operation(FaultyFileIO storage, int n) {
    return n <= storage.operations() ? storage.log().get(n - 1) : "not reached";
  }

  private boolean run(TestLake lake, FaultyFileIO storage) throws InterruptedException {
    Pipeline pipeline;
    try {
      pipeline =
          lake.start(storage, lake.settings(), new TestLake.Source(), PipelineListener.NONE, 4);
    } catch (PipelineStoppedException e) {
      return false;
    }
    try {
      script.deliver(pipeline, 3);
      return true;
    } catch (PipelineStoppedException | CompletionException e) {
      return false;
    } finally {
      pipeline.abort();
    }
  }

  private void restartAndCompare(TestLake lake, MemoryFileIO memory, String what, boolean finished)
      throws Exception {
    Pipeline pipeline = lake.start(memory);
    try {
      long position = ScriptedSource.positionOf(pipeline);
      if (finished) {
        assertThat(position).as(what).isEqualTo(script.end());
      }
      assertThat(ScriptedSource.read(lake, memory))
          .as(what + ", restarted at " + position)
          .isEqualTo(script.expectedAt(position));
      script.deliver(pipeline, 4);
      assertThat(ScriptedSource.read(lake, memory))
          .as(what + ", at the end")
          .isEqualTo(script.expectedAt(script.end()));
    } finally {
      pipeline.abort();
    }
  }
}
