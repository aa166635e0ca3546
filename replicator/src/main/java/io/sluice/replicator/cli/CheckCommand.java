package io.sluice.replicator.cli;

import io.sluice.config.ConfigProblemsException;
import io.sluice.config.SluiceConfig;
import io.sluice.config.SourceType;
import io.sluice.evolution.PlannedTable;
import io.sluice.evolution.SourceColumn;
import io.sluice.evolution.SourceTableId;
import io.sluice.lsm.io.FileIO;
import io.sluice.lsm.io.FileIOs;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.TableSchema;
import io.sluice.replicator.backfill.BackfillProgress;
import io.sluice.replicator.daemon.TopicsPlan;
import io.sluice.replicator.sources.mysql.preflight.Finding;
import io.sluice.replicator.sources.mysql.preflight.PlannedSourceTable;
import io.sluice.replicator.sources.mysql.preflight.SourceCheck;
import io.sluice.replicator.sources.mysql.preflight.SourceReport;
import io.sluice.sinks.DeadLetterTable;
import io.sluice.sinks.Parked;
import io.sluice.sinks.PipelineStoppedException;
import io.sluice.sinks.epoch.EpochFile;
import io.sluice.sinks.epoch.EpochFile.SourceFacts;
import io.sluice.sinks.epoch.EpochStore;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Says whether a pipeline can run, and what it would do. Changes nothing. */
@Command(
    name = "check",
    description = {
      "Looks at config, source and warehouse, and tells the type plan of every table. Changes"
          + " nothing."
    })
final class CheckCommand implements Callable<Integer> {

  private final Context context;

  @Mixin private ConfigArgument config = new ConfigArgument();

  @Option(names = "--no-plan", description = "Leave the type plan out.")
  private boolean noPlan;

  CheckCommand(Context context) {
    this.context = context;
  }

  @Override
  public Integer call() throws ConfigProblemsException {
    PrintWriter out = context.out();
    SluiceConfig loaded = config.load(context);
    out.println("config     " + config.file + " is well");
    Optional<String> warehouseFault =
        WarehouseCheck.examine(loaded.warehouse(), context.freshIds());
    out.println(
        "warehouse  "
            + warehouseFault.orElse(
                loaded.warehouse() + " is writable, exclusive create works there"));
    if (loaded.source().type() == SourceType.KAFKA) {
      return topics(loaded, warehouseFault.isEmpty());
    }
    SourceReport report;
    try {
      report = SourceCheck.examine(loaded);
    } catch (PipelineStoppedException e) {
      out.println("source     " + e.getMessage());
      out.flush();
      return e.reason().exitCode();
    }
    out.println("source     " + report.server());
    out.println("tables     " + report.captured() + " captured");
    Map<SourceTableId, SourceFacts> known = known(loaded);
    states(out, known);
    if (!noPlan) {
      report.tables().forEach(table -> plan(out, table));
      report
          .wideTables()
          .forEach(
              wide -> {
                plan(out, wide.target().lakeName(), wide.target().options());
                wide.parts().forEach(part -> out.println("  part " + part));
              });
    }
    findings(out, report.findings());
    out.flush();
    if (warehouseFault.isPresent()) {
      return ExitCode.UNREACHABLE;
    }
    boolean parked = known.values().stream().anyMatch(CheckCommand::stands);
    return parked || report.findings().stream().anyMatch(Finding::stops)
        ? ExitCode.FAULTS
        : ExitCode.OK;
  }

  private int topics(SluiceConfig loaded, boolean writable) {
    PrintWriter out = context.out();
    TopicsPlan.Report report;
    try {
      report = TopicsPlan.examine(loaded);
    } catch (PipelineStoppedException e) {
      out.println("source     " + e.getMessage());
      out.flush();
      return e.reason().exitCode();
    }
    int partitions = report.topics().stream().mapToInt(TopicsPlan.Topic::partitions).sum();
    out.println("source     Kafka at " + loaded.kafka().bootstrapServers() + " answers");
    out.println(
        "topics     " + report.topics().size() + " read, with " + partitions + " partitions");
    Map<SourceTableId, SourceFacts> known = known(loaded);
    states(out, known);
    if (!noPlan) {
      report.topics().forEach(topic -> plan(out, topic));
      report.wideTables().forEach((table, options) -> plan(out, table, options));
    }
    List<Finding> findings = new ArrayList<>();
    report.problems().forEach(what -> findings.add(finding(Finding.Severity.ERROR, what)));
    report.warnings().forEach(what -> findings.add(finding(Finding.Severity.WARNING, what)));
    findings(out, findings);
    out.flush();
    if (!writable) {
      return ExitCode.UNREACHABLE;
    }
    boolean parked = known.values().stream().anyMatch(CheckCommand::stands);
    return parked || !report.problems().isEmpty() ? ExitCode.FAULTS : ExitCode.OK;
  }

  private static Finding finding(Finding.Severity severity, String what) {
    return new Finding(severity, "topics", what, "");
  }

