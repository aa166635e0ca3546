package io.sluice.replicator.sources.debezium;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.evolution.SourceColumn;
import io.sluice.evolution.SourceKind;
import io.sluice.evolution.SourceTable;
import io.sluice.evolution.SourceTableId;
import io.sluice.replicator.sources.debezium.HistoryRecords.ChangeType;
import io.sluice.replicator.sources.debezium.HistoryRecords.TableChange;
import io.sluice.replicator.wide.tables.TablePart;
import io.sluice.replicator.wide.tables.TableParts;
import io.sluice.sinks.ChangeInput;
import io.sluice.sinks.PartCopy;
import io.sluice.sinks.PipelineStoppedException;
import io.sluice.sinks.PipelineStoppedException.Reason;
import io.sluice.sinks.RoutedTable;
import io.sluice.sinks.TableRefusedException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The captured tables as the stream knows them now, and what a DDL makes of them. Which change of
 * columns can be followed is the pipeline's to say ({@link ChangeInput#tableChanged}); refused here
 * is what changes rows or names. Statements on other tables are history and nothing else. One
 * thread.
 */
final class SchemaChanges {

  private final ChangeInput input;
  private final Predicate<SourceTableId> copied;
  private final TableParts parts;
  private final Predicate<SourceTableId> captured;
  private final ServerFacts server;
  private final Map<SourceTableId, RoutedTable> tables = new HashMap<>();
  private final Set<String> expected = new TreeSet<>();
  private @Nullable BinlogPoint expectedBy;

  /** Captured names that exist where the stream stands, parked tables too. */
  private final Map<SourceTableId, SourceTable> definitions = new HashMap<>();

  /** What the server writes to its binlog; asked only when a statement makes it matter. */
  interface ServerFacts {
    /** What foreign keys change by cascade. */
    boolean cascadesAreLogged();

    /** The character set of each text column, before its rows. */
    boolean characterSetsAreLogged();
  }

  /**
   * @param copied which tables have a lake table of their own
   * @param parts which fill wide tables
   */
  SchemaChanges(
      ChangeInput input, Predicate<SourceTableId> copied, TableParts parts, ServerFacts server) {
    this.input = input;
    this.copied = copied;
    this.parts = parts;
    this.captured = id -> copied.test(id) || parts.takes(id);
    this.server = server;
  }

  boolean isCaptured(SourceTableId id) {
    return captured.test(id);
  }

  /** Whether the table has a lake table of its own. */
  boolean isCopied(SourceTableId id) {
    return copied.test(id);
  }

  /** Parts of wide tables that a table's rows fill; parked ones left out. */
  List<TablePart> parts(SourceTableId id) {
    return parts.of(id);
  }

  /** As far as the source's log has been read; null if there is no such table. */
  @Nullable SourceTable definition(SourceTableId id) {
    return definitions.get(id);
  }

  /** Null for a table that is parked, or only fills parts of wide tables. */
  @Nullable RoutedTable table(SourceTableId id) {
    return tables.get(id);
  }

  /**
   * Whether the table is left behind: its rows and definitions concern nobody, but its history goes
   * on, so that its rows can be told from others'.
   */
  boolean isParked(SourceTableId id) {
    return isParked(id, copied, parts, input);
  }

  /** Whether every lake table that a table's rows go to is parked. */
  static boolean isParked(
      SourceTableId id, Predicate<SourceTableId> copied, TableParts parts, ChangeInput input) {
    boolean fills = parts.takes(id);
    return copied.test(id)
        ? input.isParked(id) && (!fills || parts.isParked(id))
        : fills && parts.isParked(id);
  }

  /**
   * A captured table can't be followed from here on.
   *
   * @return false if the pipeline parks none: the caller stops
   */
  boolean park(SourceTableId id, String reason) {
    if (copied.test(id)) {
      if (!input.park(id, reason)) {
        return false;
      }
      tables.remove(id);
    }
    return parkParts(id, reason);
  }

  /** The same for the wide tables alone that a table fills. */
  boolean parkParts(SourceTableId id, String reason) {
    return parts.park(id, reason);
  }

  /**
   * The table is copied again, a parked one comes back by it.
   *
   * @throws TableRefusedException if that can't be done; nothing has changed
   */
  void resync(SourceTableId id, @Nullable PartCopy part) {
    if (parts.isWide(id)) {
      if (part != null) {
        throw new TableRefusedException(
            id, "A wide table can be filled anew only as a whole: leave out --where.");
      }
      parts.resync(id, definitions.values());
      return;
    }
    if (parts.takes(id) && !copied.test(id)) {
      throw new TableRefusedException(
          id, "Table " + id + " has no lake table of its own: it fills a wide table.");
    }
    SourceTable definition = definitions.get(id);
    if (definition == null) {
      throw new TableRefusedException(
          id,
          captured.test(id)
              ? "There is no table " + id + " at the source, as far as its log has been read."
              : "Table " + id + " is not captured.");
    }
    if (part != null) {
      requireLeadingKey(definition, part.keys().column());
    }
    put(input.resync(definition, part));
  }

