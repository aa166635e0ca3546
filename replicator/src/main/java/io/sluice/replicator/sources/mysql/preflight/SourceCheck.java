package io.sluice.replicator.sources.mysql.preflight;

import io.sluice.config.DatabaseSourceConfig;
import io.sluice.config.LakeTarget;
import io.sluice.config.Secret;
import io.sluice.config.SluiceConfig;
import io.sluice.config.SourceSize;
import io.sluice.config.SourceType;
import io.sluice.config.TablePattern;
import io.sluice.config.TableRouting;
import io.sluice.config.WidePart;
import io.sluice.config.WideRule;
import io.sluice.evolution.PlanOptions;
import io.sluice.evolution.PlannedTable;
import io.sluice.evolution.SourceTable;
import io.sluice.evolution.SourceTableId;
import io.sluice.evolution.TablePlanner;
import io.sluice.replicator.backfill.JdbcSource;
import io.sluice.replicator.sources.debezium.SourcePreflight;
import io.sluice.replicator.sources.debezium.SourceSettings;
import io.sluice.replicator.values.MySqlFlavor;
import io.sluice.replicator.wide.tables.TableParts;
import io.sluice.sinks.PipelineStoppedException;
import io.sluice.sinks.PipelineStoppedException.Reason;
import io.sluice.sinks.TableTarget;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Looks at the source as a pipeline would find it. Changes nothing there.
 *
 * <p>Beyond the server's settings it tells what would be lost without a word: rows that a foreign
 * key changes by cascade inside the storage engine are not in the binlog.
 */
public final class SourceCheck {

  private static final int UNKNOWN_VARIABLE = 1193;

  /** Engines whose rows another way than by the binlog's statements can appear or vanish. */
  private static final Set<String> ENGINES_REFUSED =
      Set.of("MEMORY", "BLACKHOLE", "FEDERATED", "MRG_MYISAM", "CSV", "NDB", "NDBCLUSTER");

  private final SluiceConfig config;
  private final TableRouting routing;
  private final List<Finding> findings = new ArrayList<>();

  private SourceCheck(SluiceConfig config) {
    this.config = config;
    this.routing = config.routing();
  }

  /**
   * Connects and looks.
   *
   * @throws PipelineStoppedException UNREACHABLE if the server can't be asked; the message says why
   */
  public static SourceReport examine(SluiceConfig config) {
    return new SourceCheck(config).examine();
  }

  /**
   * For a start: the errors among the findings, as one failure.
   *
   * @param leftAside tables whose errors don't stop it: they take no rows
   * @throws PipelineStoppedException MISCONFIGURED if there are any, UNREACHABLE as {@link
   *     #examine}
   */
  public static SourceReport require(SluiceConfig config, Predicate<SourceTableId> leftAside) {
    SourceReport report = examine(config);
    List<String> aside =
        Stream.concat(
                report.tables().stream().map(table -> table.source().definition().id()),
                report.wideTables().stream().map(wide -> id(wide.target())))
            .filter(leftAside)
            .map(SourceTableId::toString)
            .toList();
    List<String> errors =
        report.findings().stream()
            .filter(Finding::stops)
            .filter(
                finding ->
                    aside.stream()
                        .noneMatch(
                            table ->
                                finding.subject().equals(table)
                                    || finding.subject().startsWith(table + ",")))
            .map(Finding::toString)
            .toList();
    if (!errors.isEmpty()) {
      throw new PipelineStoppedException(Reason.MISCONFIGURED, String.join("\n", errors));
    }
    return report;
  }

  private SourceReport examine() {
    for (SourcePreflight.Finding found : SourcePreflight.check(settings(config))) {
      findings.add(
          new Finding(
              found.stops() ? Finding.Severity.ERROR : Finding.Severity.WARNING,
              "source",
              found.problem(),
              found.remedy()));
    }
    DatabaseSourceConfig source = config.database();
    JdbcSource jdbc = new JdbcSource(flavor(source), source.connection());
    try (Connection connection = jdbc.connect()) {
      SourceCatalog catalog = new SourceCatalog(connection, routing);
      List<CatalogTable> captured = catalog.capturedTables();
      boolean cascadesAreLogged = cascadesAreLogged(connection);
      List<PlannedSourceTable> planned = new ArrayList<>();
      for (CatalogTable table : captured) {
        plan(table).ifPresent(planned::add);
        examine(table, cascadesAreLogged);
      }
      unmatchedPatterns(captured, catalog.databases());
      List<SourceReport.WidePlan> wide = wideTables(captured);
      sharedTargets(planned, wide);
      String server = server(connection) + " at " + address(source);
      return new SourceReport(server, findings, captured.size(), planned, wide);
    } catch (SQLException e) {
      throw new PipelineStoppedException(
          Reason.UNREACHABLE,
          "The catalog of " + address(source) + " can't be read: " + e.getMessage(),
          e);
    }
  }

