package io.sluice.config;

import java.util.List;

/**
 * Where captured tables go and how they are made.
 *
 * @param rules the first whose pattern matches counts; what it leaves open comes from {@code
 *     defaults}
 */
public record TablesConfig(TableDefaults defaults, List<TableRule> rules) {

  public TablesConfig {
    rules = List.copyOf(rules);
  }
}
