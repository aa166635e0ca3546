package io.sluice.config;

import java.util.List;

/**
 * Where captured tables go and how they are made.
 *
 * @param rules the first whose pattern matches counts; what it leaves open comes from {@code
 *     defaults}
 * @param topicRules the same for topics; a pipeline has one kind
 * @param wideRules tables that several sources fill; all that match count
 */
public record TablesConfig(
    TableDefaults defaults,
    List<TableRule> rules,
    List<TopicRule> topicRules,
    List<WideRule> wideRules) {

  public TablesConfig {
    rules = List.copyOf(rules);
    topicRules = List.copyOf(topicRules);
    wideRules = List.copyOf(wideRules);
  }
}