  private static SourceTableId id(TableTarget target) {
    return new SourceTableId(target.lakeDatabase(), target.lakeTable());
  }

  /** Wide tables, with what is wrong with them and with their parts. */
  private List<SourceReport.WidePlan> wideTables(List<CatalogTable> captured) {
    List<SourceTable> definitions = captured.stream().map(CatalogTable::definition).toList();
    List<TableParts.Plan> plans;
    try {
      plans =
          new TableParts(routing, rule -> routing.target(rule, SourceSize.UNKNOWN))
              .plan(definitions);
    } catch (IllegalArgumentException e) {
      findings.add(Finding.error("tables.rules", e.getMessage() + ".", "Correct the type."));
      return List.of();
    }
    List<SourceReport.WidePlan> result = new ArrayList<>();
    for (int i = 0; i < plans.size(); i++) {
      WideRule rule = routing.wideRules().get(i);
      String name = rule.database() + "." + rule.table();
      plans.get(i).problems().forEach(problem -> findings.add(refusal(name, problem)));
      List<String> lines = new ArrayList<>();
      for (WidePart part : rule.parts()) {
        List<String> tables =
            captured.stream()
                .map(table -> table.definition().id())
                .filter(id -> TableRouting.takes(part, id.database(), id.table()))
                .map(SourceTableId::toString)
                .toList();
        if (part.isElsewhere()) {
          lines.add(part.name() + " is filled by another pipeline");
        } else if (tables.isEmpty()) {
          lines.add(part.name() + " is filled by no table yet");
          findings.add(
              Finding.warning(
                  name,
                  "no captured table fills part " + part.name() + ".",
                  "Check match = " + part.from().orElseThrow() + " and source.include."));
        } else {
          lines.add(part.name() + " is filled by " + String.join(", ", tables));
        }
      }
      result.add(new SourceReport.WidePlan(plans.get(i).target(), lines));
    }
    return result;
  }

  /** Empty for a table that only fills parts of wide tables. */
  private Optional<PlannedSourceTable> plan(CatalogTable table) {
    SourceTableId id = table.definition().id();
    LakeTarget target = routing.target(id.database(), id.table(), table.size()).orElse(null);
    if (target == null) {
      return Optional.empty();
    }
    PlannedTable plan =
        TablePlanner.plan(
            table.definition(),
            new PlanOptions(
                target.database(),
                target.table(),
                target.buckets(),
                target.partitionBy(),
                target.options(),
                target.tinyIntOneAsBoolean()),
            0);
    if (plan instanceof PlannedTable.Refused refused) {
      refused.reasons().forEach(reason -> findings.add(refusal(id.toString(), reason)));
    }
    return Optional.of(new PlannedSourceTable(table, target, plan));
  }

  /** A refusal tells table, what and remedy in one text. */
  private static Finding refusal(String table, String reason) {
    String text =
        reason.startsWith("Table " + table) ? reason.substring("Table ".length()) : reason;
    int colon = text.indexOf(": ");
    String subject = colon > 0 ? text.substring(0, colon) : table;
    String rest =
        colon > 0 ? text.substring(colon + 2) : "the table" + text.substring(table.length());
    int end = rest.indexOf(". ");
    return end < 0
        ? Finding.error(subject, rest, "")
        : Finding.error(subject, rest.substring(0, end + 1), rest.substring(end + 2));
  }

  private void examine(CatalogTable table, boolean cascadesAreLogged) {
    String subject = table.definition().id().toString();
    if (table.kind().equals("SYSTEM VERSIONED")) {
      findings.add(
          Finding.error(
              subject,
              "the table is system-versioned: its history rows would arrive as rows.",
              "Exclude it with source.exclude."));
    }
    String engine = table.engine().toUpperCase(Locale.ROOT);
    if (ENGINES_REFUSED.contains(engine)) {
      findings.add(
          Finding.error(
              subject,
              "its storage engine "
                  + table.engine()
                  + " changes rows without a word in the binlog.",
              "Exclude it with source.exclude, or make it an InnoDB table."));
    } else if (!engine.isEmpty() && !engine.equals("INNODB") && !engine.equals("ROCKSDB")) {
      findings.add(
          Finding.warning(
              subject,
              "its storage engine "
                  + table.engine()
                  + " has no transactions: after a crash of the server the table and its binlog may"
                  + " differ.",
              "Make it an InnoDB table."));
    }
    if (!table.cascades().isEmpty() && !cascadesAreLogged) {
      findings.add(
          Finding.error(
              subject,
              "its foreign key "
                  + String.join(", ", table.cascades())
                  + " changes rows by cascade, which this server does not write to its binlog: the"
                  + " lake would keep rows that the source has deleted or changed.",
              "Exclude the table with source.exclude, or define the foreign key without CASCADE and"
                  + " SET NULL."));
    }
  }

