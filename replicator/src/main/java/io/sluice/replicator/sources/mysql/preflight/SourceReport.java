package io.sluice.replicator.sources.mysql.preflight;

import java.util.Comparator;
import java.util.List;

/**
 * What a look at the source gave.
 *
 * @param server e.g. {@code MySQL 9.7.4 at db1:3306}
 * @param findings the worst first
 * @param tables captured ones, by database and name
 */
public record SourceReport(String server, List<Finding> findings, List<PlannedSourceTable> tables) {

  public SourceReport {
    findings = findings.stream().sorted(Comparator.comparing(Finding::severity)).toList();
    tables = List.copyOf(tables);
  }
}
