package io.sluice.sinks.pipeline;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The decisions of one run: the first possibility everywhere (the program that has the turn goes
 * on, nothing goes wrong) but at the deviations. A deviation may cost something of the run's
 * budget.
 */
final class OrdersSchedule {

  /** Is told of each state that is met behind the last deviation. */
  interface Seen {
    /** Whether the state was met before with no less left to spend. */
    boolean before(long state, int budgetLeft);
  }

  /** Ends a run whose rest has been looked at already. */
  static final class Pruned extends Error {
    private static final long serialVersionUID = 1L;

    Pruned() {
      super("seen before", null, false, false);
    }
  }

  /** Pairs of a decision's number and what is chosen there. */
  private final int[] deviations;

  private final Seen seen;
  private final List<int[]> costs = new ArrayList<>();
  private final List<Integer> budgets = new ArrayList<>();
  private int budget;
  private int next;
  private int number;

  OrdersSchedule(int[] deviations, int budget, Seen seen) {
    this.deviations = deviations;
    this.budget = budget;
    this.seen = seen;
  }

  /**
   * @param cost of each possibility; the first one's is 0
   * @param state all that the rest of the run depends on
   */
  int choose(int[] cost, long state) {
    int at = number++;
    if (next < deviations.length) {
      costs.add(new int[0]);
      budgets.add(budget);
      if (deviations[next] != at) {
        return 0;
      }
      int chosen = deviations[next + 1];
      next += 2;
      if (chosen >= cost.length) {
        throw new AssertionError(
            "Decision " + at + " has " + cost.length + " possibilities: the run is not repeatable");
      }
      budget -= cost[chosen];
      return chosen;
    }
    if (seen.before(state, budget)) {
      throw new Pruned();
    }
    costs.add(cost);
    budgets.add(budget);
    return 0;
  }

  /** Adds every run that deviates once more, behind this one's last deviation. */
  void addFurther(List<int[]> runs) {
    for (int at = costs.size() - 1; at >= 0; at--) {
      int[] cost = costs.get(at);
      for (int chosen = cost.length - 1; chosen > 0; chosen--) {
        if (cost[chosen] <= budgets.get(at)) {
          int[] further = Arrays.copyOf(deviations, deviations.length + 2);
          further[deviations.length] = at;
          further[deviations.length + 1] = chosen;
          runs.add(further);
        }
      }
    }
  }

  int decisions() {
    return number;
  }
}
