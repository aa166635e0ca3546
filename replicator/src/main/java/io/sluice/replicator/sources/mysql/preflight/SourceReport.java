package io.sluice.replicator.sources.mysql.preflight;

import io.sluice.sinks.TableTarget;
import java.util.Comparator;
import java.util.List;

/**
 * What a look at the source gave.
 *
 * @param server e.g. {@code MySQL 9.7.4 at db1:3306}
 * @param findings the worst first
 * @param captured how many tables are
 * @param tables captured ones that have lake tables of their own, by database and name
 * @param wideTables those that captured tables fill
 */
public record SourceReport(
    String server,
    List<Finding> findings,
    int captured,
    List<PlannedSourceTable> tables,
    List<WidePlan> wideTables) {

  /**
   * A wide table.
   *
   * @param parts for each a line: which tables fill it
   */
  public record WidePlan(TableTarget target, List<String> parts) {
    public WidePlan {
      parts = List.copyOf(parts);
    }
  }

  public SourceReport {
    findings = findings.stream().sorted(Comparator.comparing(Finding::severity)).toList();
    tables = List.copyOf(tables);
    wideTables = List.copyOf(wideTables);
  }
}
