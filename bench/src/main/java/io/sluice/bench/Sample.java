package io.sluice.bench;

import java.util.Collection;

/** What was measured several times. */
final class Sample {

  private final double[] sorted;

  private Sample(double[] sorted) {
    this.sorted = sorted;
  }

  static Sample of(double... values) {
    double[] sorted = values.clone();
    java.util.Arrays.sort(sorted);
    return new Sample(sorted);
  }

  static Sample of(Collection<Double> values) {
    return of(values.stream().mapToDouble(Double::doubleValue).toArray());
  }

  /** The upper of the two in the middle, where there are two; NaN of nothing. */
  double median() {
    return percentile(50);
  }

  /** The smallest value that at least so many percent are not above; NaN of nothing. */
  double percentile(int percent) {
    return sorted.length == 0
        ? Double.NaN
        : sorted[Math.min(sorted.length - 1, sorted.length * percent / 100)];
  }
}
