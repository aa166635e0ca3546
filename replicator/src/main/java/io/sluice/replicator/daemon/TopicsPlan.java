package io.sluice.replicator.daemon;

import io.sluice.config.LakeTarget;
import io.sluice.config.SluiceConfig;
import io.sluice.config.TopicRouting;
import io.sluice.config.TopicRule;
import io.sluice.config.WidePart;
import io.sluice.config.WideRule;
import io.sluice.replicator.sources.kafka.TopicCheck;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What a pipeline would read of a Kafka cluster, and into which tables. Changes nothing. */
public final class TopicsPlan {

  /**
   * A topic that is read.
   *
   * @param rule that it goes by: its pattern; empty: none
   * @param format of its messages
   * @param table lake tables, or how a name is made of what messages name
   * @param key columns that the rule says; empty: what messages tell, else none
   */
  public record Topic(
      String name,
      int partitions,
      Optional<String> rule,
      String format,
      String table,
      List<String> key) {}

  /**
   * What was found.
   *
   * @param wideTables table options of each wide table, by its name
   * @param problems sentences: in the way of a start
   * @param warnings sentences: somebody should look
   */
  public record Report(
      List<Topic> topics,
      Map<String, Map<String, String>> wideTables,
      List<String> problems,
      List<String> warnings) {}

  private TopicsPlan() {}

  /**
   * Asks the cluster.
   *
   * @throws io.sluice.sinks.PipelineStoppedException UNREACHABLE if it doesn't answer
   */
  public static Report examine(SluiceConfig config) {
    TopicCheck.Report found = TopicCheck.examine(ConfigMapping.kafka(config));
    TopicRouting routing = config.topicRouting();
    List<Topic> topics = new ArrayList<>();
    found.topics().forEach((name, partitions) -> topics.add(topic(routing, name, partitions)));
    List<String> warnings = new ArrayList<>();
    if (topics.isEmpty()) {
      warnings.add(
          "No topic of the cluster matches source.topics. They are taken in when they come up; if"
              + " they are there, the patterns or the user's right to see them (DESCRIBE) are"
              + " wrong.");
    }
    for (TopicRule rule : routing.rules()) {
      String match = rule.match().toString();
      if (topics.stream().noneMatch(topic -> topic.rule().equals(Optional.of(match)))) {
        warnings.add(
            "No topic that is read goes by the rule match = "
                + match
                + ": its pattern fits none of them, or a rule before it does.");
      }
    }
    return new Report(topics, found.wideTables(), found.problems(), List.copyOf(warnings));
  }

  private static Topic topic(TopicRouting routing, String name, int partitions) {
    Optional<TopicRule> rule = routing.rule(name);
    return new Topic(
        name,
        partitions,
        rule.map(each -> each.match().toString()),
        routing.messages(name).format(),
        tables(routing, rule, name),
        rule.map(TopicRule::primaryKey).orElse(List.of()));
  }

  /** Parts of wide tables; and a table of its own where a rule says so, or no wide table does. */
  private static String tables(TopicRouting routing, Optional<TopicRule> rule, String topic) {
    List<String> tables = new ArrayList<>();
    for (WideRule wide : routing.wideRules()) {
      LakeTarget target = routing.target(wide);
      for (WidePart part : wide.parts()) {
        if (part.match().isPresent() && part.match().get().matches(topic)) {
          tables.add("part " + part.name() + " of " + target.database() + "." + target.table());
        }
      }
    }
    if (rule.isPresent() || tables.isEmpty()) {
      tables.add(table(routing, rule, topic));
    }
    return String.join(" and ", tables);
  }

  private static String table(TopicRouting routing, Optional<TopicRule> rule, String topic) {
    Optional<LakeTarget> fixed = routing.target(topic, null, null, field -> null);
    Optional<TopicRule.Into> into = rule.flatMap(TopicRule::into);
    if (into.isPresent()) {
      return fixed
          .map(target -> target.database() + "." + target.table())
          .orElseGet(() -> into.get().database() + "." + into.get().table());
    }
    return "the database and table that a message names, else "
        + fixed.map(target -> target.database() + "." + target.table()).orElse("none");
  }
}
