package io.sluice.lsm.datafile.column;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ReadAheadTest {

  private static final Batches.Help NO_HELP = () -> false;

  private static List<int[]> batches(int count) {
    List<int[]> batches = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      batches.add(new int[1]);
    }
    return batches;
  }

  /** The numbers from 0 on, perhaps with a fault at the end. */
  private static class Numbers implements BatchSource<int[]> {
    final int count;
    final AtomicInteger readers = new AtomicInteger();
    volatile int read;
    volatile boolean closed;
    volatile boolean misused;

    Numbers(int count) {
      this.count = count;
    }

    @Override
    public boolean read(int[] into) throws IOException {
      misused |= closed || readers.incrementAndGet() > 1;
      try {
        into[0] = -1;
        boolean more = read < count;
        into[0] = read;
        if (more) {
          read++;
        } else {
          end();
        }
        return more;
      } finally {
        readers.decrementAndGet();
      }
    }

    void end() throws IOException {}

    @Override
    public void close() {
      misused |= closed || readers.get() > 0;
      closed = true;
    }
  }

  /** Runs what it is given when it is told to. */
  private static final class ByHand implements Executor {
    final Deque<Runnable> tasks = new ArrayDeque<>();

    @Override
    public void execute(Runnable task) {
      tasks.add(task);
    }
  }

  private static void reject(Runnable task) {
    throw new RejectedExecutionException("ended");
  }

  private static List<Integer> readAll(Batches<int[]> batches, Batches.Help help)
      throws IOException {
    List<Integer> numbers = new ArrayList<>();
    int[] batch;
    while ((batch = batches.next(help)) != null) {
      numbers.add(batch[0]);
      Thread.yield();
      // Nobody has put anything else into it.
      assertThat(batch[0]).isEqualTo(numbers.size() - 1);
    }
    assertThat(batches.next(help)).isNull();
    return numbers;
  }

  @Test
  void givesAllBatchesInOrderWhateverTheThreadsDo() throws Exception {
    long seed = Long.getLong("test.seed", System.nanoTime());
    ExecutorService one = Executors.newSingleThreadExecutor();
    ExecutorService three = Executors.newFixedThreadPool(3);
    try {
      for (int i = 0; i < 300; i++) {
        Random random = new Random(seed + i);
        List<Executor> executors =
            List.of(one, three, Runnable::run, ReadAheadTest::reject, new ByHand());
        List<ReadAhead<int[]>> sources = new ArrayList<>();
        List<Numbers> numbers = new ArrayList<>();
        int count = random.nextInt(200);
        for (int s = 0; s < 2; s++) {
          numbers.add(new Numbers(count));
          sources.add(
              new ReadAhead<>(
                  numbers.get(s),
                  batches(2 + random.nextInt(8)),
                  executors.get(random.nextInt(executors.size()))));
        }
        Batches.Help help = () -> sources.get(0).help() || sources.get(1).help();
        String replay = "Replay with -Dtest.seed=" + (seed + i);
        for (int n = 0; n < count; n++) {
          for (ReadAhead<int[]> source : sources) {
            assertThat(source.next(help)).as(replay).containsExactly(n);
          }
        }
        for (int s = 0; s < 2; s++) {
          if (random.nextBoolean()) {
            assertThat(sources.get(s).next(help)).as(replay).isNull();
          }
          sources.get(s).close();
          assertThat(numbers.get(s).closed).as(replay).isTrue();
          assertThat(numbers.get(s).misused).as(replay).isFalse();
        }
      }
    } finally {
      one.shutdownNow();
      three.shutdownNow();
    }
  }

  @Test
  void aReaderWhoseTaskHasNoThreadDecodesByItself() throws Exception {
    Numbers numbers = new Numbers(5);
    ByHand executor = new ByHand();
    assertThat(readAll(new ReadAhead<>(numbers, batches(3), executor), NO_HELP)).hasSize(5);
    // One that waited all the time finds nothing to do.
    assertThat(executor.tasks).hasSize(1);
    executor.tasks.remove().run();
    assertThat(numbers.misused).isFalse();
  }

  @Test
  void aTaskEndsWhenAllBatchesAreFullAndTheReaderAsksAgainAtHalf() throws Exception {
    Numbers numbers = new Numbers(100);
    ByHand executor = new ByHand();
    ReadAhead<int[]> ahead = new ReadAhead<>(numbers, batches(4), executor);
    assertThat(ahead.next(NO_HELP)).containsExactly(0);
    executor.tasks.remove().run();
    assertThat(numbers.read).isEqualTo(4);
    assertThat(ahead.next(NO_HELP)).containsExactly(1);
    assertThat(executor.tasks).isEmpty();
    assertThat(ahead.next(NO_HELP)).containsExactly(2);
    executor.tasks.remove().run();
    assertThat(numbers.read).isEqualTo(6);
    assertThat(ahead.next(NO_HELP)).containsExactly(3);
    ahead.close();
    assertThat(numbers.misused).isFalse();
  }

  @Test
  void aFaultComesAfterTheBatchesBeforeItAndAgainWhenAskedAgain() throws Exception {
    Numbers numbers =
        new Numbers(2) {
          @Override
          void end() throws IOException {
            throw new IOException("The disk is gone");
          }
        };
    try (ReadAhead<int[]> ahead = new ReadAhead<>(numbers, batches(8), Runnable::run)) {
      assertThat(ahead.next(NO_HELP)).containsExactly(0);
      assertThat(ahead.next(NO_HELP)).containsExactly(1);
      for (int i = 0; i < 2; i++) {
        assertThatThrownBy(() -> ahead.next(NO_HELP))
            .isInstanceOf(IOException.class)
            .hasMessage("The disk is gone");
      }
    }
    assertThat(numbers.closed).isTrue();
  }

  @Test
  void anErrorOfTheDecoderIsTheReaders() throws Exception {
    Numbers numbers =
        new Numbers(0) {
          @Override
          void end() {
            throw new AssertionError("wrong");
          }
        };
    try (ReadAhead<int[]> ahead = new ReadAhead<>(numbers, batches(2), Runnable::run)) {
      assertThatThrownBy(() -> ahead.next(NO_HELP)).isInstanceOf(AssertionError.class);
    }
  }

  /** Its second batch is decoded when the test says so. */
  private static final class Held extends Numbers {
    final CountDownLatch begun = new CountDownLatch(1);
    final CountDownLatch go = new CountDownLatch(1);

    Held() {
      super(10);
    }

    @Override
    public boolean read(int[] into) throws IOException {
      if (read == 1) {
        begun.countDown();
        try {
          go.await();
        } catch (InterruptedException e) {
          throw new InterruptedIOException();
        }
      }
      return super.read(into);
    }
  }

  /** Its task is at the second batch, the reader has the first. */
  private static ReadAhead<int[]> begin(Held held, ExecutorService executor) throws Exception {
    ByHand first = new ByHand();
    ReadAhead<int[]> ahead = new ReadAhead<>(held, batches(4), first);
    assertThat(ahead.next(NO_HELP)).containsExactly(0);
    executor.execute(first.tasks.remove());
    held.begun.await();
    return ahead;
  }

  @Test
  void aReaderThatWouldWaitHelpsElsewhere() throws Exception {
    ExecutorService executor = Executors.newSingleThreadExecutor();
    try {
      Held held = new Held();
      ReadAhead<int[]> ahead = begin(held, executor);
      Numbers others = new Numbers(100);
      ReadAhead<int[]> other = new ReadAhead<>(others, batches(3), new ByHand());
      int[] batch =
          ahead.next(
              () -> {
                boolean helped = other.help();
                if (!helped) {
                  held.go.countDown();
                }
                return helped;
              });
      assertThat(batch).containsExactly(1);
      // As much as there is room for.
      assertThat(others.read).isEqualTo(3);
      ahead.close();
      other.close();
      assertThat(held.misused || others.misused).isFalse();
    } finally {
      executor.shutdownNow();
    }
  }

  @Test
  void closingWaitsForTheBatchThatIsDecoded() throws Exception {
    ExecutorService executor = Executors.newSingleThreadExecutor();
    try {
      Held held = new Held();
      ReadAhead<int[]> ahead = begin(held, executor);
      Thread closer =
          new Thread(
              () -> {
                try {
                  ahead.close();
                } catch (IOException e) {
                  throw new AssertionError(e);
                }
              });
      closer.start();
      while (closer.getState() != Thread.State.WAITING) {
        Thread.onSpinWait();
      }
      // A try to hurry it changes nothing.
      closer.interrupt();
      assertThat(held.closed).isFalse();
      held.go.countDown();
      closer.join();
      assertThat(held.closed).isTrue();
      assertThat(held.misused).isFalse();
      assertThat(held.read).isEqualTo(2);
    } finally {
      executor.shutdownNow();
    }
  }

  @Test
  void aReaderThatWaitsCanBeInterrupted() throws Exception {
    ExecutorService executor = Executors.newSingleThreadExecutor();
    try {
      Held held = new Held();
      ReadAhead<int[]> ahead = begin(held, executor);
      AtomicReference<Throwable> thrown = new AtomicReference<>();
      AtomicReference<Boolean> flag = new AtomicReference<>();
      Thread reader =
          new Thread(
              () -> {
                try {
                  ahead.next(NO_HELP);
                } catch (IOException e) {
                  thrown.set(e);
                  flag.set(Thread.currentThread().isInterrupted());
                }
              });
      reader.start();
      while (reader.getState() != Thread.State.WAITING) {
        Thread.onSpinWait();
      }
      reader.interrupt();
      reader.join();
      assertThat(thrown.get()).isInstanceOf(InterruptedIOException.class);
      assertThat(flag.get()).isTrue();
      held.go.countDown();
      ahead.close();
      assertThat(held.misused).isFalse();
    } finally {
      executor.shutdownNow();
    }
  }
}