  private static void requireLeadingKey(SourceTable definition, String column) {
    List<String> key = definition.primaryKey();
    boolean leading = !key.isEmpty() && key.get(0).equals(column);
    if (!leading
        || definition.columns().stream()
            .noneMatch(each -> each.name().equals(column) && SourceKind.of(each).isInteger())) {
      throw new TableRefusedException(
          definition.id(),
          "A part of table "
              + definition.id()
              + " can be copied again by the first column of its primary key only, and if that is"
              + " an integer; the key is "
              + key
              + ". Leave out --where to copy all of it.");
    }
  }

  private void parkOrThrow(TableRefusedException refused) {
    if (!park(refused.table(), String.valueOf(refused.getMessage()))) {
      throw refused;
    }
  }

  void put(RoutedTable table) {
    tables.put(table.source().id(), table);
  }

  /**
   * After a start: databases with captured tables that the recovered history doesn't know. Those
   * that were made since then become known by the stream before it reaches this place; of others
   * nobody can say what their tables look like.
   */
  void expect(Set<String> databases, BinlogPoint by) {
    expected.addAll(databases);
    expectedBy = by;
  }

  /**
   * The stream has passed a place.
   *
   * @throws PipelineStoppedException if an expected database didn't come
   */
  void passed(BinlogPoint reached) {
    BinlogPoint by = expectedBy;
    if (by == null || reached.compareTo(by) < 0) {
      return;
    }
    expectedBy = null;
    if (!expected.isEmpty()) {
      throw new PipelineStoppedException(
          Reason.MISCONFIGURED,
          "Database "
              + String.join(", ", expected)
              + " has come into source.include after this pipeline began, or was left out of it for"
              + " a while: what its tables looked like at the stream's place isn't known. Replicate"
              + " it by a pipeline of its own (another file, another name), or take it out of"
              + " source.include.");
    }
  }

  /** After a start: what the recovered history holds. */
  void restore(List<String> history) {
    for (SourceTable definition : HistoryRecords.tables(history).values()) {
      if (captured.test(definition.id())) {
        definitions.put(definition.id(), definition);
        input.restoreTable(definition).ifPresent(this::put);
        if (parts.takes(definition.id())) {
          parts.defined(definition);
        }
      }
    }
    parts.route(true);
  }

  /** The schema snapshot has told all tables. */
  void allDefined() {
    parts.route(false);
  }

  /** A record of the schema snapshot. Its DROPs come before each CREATE and drop nothing. */
  void defined(JsonNode record) {
    String text = record.toString();
    boolean handedOver = false;
    remember(record);
    for (TableChange change : HistoryRecords.changes(record)) {
      if (change.definition() != null && captured.test(change.id())) {
        if (StatementRules.makesSystemVersioned(HistoryRecords.ddl(record))) {
          parkOrThrow(
              refused(
                  change.id(),
                  record,
                  "deletes in a system-versioned table are logged as updates"));
        }
        input.tableChanged(change.definition(), handedOver ? null : text).ifPresent(this::put);
        handedOver = true;
        if (parts.takes(change.id())) {
          parts.defined(change.definition());
        }
      }
    }
    if (!handedOver) {
      input.history(text);
    }
  }

  /**
   * A record of the stream.
   *
   * @throws TableRefusedException if it can't be followed and tables aren't parked; nothing of it
   *     has been handed over
   */
  void changed(JsonNode record) {
    expected.remove(record.path("databaseName").asText(""));
    unseenEffects(record).forEach(this::parkOrThrow);
    List<TableChange> changes =
        HistoryRecords.changes(record).stream().filter(this::concernsCaptured).toList();
    for (TableChange change : changes) {
      nameChanges(change, record).forEach(this::parkOrThrow);
    }
    String text = record.toString();
    boolean handedOver = false;
    remember(record);
    for (TableChange change : changes) {
      SourceTable definition = withValues(change.definition(), record);
      RoutedTable before = tables.get(change.id());
      if (definition == null || (before != null && before.source().equals(definition))) {
        continue;
      }
      input
          .tableChanged(definition, handedOver ? null : text)
          .ifPresentOrElse(this::put, () -> tables.remove(change.id()));
      handedOver = true;
      if (parts.takes(change.id())) {
        parts.defined(definition);
      }
    }
    if (!handedOver) {
      input.history(text);
    }
    parts.route(false);
  }

  private void remember(JsonNode record) {
    String dropped = StatementRules.droppedDatabase(HistoryRecords.ddl(record));
    if (dropped != null) {
      definitions.keySet().removeIf(id -> id.database().equals(dropped));
    }
    for (TableChange change : HistoryRecords.changes(record)) {
      if (change.previousId() != null) {
        definitions.remove(change.previousId());
      }
      definitions.remove(change.id());
      if (change.definition() != null && captured.test(change.id())) {
        definitions.put(change.id(), change.definition());
      }
    }
  }

