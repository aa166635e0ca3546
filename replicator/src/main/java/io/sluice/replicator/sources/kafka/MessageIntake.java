package io.sluice.replicator.sources.kafka;

import io.sluice.config.BadRecordPolicy;
import io.sluice.config.LakeTarget;
import io.sluice.config.TopicRule;
import io.sluice.config.TopicRule.MessageFact;
import io.sluice.evolution.PlanOptions;
import io.sluice.evolution.PlannedTable;
import io.sluice.evolution.SourceTable;
import io.sluice.evolution.SourceTableId;
import io.sluice.evolution.TableKind;
import io.sluice.evolution.TablePlanner;
import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.schema.DataType;
import io.sluice.lsm.schema.DataTypeText;
import io.sluice.replicator.messages.BadMessageException;
import io.sluice.replicator.messages.BadMessageException.Reason;
import io.sluice.replicator.messages.Change;
import io.sluice.replicator.messages.FieldRow;
import io.sluice.replicator.messages.Message;
import io.sluice.replicator.messages.MessageFormat;
import io.sluice.replicator.messages.formats.MessageFormats;
import io.sluice.replicator.messages.rows.MessageFacts;
import io.sluice.replicator.messages.rows.RowWriter;
import io.sluice.replicator.messages.rows.TableInference;
import io.sluice.sinks.ChangeInput;
import io.sluice.sinks.DeadLetter;
import io.sluice.sinks.PipelineStoppedException;
import io.sluice.sinks.RoutedTable;
import io.sluice.sinks.TableTarget;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of a message: its format reads it, its topic's rule finds the table of each change,
 * the table becomes wider where it has to, and the rows are handed over; all of a message, or
 * nothing but a dead letter. Of the source's thread.
 */
final class MessageIntake {

  /** What became of a message. */
  enum Taken {
    /** Its rows, or a dead letter, were handed over. */
    TAKEN,
    /** A table was emptied: a cut has to follow at once. */
    TRUNCATED,
    /** It is bad, and nothing bad is set aside: see {@link #refusal}. */
    REFUSED
  }

  private final KafkaSettings settings;
  private final Map<String, Topic> topics = new HashMap<>();
  private final Map<SourceTableId, Table> tables = new HashMap<>();
  private final PendingRows pending = new PendingRows();
  private @Nullable ChangeInput input;
  private boolean grown;
  private @Nullable Table truncated;
  private @Nullable BadMessageException refused;

  MessageIntake(KafkaSettings settings) {
    this.settings = settings;
  }

  /** A topic, by its rule. */
  private static final class Topic {
    final MessageFormat format;
    final @Nullable TopicRule rule;
    final List<String> nameFields;
    final Map<String, Route> routes = new HashMap<>();
    // Of the last message: most of a topic's go to one table.
    @Nullable Route last;
    @Nullable String lastDatabase;
    @Nullable String lastTable;

    Topic(MessageFormat format, @Nullable TopicRule rule, List<String> nameFields) {
      this.format = format;
      this.rule = rule;
      this.nameFields = nameFields;
    }
  }

  /** The way from a topic (and what its messages name) to a table. */
  private static final class Route {
    final Table table;
    final TableInference inference;
    final Map<String, MessageFact> metadata;
    @Nullable RowWriter writer;
    @Nullable RoutedTable written;

    Route(Table table, TableInference inference, Map<String, MessageFact> metadata) {
      this.table = table;
      this.inference = inference;
      this.metadata = metadata;
    }
  }

  /** A table as messages have told it so far. */
  static final class Table {
    final SourceTableId id;
    @Nullable SourceTable definition;
    @Nullable RoutedTable routed;
    @Nullable TableTarget target;

    Table(SourceTableId id) {
      this.id = id;
    }
  }

  /** Where a table goes: to the lake table of the same name. Thread safe. */
  TableTarget target(SourceTableId id) {
    synchronized (tables) {
      Table known = tables.get(id);
      TableTarget target = known == null ? null : known.target;
      return target != null
          ? target
          : new TableTarget(
              id.database(),
              id.table(),
              1,
              "",
              List.of(),
              Map.of(),
              false,
              TableKind.GATHERED,
              TableTarget.Sharing.ALONE);
    }
  }

  /** Takes up the tables that the pipeline has. */
  void begin(ChangeInput changes, List<String> history) {
    input = changes;
    for (SourceTable definition : TableRecords.read(history)) {
      Table table = table(definition.id());
      table.definition = definition;
      table.routed = changes.restoreTable(definition).orElse(null);
    }
  }

  private Table table(SourceTableId id) {
    synchronized (tables) {
      return tables.computeIfAbsent(id, Table::new);
    }
  }

  private ChangeInput input() {
    return Objects.requireNonNull(input, "begin comes first");
  }

