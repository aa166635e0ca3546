package io.sluice.sinks.pipeline;

import io.sluice.sinks.pipeline.OrdersWorld.Scenario;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/**
 * Tries a scenario in all orders that deviate from the plain one at no more than so many places.
 * Runs are repeated from the beginning; where a run comes to a state that was met before with no
 * less left to spend, its rest is known.
 */
final class OrdersExplorer implements AutoCloseable {

  /**
   * What was tried.
   *
   * @param failure deviations of the first run that broke a promise; null if none did
   */
  record Result(
      int runs, int states, double seconds, int @Nullable [] failure, @Nullable Throwable why) {
    @Override
    public String toString() {
      return runs
          + " runs, "
          + states
          + " states, "
          + String.format("%.1f s", seconds)
          + (failure == null ? "" : ", failed by " + Arrays.toString(failure));
    }
  }

  private final ExecutorService threads =
      Executors.newCachedThreadPool(
          task -> {
            Thread thread = new Thread(task, "orders");
            thread.setDaemon(true);
            return thread;
          });

  /**
   * @param budget how many deviations at most
   * @param share of the runs with two and more deviations, every how many is tried; 1: all
   */
  Result explore(Scenario scenario, int budget, int share) {
    long begin = System.nanoTime();
    Map<Long, Integer> seen = new HashMap<>();
    Set<Long> lastStates = new HashSet<>();
    Deque<int[]> todo = new ArrayDeque<>();
    todo.push(new int[0]);
    int runs = 0;
    while (!todo.isEmpty()) {
      int[] deviations = todo.pop();
      if (share > 1
          && deviations.length >= 4
          && Math.floorMod(OrdersShelf.mix(Arrays.hashCode(deviations)), share) != 0) {
        continue;
      }
      OrdersSchedule schedule =
          new OrdersSchedule(
              deviations,
              budget,
              (state, left) -> {
                Integer before = seen.get(state);
                if (before != null && before >= left) {
                  return true;
                }
                seen.put(state, left);
                return false;
              });
      runs++;
      try {
        new OrdersWorld(scenario, schedule, threads, lastStates, null).run();
      } catch (AssertionError e) {
        return new Result(runs, seen.size(), seconds(begin), deviations, e);
      }
      List<int[]> further = new ArrayList<>();
      schedule.addFurther(further);
      further.forEach(todo::push);
    }
    return new Result(runs, seen.size(), seconds(begin), null, null);
  }

  private static double seconds(long begin) {
    return (System.nanoTime() - begin) / 1e9;
  }

  /** The files after a script was delivered by a daemon to which nothing happens. */
  OrdersShelf plain(OrdersScript script) {
    OrdersWorld world =
        new OrdersWorld(
            new Scenario("plain", script, new OrdersShelf(), 0, Set.of(), List.of(), 1, Set.of()),
            new OrdersSchedule(new int[0], 0, (state, left) -> false),
            threads,
            new HashSet<>(),
            null);
    world.run();
    return world.shelf;
  }

  /** Repeats one run; every operation on shared files and every decision is noted. */
  List<String> replay(Scenario scenario, int[] deviations) {
    List<String> trace = new ArrayList<>();
    try {
      new OrdersWorld(
              scenario,
              new OrdersSchedule(deviations, Integer.MAX_VALUE, (state, left) -> false),
              threads,
              new HashSet<>(),
              trace)
          .run();
      trace.add("all promises kept");
    } catch (AssertionError e) {
      trace.add("broken: " + e);
    }
    return trace;
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}
