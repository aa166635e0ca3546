package io.sluice.replicator.sources.kafka;

import io.sluice.config.TopicRule;
import io.sluice.config.WideRule;
import io.sluice.evolution.PlanOptions;
import io.sluice.evolution.PlannedTable;
import io.sluice.evolution.SourceTable;
import io.sluice.evolution.TableKind;
import io.sluice.evolution.TablePlanner;
import io.sluice.lsm.error.UnsupportedTableException;
import io.sluice.lsm.schema.DataTypeText;
import io.sluice.lsm.schema.MergeOptions;
import io.sluice.lsm.schema.UnsupportedFeatures;
import io.sluice.replicator.messages.formats.MessageFormats;
import io.sluice.sinks.PipelineStoppedException;
import io.sluice.sinks.PipelineStoppedException.Reason;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.KafkaException;

/** Looks at config and cluster as a pipeline would find them. Changes nothing. */
public final class TopicCheck {

  /**
   * What was found.
   *
   * @param topics that are read, with their partitions
   * @param wideTables table options of each wide table, by its name
   * @param problems sentences; empty: nothing is in the way
   */
  public record Report(
      Map<String, Integer> topics,
      Map<String, Map<String, String>> wideTables,
      List<String> problems) {}

  private TopicCheck() {}

  /**
   * Asks the cluster.
   *
   * @throws PipelineStoppedException UNREACHABLE if it doesn't answer
   */
  public static Report examine(KafkaSettings settings) {
    List<String> problems = new ArrayList<>();
    for (String property : settings.fixedProperties()) {
      problems.add(
          "source.properties has " + property + ", which Sluice sets itself: take it out.");
    }
    formats(settings, problems);
    columns(settings, problems);
    Map<String, Map<String, String>> wideTables = wideTables(settings, problems);
    Map<String, Integer> topics = new TreeMap<>();
    try (Admin admin = settings.newAdmin()) {
      TopicWatch.look(admin, settings.kafka()::reads)
          .forEach((name, topic) -> topics.put(name, topic.partitions()));
    } catch (TopicWatch.UnreachableException | KafkaException e) {
      throw new PipelineStoppedException(
          Reason.UNREACHABLE,
          "Kafka at " + settings.kafka().bootstrapServers() + ": " + e.getMessage() + cause(e),
          e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new PipelineStoppedException(Reason.CLOSED, "Interrupted", e);
    }
    return new Report(topics, wideTables, List.copyOf(problems));
  }

  /** What the message lacks: a client that can't be made says why in its cause alone. */
  private static String cause(Exception e) {
    Throwable cause = e.getCause();
    String why = cause == null ? null : cause.getMessage();
    return why == null || String.valueOf(e.getMessage()).contains(why) ? "" : ": " + why;
  }

  /**
   * For a start.
   *
   * @throws PipelineStoppedException MISCONFIGURED if there are problems, UNREACHABLE as {@link
   *     #examine}
   */
  public static void require(KafkaSettings settings) {
    Report report = examine(settings);
    if (!report.problems().isEmpty()) {
      throw new PipelineStoppedException(
          Reason.MISCONFIGURED, String.join("\n", report.problems()));
    }
  }

  private static void formats(KafkaSettings settings, List<String> problems) {
    settings
        .allMessages()
        .forEach(
            (where, messages) -> {
              try {
                MessageFormats.create(settings.formatSettings(messages));
              } catch (IllegalArgumentException e) {
                problems.add(where + ": " + e.getMessage());
              }
            });
  }

  private static void columns(KafkaSettings settings, List<String> problems) {
    for (TopicRule rule : settings.routing().rules()) {
      rule.columns()
          .forEach(
              (name, type) -> {
                try {
                  DataTypeText.parse(type);
                } catch (IllegalArgumentException e) {
                  problems.add(
                      "tables.rules, match = "
                          + rule.match()
                          + ", column "
                          + name
                          + ": "
                          + e.getMessage());
                }
              });
    }
  }

  /** Plans each wide table with all columns that it may have. */
  private static Map<String, Map<String, String>> wideTables(
      KafkaSettings settings, List<String> problems) {
    Map<String, Map<String, String>> result = new TreeMap<>();
    for (WideRule rule : settings.routing().wideRules()) {
      String name = rule.database() + "." + rule.table();
      try {
        WideTable wide = new WideTable(rule);
        SourceTable all = wide.whole();
        Map<String, String> options = wide.options(all);
        PlanOptions plan =
            new PlanOptions(
                rule.database(),
                rule.table(),
                1,
                rule.partitionBy(),
                options,
                false,
                TableKind.GATHERED);
        if (TablePlanner.plan(all, plan, 0) instanceof PlannedTable.Planned planned) {
          MergeOptions.of(planned.schema());
          UnsupportedFeatures.checkWriting(planned.schema(), name);
          result.put(name, new TreeMap<>(options));
        } else if (TablePlanner.plan(all, plan, 0) instanceof PlannedTable.Refused refused) {
          problems.add(refused.text());
        }
      } catch (IllegalArgumentException | UnsupportedTableException e) {
        problems.add("Wide table " + name + ": " + e.getMessage());
      }
    }
    return result;
  }
}