  /** Takes one message. */
  Taken take(Message message) {
    try {
      read(message);
    } catch (BadMessageException e) {
      return setAside(message, e);
    }
    boolean emptied = truncated != null;
    handOver();
    return emptied ? Taken.TRUNCATED : Taken.TAKEN;
  }

  /** Reads a message into {@link #pending}. */
  private void read(Message message) throws BadMessageException {
    Topic topic = topics.computeIfAbsent(message.topic(), this::topic);
    do {
      // Rows that were written before their table grew are written again.
      grown = false;
      truncated = null;
      pending.clear();
      topic.format.read(message, change -> take(topic, message, change));
    } while (grown);
  }

  private Topic topic(String name) {
    return new Topic(
        MessageFormats.create(settings.formatSettings(settings.routing().messages(name))),
        settings.routing().rule(name).orElse(null),
        settings.routing().nameFields(name));
  }

  private void take(Topic topic, Message message, Change change) throws BadMessageException {
    Route route = route(topic, message, change);
    if (change.kind() == Change.Kind.TRUNCATE) {
      if (!pending.isEmpty() || truncated != null) {
        throw new BadMessageException(
            Reason.MALFORMED, "A TRUNCATE stands among other changes in one message.");
      }
      truncated = route.table;
      return;
    }
    if (input().isParked(route.table.id)) {
      return;
    }
    RoutedTable routed = route.table.routed;
    if (routed == null) {
      if (!grow(route, message, change)) {
        // It was parked just now.
        return;
      }
      routed = Objects.requireNonNull(route.table.routed);
    }
    write(route, routed, message, change);
  }

  private void write(Route route, RoutedTable routed, Message message, Change change)
      throws BadMessageException {
    RowWriter writer = writer(route, routed);
    boolean keyless = routed.lakeSchema().primaryKeys().isEmpty();
    if (keyless && (change.kind() == Change.Kind.DELETE || change.before() != null)) {
      throw new BadMessageException(
          Reason.KEY,
          "Table "
              + route.table.id
              + " has no key, so that "
              + (change.kind() == Change.Kind.DELETE ? "a delete" : "an update")
              + " can't tell which row it means. Give it one with primary-key in tables.rules.");
    }
    long micros =
        change.sourceTimeMicros() > 0
            ? change.sourceTimeMicros()
            : Math.max(0, message.timestampMillis()) * 1000;
    boolean delete = change.kind() == Change.Kind.DELETE;
    if (!delete && !keyless && writer.movesKey(change)) {
      if (!fits(writer.writeBefore(message, change), route, message, change)) {
        return;
      }
      pending.add(route.table, writer.row(), micros);
    }
    RowKind kind =
        delete ? RowKind.DELETE : change.before() == null ? RowKind.INSERT : RowKind.UPDATE_AFTER;
    if (fits(writer.write(message, change, kind), route, message, change)) {
      pending.add(route.table, writer.row(), micros);
    }
  }

  private boolean fits(RowWriter.Outcome outcome, Route route, Message message, Change change)
      throws BadMessageException {
    if (outcome == RowWriter.Outcome.FITS) {
      return true;
    }
    BadMessageException misfit = Objects.requireNonNull(route.writer).misfit();
    SourceTable before = route.table.definition;
    if (grow(route, message, change) && Objects.equals(before, route.table.definition)) {
      throw misfit;
    }
    return false;
  }

  private RowWriter writer(Route route, RoutedTable routed) {
    RowWriter writer = route.writer;
    if (writer == null || route.written != routed) {
      writer =
          RowWriter.of(
              routed.lakeSchema().rowType(), routed.lakeSchema().primaryKeys(), route.metadata);
      route.writer = writer;
      route.written = routed;
    }
    return writer;
  }

  /**
   * Makes the table what the change needs.
   *
   * @return false if it is parked by that
   */
  private boolean grow(Route route, Message message, Change change) throws BadMessageException {
    Table table = route.table;
    SourceTable wanted = route.inference.with(table.definition, change);
    if (table.routed != null && wanted.equals(table.definition)) {
      return true;
    }
    if (wanted.columns().isEmpty()) {
      throw new BadMessageException(
          Reason.INCOMPLETE, "Nothing but nulls: table " + table.id + " gets no column by it.");
    }
    tryOut(route, wanted, message, change);
    Optional<RoutedTable> routed = input().tableChanged(wanted, TableRecords.write(wanted));
    grown = true;
    if (routed.isEmpty()) {
      return false;
    }
    table.definition = wanted;
    table.routed = routed.get();
    return true;
  }

