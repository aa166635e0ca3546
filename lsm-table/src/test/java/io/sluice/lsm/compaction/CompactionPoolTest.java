package io.sluice.lsm.compaction;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class CompactionPoolTest {

  private static final long MEBIBYTE = 1 << 20;

  private final List<String> ran = Collections.synchronizedList(new ArrayList<>());

  private record Task(long bytes, Runnable work) implements CompactionPool.Sized {
    @Override
    public void dropped() {
      // What must run is waited for.
    }

    @Override
    public void run() {
      work.run();
    }
  }

  private static CompactionPool pool(int threads) {
    return new CompactionPool(threads, task -> new Thread(task, "compaction"));
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void aBucketThatIsAlwaysDueLetsThousandsOfOthersThrough() {
    int others = 5_000;
    CountDownLatch begin = new CountDownLatch(1);
    CountDownLatch all = new CountDownLatch(others);
    try (CompactionPool pool = pool(1)) {
      pool.execute(() -> await(begin));
      hot(pool, all);
      for (int i = 0; i < others; i++) {
        pool.execute(
            new Task(
                MEBIBYTE,
                () -> {
                  ran.add("other");
                  all.countDown();
                }));
      }
      begin.countDown();
      await(all);
    }
    // Each has its turn before the hot one has its second: after that all have been served.
    assertThat(ran.stream().filter("hot"::equals).count()).isLessThanOrEqualTo(2);
  }

  /** Due again as soon as it has run, as a bucket with many rows is. */
  private void hot(CompactionPool pool, CountDownLatch until) {
    pool.execute(
        new Task(
            0,
            () -> {
              ran.add("hot");
              if (until.getCount() > 0) {
                hot(pool, until);
              }
            }));
  }

  @Test
  void smallTasksPassALargeOneButNotForEver() {
    CountDownLatch begin = new CountDownLatch(1);
    CountDownLatch all = new CountDownLatch(201);
    try (CompactionPool pool = pool(1)) {
      pool.execute(() -> await(begin));
      pool.execute(
          new Task(
              100 * MEBIBYTE,
              () -> {
                ran.add("large");
                all.countDown();
              }));
      for (int i = 0; i < 200; i++) {
        pool.execute(
            () -> {
              ran.add("small");
              all.countDown();
            });
      }
      begin.countDown();
      await(all);
    }
    assertThat(ran.indexOf("large")).isBetween(98, 102);
  }

  @Test
  void aThreadIsAlwaysLeftForSmallTasks() {
    CountDownLatch end = new CountDownLatch(1);
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch small = new CountDownLatch(3);
    Runnable hangs =
        () -> {
          ran.add("large");
          begun.countDown();
          await(end);
        };
    try (CompactionPool pool = pool(2)) {
      pool.execute(new Task(1024 * MEBIBYTE, hangs));
      pool.execute(new Task(1024 * MEBIBYTE, hangs));
      await(begun);
      for (int i = 0; i < 3; i++) {
        pool.execute(small::countDown);
      }
      await(small);
      assertThat(ran).containsExactly("large");
      end.countDown();
      CountDownLatch last = new CountDownLatch(1);
      pool.execute(new Task(2048 * MEBIBYTE, last::countDown));
      await(last);
      assertThat(ran).containsExactly("large", "large");
    }
  }
}
