package io.sluice.bench;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Sluice and Paimon by turns at one task, in one process and on the same rows: a line for each
 * turn, then the medians and their ratios. Both must come to the same rows.
 */
final class Duel {

  /**
   * One turn.
   *
   * @param rows that were written or read
   * @param content a sum over what was written or read
   * @param figures further ones, in the order in which they are printed
   */
  record Turn(
      long rows, double seconds, double cpuSeconds, String content, Map<String, Double> figures) {

    /** The clock stops now. */
    static Turn of(long rows, Stopwatch stopwatch) {
      return new Turn(rows, stopwatch.seconds(), stopwatch.cpuSeconds(), "", Map.of());
    }

    Turn with(String newContent, Map<String, Double> newFigures) {
      return new Turn(rows, seconds, cpuSeconds, newContent, newFigures);
    }

    double rowsPerSecond() {
      return rows / seconds;
    }
  }

  /** Does the task once. */
  @FunctionalInterface
  interface Contender {
    Turn run() throws Exception;
  }

  private final String task;
  private final int rounds;

  /** {@code sluice}, {@code paimon} or {@code both}: one alone is for profiles. */
  private final String who;

  Duel(String task, int rounds, String who) {
    this.task = task;
    this.rounds = rounds;
    this.who = who;
    if (!List.of("sluice", "paimon", "both").contains(who)) {
      throw new IllegalArgumentException("sluice, paimon or both, not " + who);
    }
  }

  void fight(Contender sluice, Contender paimon) throws Exception {
    List<Turn> ours = new ArrayList<>();
    List<Turn> theirs = new ArrayList<>();
    for (int round = 1; round <= rounds; round++) {
      if (!who.equals("paimon")) {
        ours.add(turn(round, "sluice", sluice));
      }
      if (!who.equals("sluice")) {
        theirs.add(turn(round, "paimon", paimon));
      }
      if (who.equals("both")) {
        String expected = theirs.get(theirs.size() - 1).content();
        String found = ours.get(ours.size() - 1).content();
        if (!found.equals(expected)) {
          throw new AssertionError("Different rows: " + found + " and " + expected);
        }
      }
    }
    printMedians(ours, theirs);
  }

  private Turn turn(int round, String name, Contender contender) throws Exception {
    // Nobody is charged for what the other has left.
    System.gc();
    Turn turn = contender.run();
    StringBuilder line = new StringBuilder();
    line.append(
        String.format(
            Locale.ROOT,
            "%s round %d %s: %,.0f rows/s (%.2f s, CPU %.2f s)",
            task,
            round,
            name,
            turn.rowsPerSecond(),
            turn.seconds(),
            turn.cpuSeconds()));
    turn.figures().forEach((key, value) -> line.append("; ").append(key).append(text(value)));
    System.out.println(line.append("; content ").append(turn.content()));
    return turn;
  }

  private static String text(double value) {
    return String.format(Locale.ROOT, value >= 100 ? " %,.0f" : " %,.3f", value);
  }

  private void printMedians(List<Turn> ours, List<Turn> theirs) {
    if (ours.isEmpty() || theirs.isEmpty()) {
      return;
    }
    Map<String, double[]> medians = new LinkedHashMap<>();
    medians.put(
        "rows/s",
        new double[] {median(ours, Turn::rowsPerSecond), median(theirs, Turn::rowsPerSecond)});
    medians.put(
        "CPU s", new double[] {median(ours, Turn::cpuSeconds), median(theirs, Turn::cpuSeconds)});
    for (String key : ours.get(0).figures().keySet()) {
      medians.put(
          key,
          new double[] {
            median(ours, turn -> turn.figures().get(key)),
            median(theirs, turn -> turn.figures().get(key))
          });
    }
    medians.forEach(
        (key, pair) ->
            System.out.printf(
                Locale.ROOT,
                "%s median %s: sluice %s, paimon %s, ratio %.2f%n",
                task,
                key,
                text(pair[0]).strip(),
                text(pair[1]).strip(),
                pair[0] / pair[1]));
  }

  private static double median(List<Turn> turns, java.util.function.ToDoubleFunction<Turn> figure) {
    return median(turns.stream().mapToDouble(figure).toArray());
  }

  static double median(double[] values) {
    double[] sorted = values.clone();
    java.util.Arrays.sort(sorted);
    return sorted[sorted.length / 2];
  }
}