  /** A message that has no place in the wider table either must leave no trace in its columns. */
  private void tryOut(Route route, SourceTable wanted, Message message, Change change)
      throws BadMessageException {
    PlanOptions options =
        new PlanOptions("trial", "trial", 1, List.of(), Map.of(), false, TableKind.GATHERED);
    if (!(TablePlanner.plan(wanted, options, 0) instanceof PlannedTable.Planned planned)) {
      // The gate says why.
      return;
    }
    RowWriter trial = RowWriter.of(planned.schema().rowType(), wanted.primaryKey(), route.metadata);
    RowKind kind = change.kind() == Change.Kind.DELETE ? RowKind.DELETE : RowKind.INSERT;
    if (trial.write(message, change, kind) != RowWriter.Outcome.FITS
        || change.before() != null
            && trial.movesKey(change)
            && trial.writeBefore(message, change) != RowWriter.Outcome.FITS) {
      throw trial.misfit();
    }
  }

  private Route route(Topic topic, Message message, Change change) throws BadMessageException {
    String database = change.database();
    String named = change.table();
    Route last = topic.last;
    if (last != null
        && topic.nameFields.isEmpty()
        && Objects.equals(database, topic.lastDatabase)
        && Objects.equals(named, topic.lastTable)) {
      return last;
    }
    LakeTarget target =
        settings
            .routing()
            .target(message.topic(), database, named, field -> text(change.row(), field))
            .orElseThrow(
                () ->
                    new BadMessageException(
                        Reason.UNROUTED,
                        "The rule of topic "
                            + message.topic()
                            + " makes the table's name of what the message lacks: database "
                            + database
                            + ", table "
                            + named
                            + "."));
    Route route =
        topic.routes.computeIfAbsent(
            target.database() + "\0" + target.table(), name -> newRoute(topic.rule, target));
    topic.last = route;
    topic.lastDatabase = database;
    topic.lastTable = named;
    return route;
  }

  private static @Nullable String text(FieldRow row, String name) {
    int field = row.position(name);
    if (field < 0) {
      return null;
    }
    return switch (row.kind(field)) {
      case TEXT -> row.text(field);
      case LONG -> Long.toString(row.longValue(field));
      default -> null;
    };
  }

  private Route newRoute(@Nullable TopicRule rule, LakeTarget target) {
    SourceTableId id = new SourceTableId(target.database(), target.table());
    Table table = table(id);
    synchronized (tables) {
      table.target =
          new TableTarget(
              target.database(),
              target.table(),
              target.buckets(),
              target.bucketsText(),
              target.partitionBy(),
              target.options(),
              false,
              TableKind.GATHERED,
              TableTarget.Sharing.ALONE);
    }
    Map<String, DataType> declared = new LinkedHashMap<>();
    Map<String, DataType> facts = new LinkedHashMap<>();
    Map<String, MessageFact> metadata = rule == null ? Map.of() : rule.metadata();
    if (rule != null) {
      rule.columns()
          .forEach((name, type) -> declared.put(name, DataTypeText.parse(type).withNullable(true)));
    }
    metadata.forEach((name, fact) -> facts.put(name, MessageFacts.type(fact)));
    return new Route(
        table,
        new TableInference(id, rule == null ? List.of() : rule.primaryKey(), declared, facts),
        metadata);
  }

  /** Hands over what the message has given. */
  private void handOver() {
    Table emptied = truncated;
    if (emptied != null) {
      RoutedTable routed = emptied.routed;
      if (routed != null && !input().isParked(emptied.id)) {
        emptied.routed = input().truncate(routed, 0);
      }
      return;
    }
    pending.forEach(
        (table, row, micros) -> input().row(Objects.requireNonNull(table.routed), row, micros));
  }

  private Taken setAside(Message message, BadMessageException why) {
    pending.clear();
    truncated = null;
    if (settings.onBadRecord() == BadRecordPolicy.FAIL) {
      refused = why;
      return Taken.REFUSED;
    }
    Topic topic = topics.get(message.topic());
    Route last = topic == null ? null : topic.last;
    input()
        .deadLetter(
            new DeadLetter(
                message.topic(),
                message.partition() + "@" + message.offset(),
                last == null || why.reason() == Reason.UNROUTED ? null : last.table.id.toString(),
                message.timestampMillis(),
                why.reason().text(),
                String.valueOf(why.getMessage()),
                message.key(),
                message.value(),
                MessageFacts.headers(message.headers())));
    return Taken.TAKEN;
  }

  /** Why a message was refused: the end of the run. */
  PipelineStoppedException refusal(Message message) {
    BadMessageException why = Objects.requireNonNull(refused);
    return new PipelineStoppedException(
        PipelineStoppedException.Reason.REFUSED,
        "Message "
            + message.place()
            + " can't be taken in ("
            + why.reason().text()
            + "): "
            + why.getMessage()
            + " Everything before it is committed. Correct the rule of its topic; or set"
            + " on-bad-record = dead-letter, which keeps such messages and goes on.",
        why);
  }
}