  /**
   * Since MySQL 9.6 foreign keys are the server's, not InnoDB's; then cascades are in the binlog.
   */
  private boolean cascadesAreLogged(Connection connection) throws SQLException {
    if (config.database().type() == SourceType.MARIADB) {
      return false;
    }
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SELECT @@GLOBAL.innodb_native_foreign_keys")) {
      return rows.next() && !rows.getBoolean(1);
    } catch (SQLException e) {
      if (e.getErrorCode() == UNKNOWN_VARIABLE) {
        return false;
      }
      throw e;
    }
  }

  /**
   * A pattern without a table is worth a word. When no pattern has one, a start makes sense only if
   * tables may come: a wildcard in a database that is there.
   */
  private void unmatchedPatterns(List<CatalogTable> captured, List<String> databases) {
    boolean mayCome =
        config.database().include().stream()
            .filter(pattern -> !pattern.isLiteral())
            .anyMatch(pattern -> databases.stream().anyMatch(pattern::matchesDatabase));
    Finding.Severity severity =
        captured.isEmpty() && !mayCome ? Finding.Severity.ERROR : Finding.Severity.WARNING;
    for (TablePattern pattern : config.database().include()) {
      boolean matched =
          captured.stream()
              .map(table -> table.definition().id())
              .anyMatch(id -> pattern.matches(id.database(), id.table()));
      if (!matched) {
        findings.add(
            new Finding(
                severity,
                "source.include",
                "\"" + pattern + "\" matches no table that the user can see.",
                "Check its spelling (case matters) and GRANT SELECT on what it means"
                    + (severity == Finding.Severity.ERROR
                        ? "; no table would be captured at all."
                        : "; a table that is created later will be captured.")));
      }
    }
  }

  private void sharedTargets(List<PlannedSourceTable> planned, List<SourceReport.WidePlan> wide) {
    Map<String, String> owners = new LinkedHashMap<>();
    wide.forEach(
        each ->
            owners.put(each.target().lakeName(), "the rule of wide table " + id(each.target())));
    for (PlannedSourceTable table : planned) {
      String lake = table.target().database() + "." + table.target().table();
      String id = table.source().definition().id().toString();
      String owner = owners.putIfAbsent(lake, id);
      if (owner != null) {
        findings.add(
            Finding.error(
                id,
                "it would go to the lake table " + lake + ", as " + owner + " does.",
                "Rows of several tables in one are parts of a wide table (from): else give one of"
                    + " them another name with into in tables.rules."));
      }
    }
  }

  private static String server(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SELECT VERSION()")) {
      rows.next();
      String version = rows.getString(1);
      return version.contains("MariaDB") ? version : "MySQL " + version;
    }
  }

  private static String address(DatabaseSourceConfig source) {
    return source.connection().host() + ":" + source.connection().port();
  }

  private static MySqlFlavor flavor(DatabaseSourceConfig source) {
    return source.type() == SourceType.MARIADB ? MySqlFlavor.MARIADB : MySqlFlavor.MYSQL;
  }

  /** What the server's own check asks for; nothing of it is followed here. */
  private static SourceSettings settings(SluiceConfig config) {
    DatabaseSourceConfig source = config.database();
    return new SourceSettings(
        config.pipeline(),
        flavor(source),
        source.connection().host(),
        source.connection().port(),
        source.connection().user(),
        source.connection().password().map(Secret::reveal).orElse(""),
        SourceSettings.Tls.valueOf(source.connection().effectiveTls().name()),
        source.connection().timeout(),
        source.connection().readTimeout(),
        source.serverId(config.pipeline()),
        source.include().stream().map(TablePattern::databaseRegex).toList(),
        source.include().stream().map(TablePattern::tableRegex).toList(),
        table -> Optional.empty(),
        source.debezium(),
        Duration.ofMillis(500));
  }
}
