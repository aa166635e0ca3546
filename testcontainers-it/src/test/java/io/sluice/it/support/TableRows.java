package io.sluice.it.support;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Rows of a table as text, in no order; values may be null. */
public record TableRows(List<String> columns, List<List<String>> rows) {

  /**
   * What differs from the other, at most a few lines of each kind; empty when both hold the same
   * rows equally often.
   */
  public List<String> differences(TableRows other) {
    if (!columns.equals(other.columns)) {
      return List.of("columns " + columns + " and " + other.columns);
    }
    Map<List<String>, Integer> counts = new HashMap<>();
    for (List<String> row : rows) {
      counts.merge(row, 1, Integer::sum);
    }
    for (List<String> row : other.rows) {
      counts.merge(row, -1, Integer::sum);
    }
    List<String> missing = new ArrayList<>();
    List<String> surplus = new ArrayList<>();
    counts.forEach(
        (row, count) -> {
          if (count > 0) {
            missing.add("  only in the first, " + count + " times: " + row);
          } else if (count < 0) {
            surplus.add("  only in the second, " + -count + " times: " + row);
          }
        });
    if (missing.isEmpty() && surplus.isEmpty()) {
      return List.of();
    }
    List<String> lines = new ArrayList<>();
    lines.add(
        rows.size()
            + " rows and "
            + other.rows.size()
            + " rows; "
            + missing.size()
            + " only in the first, "
            + surplus.size()
            + " only in the second");
    missing.stream().sorted().limit(8).forEach(lines::add);
    surplus.stream().sorted().limit(8).forEach(lines::add);
    return lines;
  }
}