  /**
   * Debezium's definition shows no generated column and no default that is an expression; the
   * statement does. Existing rows have values in such columns.
   */
  private static @Nullable SourceTable withValues(
      @Nullable SourceTable definition, JsonNode record) {
    TableStatement statement =
        TableStatement.parse(record.path("databaseName").asText(""), HistoryRecords.ddl(record));
    if (definition == null || statement == null) {
      return definition;
    }
    Set<String> valued = statement.addedWithValues();
    return valued.isEmpty()
        ? definition
        : new SourceTable(
            definition.id(),
            definition.columns().stream().map(column -> withValue(column, valued)).toList(),
            definition.primaryKey());
  }

  private static SourceColumn withValue(SourceColumn column, Set<String> valued) {
    return column.defaultExpression() != null
            || !valued.contains(column.name().toLowerCase(Locale.ROOT))
        ? column
        : new SourceColumn(
            column.name(),
            column.typeName(),
            column.length(),
            column.scale(),
            column.nullable(),
            column.charset(),
            column.labels(),
            "(an expression)");
  }

  private boolean concernsCaptured(TableChange change) {
    return captured.test(change.id())
        || (change.previousId() != null && captured.test(change.previousId()));
  }

  private List<TableRefusedException> unseenEffects(JsonNode record) {
    List<TableRefusedException> result = new ArrayList<>();
    String ddl = HistoryRecords.ddl(record);
    String database = record.path("databaseName").asText("");
    for (StatementRules.Effect effect : StatementRules.effects(database, ddl)) {
      boolean harmless =
          effect.problem().equals(StatementRules.CASCADES) && server.cascadesAreLogged();
      if (captured.test(effect.table()) && !harmless) {
        result.add(refused(effect.table(), record, effect.problem()));
      }
    }
    String collation = Collations.ofDatabase(ddl);
    if (collation != null && !server.characterSetsAreLogged()) {
      throw new PipelineStoppedException(
          Reason.REFUSED,
          "The source can't be followed past \""
              + StatementRules.excerpt(ddl)
              + "\" (database "
              + database
              + "): it names a collation without its character set, so text of tables that are"
              + " made later might be read as another, and this server doesn't log which"
              + " it is. Run SET GLOBAL binlog_row_metadata=MINIMAL and start again; where"
              + " text was logged in between, the start will name its table.");
    }
    String dropped = StatementRules.droppedDatabase(ddl);
    if (dropped != null) {
      for (SourceTableId id : definitions.keySet()) {
        if (id.database().equals(dropped) && isFollowed(id)) {
          result.add(refused(id, record, "the table was dropped with its database"));
        }
      }
    }
    return result;
  }

  private List<TableRefusedException> nameChanges(TableChange change, JsonNode record) {
    if (change.type() == ChangeType.DROP) {
      return isFollowed(change.id())
          ? List.of(refused(change.id(), record, "the table was dropped"))
          : List.of();
    }
    SourceTableId previous = change.previousId();
    if (previous != null) {
      return Stream.of(previous, change.id())
          .filter(captured)
          .map(id -> refused(id, record, "table " + previous + " was renamed to " + change.id()))
          .toList();
    }
    return change.type() == ChangeType.CREATE ? creation(change, record) : List.of();
  }

  /** Whether rows of the table go anywhere. */
  private boolean isFollowed(SourceTableId id) {
    return tables.containsKey(id) || definitions.containsKey(id) && !parts.of(id).isEmpty();
  }

  private List<TableRefusedException> creation(TableChange change, JsonNode record) {
    if (StatementRules.makesSystemVersioned(HistoryRecords.ddl(record))) {
      return List.of(
          refused(
              change.id(), record, "deletes in a system-versioned table are logged as updates"));
    }
    TableStatement statement =
        TableStatement.parse(record.path("databaseName").asText(""), HistoryRecords.ddl(record));
    String collation = statement == null ? null : statement.collationAlone();
    if (collation == null
        || Collations.belongTo(collation, change.characterSet())
        || server.characterSetsAreLogged()) {
      return List.of();
    }
    return List.of(
        refused(
            change.id(),
            record,
            "it names collation "
                + collation
                + " without its character set, and text would be read as "
                + change.characterSet()));
  }

  private static TableRefusedException refused(
      SourceTableId table, JsonNode record, String problem) {
    return new TableRefusedException(
        table,
        "The stream of "
            + table
            + " can't be followed past \""
            + StatementRules.excerpt(HistoryRecords.ddl(record))
            + "\": "
            + problem
            + ". Of changes to a captured table only ADD COLUMN (and what leaves columns and rows"
            + " as they are) is followed: the table has to be copied anew.");
  }
}
