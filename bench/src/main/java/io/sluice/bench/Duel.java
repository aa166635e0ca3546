package io.sluice.bench;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * Sluice and Paimon, perhaps in several ways, by turns at one task, in one process and on the same
 * rows: a line for each turn, then the medians and Sluice's ratio to each other. All must come to
 * the same rows. The first round, in which the JVM compiles more than it does anything else, does
 * not count.
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

    /** Both, one after the other: they have come to the same rows. */
    Turn plus(Turn next) {
      if (!next.content.equals(content)) {
        throw new AssertionError("Once " + content + ", then " + next.content);
      }
      return new Turn(
          rows + next.rows,
          seconds + next.seconds,
          cpuSeconds + next.cpuSeconds,
          content,
          next.figures);
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

  private static final String SLUICE = "sluice";

  /** {@code sluice}, {@code paimon} or {@code both}: one alone is for profiles. */
  private final String who;

  private final Map<String, Contender> contenders = new LinkedHashMap<>();

  Duel(String task, int rounds, String who) {
    this.task = task;
    this.rounds = rounds;
    this.who = who;
    if (!List.of("sluice", "paimon", "both").contains(who)) {
      throw new IllegalArgumentException("sluice, paimon or both, not " + who);
    }
  }

  void fight(Contender sluice, Contender paimon) throws Exception {
    with(SLUICE, sluice).with("paimon", paimon).fight();
  }

  /** One more that takes turns; the first is Sluice. */
  Duel with(String name, Contender contender) {
    if (who.equals("both") || who.equals("sluice") == name.equals(SLUICE)) {
      contenders.put(name, contender);
    }
    return this;
  }

  void fight() throws Exception {
    Map<String, List<Turn>> turns = new LinkedHashMap<>();
    for (int round = 0; round <= rounds; round++) {
      String expected = null;
      for (Map.Entry<String, Contender> contender : contenders.entrySet()) {
        Turn turn = turn(round, contender.getKey(), contender.getValue());
        if (round > 0) {
          turns.computeIfAbsent(contender.getKey(), name -> new ArrayList<>()).add(turn);
        }
        if (expected != null && !turn.content().equals(expected)) {
          throw new AssertionError(
              contender.getKey() + " has other rows: " + turn.content() + ", not " + expected);
        }
        expected = turn.content();
      }
    }
    List<Turn> ours = turns.remove(SLUICE);
    if (ours != null) {
      turns.forEach((name, theirs) -> printMedians(ours, name, theirs));
    }
  }

  private Turn turn(int round, String name, Contender contender) throws Exception {
    // Nobody is charged for what the other has left, in memory or on its way to the disk.
    System.gc();
    new ProcessBuilder("sync").start().waitFor();
    Turn turn = contender.run();
    StringBuilder line = new StringBuilder();
    line.append(
        String.format(
            Locale.ROOT,
            "%s %s %s: %,.0f rows/s (%.2f s, CPU %.2f s)",
            task,
            round == 0 ? "warm-up" : "round " + round,
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

  private void printMedians(List<Turn> ours, String name, List<Turn> theirs) {
    Map<String, ToDoubleFunction<Turn>> figures = new LinkedHashMap<>();
    figures.put("rows/s", Turn::rowsPerSecond);
    figures.put("CPU s", Turn::cpuSeconds);
    for (String key : ours.get(0).figures().keySet()) {
      figures.put(key, turn -> turn.figures().get(key));
    }
    figures.forEach(
        (key, figure) -> {
          double our = Sample.of(ours.stream().mapToDouble(figure).toArray()).median();
          double their = Sample.of(theirs.stream().mapToDouble(figure).toArray()).median();
          System.out.printf(
              Locale.ROOT,
              "%s median %s: sluice %s, %s %s, ratio %.2f%n",
              task,
              key,
              text(our).strip(),
              name,
              text(their).strip(),
              our / their);
        });
  }
}
