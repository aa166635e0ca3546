package io.sluice.replicator.demo;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;

/**
 * How long the workload's transactions take from their commit at the source until a reader of the
 * lake sees them. Each connection counts its transactions in a row of its own; a reader that finds
 * the count n there sees all its transactions up to the n-th. Thread safe.
 */
public final class FreshnessMeter {
  private record Beat(long number, long committedNanos) {}

  private final Map<Integer, Deque<Beat>> waiting = new HashMap<>();
  private final Samples recent = new Samples();
  private final Samples all = new Samples();
  private boolean measuring;

  /** Waits and their number, in nanoseconds. */
  public record Percentiles(long count, double p50Seconds, double p99Seconds, double maxSeconds) {}

  /** From now on; what was committed before does not count (the first copy is under way). */
  public synchronized void start() {
    waiting.values().forEach(Deque::clear);
    measuring = true;
  }

  /**
   * A transaction was committed.
   *
   * @param nanos {@link System#nanoTime} just before the commit was sent
   */
  synchronized void committed(int worker, long number, long nanos) {
    if (measuring) {
      waiting.computeIfAbsent(worker, key -> new ArrayDeque<>()).add(new Beat(number, nanos));
    }
  }

  /** A reader has seen this count. */
  public synchronized void readable(int worker, long number, long nanos) {
    Deque<Beat> beats = waiting.get(worker);
    while (beats != null && !beats.isEmpty() && beats.peekFirst().number() <= number) {
      long wait = nanos - beats.removeFirst().committedNanos();
      recent.add(wait);
      all.add(wait);
    }
  }

  /** Since the last call of this method. */
  public synchronized Percentiles recent() {
    Percentiles percentiles = recent.percentiles();
    recent.clear();
    return percentiles;
  }

  /** Since {@link #start}. */
  public synchronized Percentiles all() {
    return all.percentiles();
  }

  /** Not thread safe. */
  private static final class Samples {
    private long[] values = new long[1024];
    private int count;

    void add(long value) {
      if (count == values.length) {
        values = Arrays.copyOf(values, count * 2);
      }
      values[count++] = value;
    }

    void clear() {
      count = 0;
    }

    Percentiles percentiles() {
      if (count == 0) {
        return new Percentiles(0, 0, 0, 0);
      }
      long[] sorted = Arrays.copyOf(values, count);
      Arrays.sort(sorted);
      return new Percentiles(
          count, seconds(sorted, 0.5), seconds(sorted, 0.99), sorted[count - 1] / 1e9);
    }

    private static double seconds(long[] sorted, double share) {
      return sorted[(int) Math.min(sorted.length - 1L, (long) Math.ceil(sorted.length * share) - 1)]
          / 1e9;
    }
  }
}