  private static void plan(PrintWriter out, String table, Map<String, String> options) {
    out.println();
    out.println("wide table " + table + ", its options:");
    new TreeMap<>(options).forEach((key, value) -> out.println("  " + key + " = " + value));
  }

  private static void plan(PrintWriter out, TopicsPlan.Topic topic) {
    out.println();
    out.println(
        topic.name()
            + " -> "
            + topic.table()
            + ", "
            + topic.partitions()
            + (topic.partitions() == 1 ? " partition, " : " partitions, ")
            + topic.format()
            + ", "
            + topic.rule().map(rule -> "by the rule match = " + rule).orElse("by no rule")
            + ", primary key "
            + (topic.key().isEmpty() ? "as messages tell it, else none" : topic.key()));
  }

  /** What the newest epoch says of the pipeline's tables. */
  private Map<SourceTableId, SourceFacts> known(SluiceConfig loaded) {
    try (FileIO fileIO = FileIOs.forUri(loaded.warehouse(), context.freshIds())) {
      EpochFile newest =
          new EpochStore(fileIO, FileIOs.pathOf(loaded.warehouse()), loaded.pipeline())
              .readHighest();
      return newest == null ? Map.of() : newest.sources();
    } catch (IOException e) {
      throw new CommandFailedException(
          ExitCode.UNREACHABLE, "The newest epoch can't be read: " + Failures.text(e));
    }
  }

  private static void states(PrintWriter out, Map<SourceTableId, SourceFacts> known) {
    known.forEach(
        (table, facts) -> {
          Parked parked = facts.parked();
          if (parked != null && parked.catchingUp()) {
            out.println(
                "catches up "
                    + table
                    + ", which was parked since "
                    + Instant.ofEpochMilli(parked.sinceMillis())
                    + ": "
                    + parked.reason());
          } else if (parked != null) {
            out.println(
                "PARKED     "
                    + table
                    + " is parked at epoch "
                    + parked.epoch()
                    + " since "
                    + Instant.ofEpochMilli(parked.sinceMillis())
                    + ": "
                    + parked.reason());
            out.println("           To bring it back: sluice resync -c FILE " + table);
          }
        });
    Map<String, Long> states =
        known.entrySet().stream()
            .filter(each -> !each.getKey().equals(DeadLetterTable.ID))
            .map(Map.Entry::getValue)
            .collect(
                Collectors.groupingBy(CheckCommand::state, TreeMap::new, Collectors.counting()));
    if (!states.isEmpty()) {
      out.println("states     " + states);
    }
  }

  private static boolean stands(SourceFacts facts) {
    Parked parked = facts.parked();
    return parked != null && !parked.catchingUp();
  }

  private static String state(SourceFacts facts) {
    if (stands(facts)) {
      return "parked";
    }
    return facts.parked() != null
        ? "catching-up"
        : BackfillProgress.parse(facts.backfill()).state().name().toLowerCase(Locale.ROOT);
  }

  private static void findings(PrintWriter out, List<Finding> findings) {
    out.println();
    if (findings.isEmpty()) {
      out.println("Nothing is in the way.");
      return;
    }
    for (Finding finding : findings) {
      out.println(finding.severity() + "  " + finding.subject() + ": " + finding.what());
      if (!finding.remedy().isEmpty()) {
        out.println("         " + finding.remedy());
      }
    }
    long errors = findings.stream().filter(Finding::stops).count();
    out.println();
    out.println(
        errors == 0
            ? "The pipeline can run; look at the warnings."
            : "The pipeline can't run: " + errors + (errors == 1 ? " error." : " errors."));
  }

  private static void plan(PrintWriter out, PlannedSourceTable table) {
    out.println();
    out.println(
        table.source().definition().id()
            + " -> "
            + table.target().database()
            + "."
            + table.target().table()
            + ", about "
            + table.source().size().rows()
            + " rows, "
            + table.target().bucketsText()
            + ", primary key "
            + table.source().definition().primaryKey());
    if (!(table.plan() instanceof PlannedTable.Planned planned)) {
      out.println("  refused, see below");
      return;
    }
    TableSchema schema = planned.schema();
    List<SourceColumn> columns = table.source().definition().columns();
    int names = columns.stream().mapToInt(each -> each.name().length()).max().orElse(1);
    int types = columns.stream().mapToInt(each -> type(each).length()).max().orElse(1);
    for (int i = 0; i < columns.size(); i++) {
      DataField field = schema.rowType().field(i);
      out.println(
          "  "
              + padded(columns.get(i).name(), names)
              + "  "
              + padded(type(columns.get(i)), types)
              + "  "
              + field.type());
    }
  }

  private static String type(SourceColumn column) {
    String text = column.typeText();
    String shown = text.length() <= 40 ? text : text.substring(0, 39) + "…";
    return shown + (column.nullable() ? "" : " NOT NULL");
  }

  private static String padded(String text, int width) {
    return text + " ".repeat(Math.max(0, width - text.length()));
  }
}
