package io.sluice.replicator.sources.kafka;

import io.sluice.config.BadRecordPolicy;
import io.sluice.config.LakeTarget;
import io.sluice.config.TopicRule;
import io.sluice.config.TopicRule.MessageFact;
import io.sluice.config.WidePart;
import io.sluice.config.WideRule;
import io.sluice.evolution.SourceTable;
import io.sluice.evolution.SourceTableId;
import io.sluice.evolution.TableKind;
import io.sluice.lsm.schema.DataType;
import io.sluice.lsm.schema.DataTypeText;
import io.sluice.replicator.letters.KeptLetter;
import io.sluice.replicator.letters.LetterWork;
import io.sluice.replicator.messages.BadMessageException;
import io.sluice.replicator.messages.BadMessageException.Reason;
import io.sluice.replicator.messages.Change;
import io.sluice.replicator.messages.FieldRow;
import io.sluice.replicator.messages.Message;
import io.sluice.replicator.messages.MessageFormat;
import io.sluice.replicator.messages.formats.FormatSettings;
import io.sluice.replicator.messages.formats.MessageFormats;
import io.sluice.replicator.messages.rows.MessageFacts;
import io.sluice.replicator.messages.rows.RowColumns.NumbersAsTimes;
import io.sluice.replicator.messages.rows.TableInference;
import io.sluice.sinks.ChangeInput;
import io.sluice.sinks.PipelineStoppedException;
import io.sluice.sinks.RoutedTable;
import io.sluice.sinks.TableRefusedException;
import io.sluice.sinks.TableTarget;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of a message: its format reads it, its topic's rules find the tables of each change,
 * tables become wider where they have to, and the rows are handed over; all of a message, or
 * nothing but a dead letter. Of the source's thread, but for {@link #target}.
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
  private final List<WideTable> wides = new ArrayList<>();
  private final Map<String, Topic> topics = new HashMap<>();
  private final Map<SourceTableId, TopicTable> tables = new ConcurrentHashMap<>();
  private @Nullable Handover handover;
  private @Nullable BadMessageException refused;
  private @Nullable SettledPlaces settled;

  MessageIntake(KafkaSettings settings) {
    this.settings = settings;
    for (WideRule rule : settings.routing().wideRules()) {
      WideTable wide = new WideTable(rule);
      wides.add(wide);
      SourceTable declared = wide.declared();
      aim(wide, declared == null ? new SourceTable(wide.id(), List.of(), List.of()) : declared);
    }
  }

  /** A topic, by its rules. */
  private static final class Topic {
    final MessageFormat format;
    final NumbersAsTimes numbers;
    final @Nullable TopicRule rule;
    final List<String> nameFields;
    final List<PartRoute> parts;

    /** Whether rows go to a table of their own, too. */
    final boolean copies;

    final Map<String, CopyRoute> routes = new HashMap<>();
    // Of the last message: most of a topic's go to one table.
    @Nullable CopyRoute last;
    @Nullable String lastDatabase;
    @Nullable String lastTable;

    Topic(
        MessageFormat format,
        NumbersAsTimes numbers,
        @Nullable TopicRule rule,
        List<String> nameFields,
        List<PartRoute> parts) {
      this.format = format;
      this.numbers = numbers;
      this.rule = rule;
      this.nameFields = nameFields;
      this.parts = parts;
      this.copies = rule != null || parts.isEmpty();
    }
  }

  /** Where a table goes: to the lake table of the same name. Thread safe. */
  TableTarget target(SourceTableId id) {
    TopicTable known = tables.get(id);
    return (known == null ? new TopicTable(id) : known).target();
  }

  private TopicTable table(SourceTableId id) {
    return tables.computeIfAbsent(id, TopicTable::new);
  }

  /** Takes up the tables that the pipeline has. */
  void begin(ChangeInput changes, List<String> history) {
    handover = new Handover(changes);
    for (SourceTable definition : TableRecords.read(history)) {
      for (WideTable wide : wides) {
        if (wide.id().equals(definition.id())) {
          aim(wide, definition);
        }
      }
      table(definition.id()).become(definition, changes.restoreTable(definition).orElse(null));
    }
  }

  private Handover handover() {
    return Objects.requireNonNull(handover, "begin comes first");
  }

  /** Takes one message. */
  Taken take(Message message) {
    Handover current = handover();
    try {
      read(message);
    } catch (BadMessageException e) {
      current.begin();
      return setAside(message, e);
    }
    current.handOver();
    return current.truncates() ? Taken.TRUNCATED : Taken.TAKEN;
  }

  private void noteSettled(Message message, @Nullable String table) {
    SettledPlaces places = settled;
    if (places != null) {
      places.add(message.topic(), new Letters.Place(message.partition(), message.offset(), table));
    }
  }

  /** From here on it is noted which messages are set aside; null: no more. */
  void notesSettled(@Nullable SettledPlaces places) {
    settled = places;
  }

  /**
   * Takes one message for a table that catches up, and for no other.
   *
   * @throws TableRefusedException the table can't become what the message needs: nothing of it was
   *     taken
   */
  Taken takeFor(SourceTableId id, Message message) {
    Handover current = handover();
    current.catchesUp(id);
    boolean taken = false;
    try {
      read(message);
      current.handOver();
      taken = true;
      return current.truncates() ? Taken.TRUNCATED : Taken.TAKEN;
    } catch (BadMessageException e) {
      if (settings.onBadRecord() == BadRecordPolicy.FAIL) {
        refused = e;
        return Taken.REFUSED;
      }
      current.input().deadLetter(Letters.letterOf(id, message, e));
      noteSettled(message, id.toString());
      return Taken.TAKEN;
    } finally {
      if (!taken) {
        current.begin();
      }
      current.catchesUp(null);
    }
  }

  /** Why a message that was taken for one table was refused. */
  String refusalFor(Message message) {
    BadMessageException why = Objects.requireNonNull(refused);
    return "Message "
        + message.place()
        + " can't be taken in ("
        + why.reason().text()
        + "): "
        + why.getMessage()
        + " Correct the rule of its topic; or set on-bad-record = dead-letter, which keeps such"
        + " messages and goes on.";
  }

  /**
   * Whether messages of a topic may fill a table: rules that make its name of what a message names
   * can't tell before it is read.
   */
  boolean mayFill(SourceTableId id, String topic) {
    boolean isPart = false;
    for (WideTable wide : wides) {
      for (WidePart part : wide.rule().parts()) {
        if (part.match().isPresent() && part.match().get().matches(topic)) {
          isPart = true;
          if (wide.id().equals(id)) {
            return true;
          }
        }
      }
    }
    Optional<TopicRule> rule = settings.routing().rule(topic);
    if (isPart && rule.isEmpty()) {
      return false;
    }
    return rule.flatMap(TopicRule::into).isEmpty()
        || settings
            .routing()
            .target(topic, null, null, field -> null)
            .map(
                target ->
                    target.database().equals(id.database()) && target.table().equals(id.table()))
            .orElse(true);
  }

  /** A table as it stood when it was left behind; null: nothing is known of it. */
  @Nullable SourceTable definition(SourceTableId id) {
    SourceTable known = table(id).definition();
    for (WideTable wide : wides) {
      if (wide.id().equals(id)) {
        SourceTable declared = known == null ? wide.declared() : known;
        aim(wide, declared == null ? new SourceTable(id, List.of(), List.of()) : declared);
      }
    }
    return known;
  }

  /** The table takes rows again. */
  void catchesUp(SourceTableId id, Optional<RoutedTable> routed) {
    TopicTable table = table(id);
    table.become(table.definition(), routed.orElse(null));
  }

  private void read(Message message) throws BadMessageException {
    Topic topic = topics.computeIfAbsent(message.topic(), this::topic);
    Handover current = handover();
    do {
      current.begin();
      topic.format.read(message, change -> take(topic, message, change));
    } while (current.grown());
  }

  private Topic topic(String name) {
    FormatSettings messages = settings.formatSettings(settings.routing().messages(name));
    NumbersAsTimes numbers = MessageFormats.numbersAsTimes(messages);
    List<PartRoute> parts = new ArrayList<>();
    for (WideTable wide : wides) {
      for (WidePart part : wide.rule().parts()) {
        if (part.match().isPresent() && part.match().get().matches(name)) {
          parts.add(
              new PartRoute(
                  handover(),
                  table(wide.id()),
                  wide,
                  part,
                  definition -> aim(wide, definition),
                  numbers));
        }
      }
    }
    return new Topic(
        MessageFormats.create(messages),
        numbers,
        settings.routing().rule(name).orElse(null),
        settings.routing().nameFields(name),
        parts);
  }

  private void take(Topic topic, Message message, Change change) throws BadMessageException {
    for (PartRoute part : topic.parts) {
      if (handover().wants(part.table()) && part.takesFrom(change.database(), change.table())) {
        part.take(message, change);
      }
    }
    if (topic.copies) {
      CopyRoute route = copyRoute(topic, message, change);
      if (handover().wants(route.table())) {
        route.take(message, change);
      }
    }
  }

  private CopyRoute copyRoute(Topic topic, Message message, Change change)
      throws BadMessageException {
    String database = change.database();
    String named = change.table();
    CopyRoute last = topic.last;
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
    CopyRoute route =
        topic.routes.computeIfAbsent(
            target.database() + "\0" + target.table(), name -> newRoute(topic, target));
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

  private CopyRoute newRoute(Topic topic, LakeTarget target) {
    TopicRule rule = topic.rule;
    SourceTableId id = new SourceTableId(target.database(), target.table());
    TopicTable table = table(id);
    table.aim(
        new TableTarget(
            target.database(),
            target.table(),
            target.buckets(),
            target.bucketsText(),
            target.partitionBy(),
            target.options(),
            false,
            TableKind.GATHERED,
            TableTarget.Sharing.ALONE));
    Map<String, DataType> declared = new LinkedHashMap<>();
    Map<String, DataType> facts = new LinkedHashMap<>();
    Map<String, MessageFact> metadata = rule == null ? Map.of() : rule.metadata();
    if (rule != null) {
      rule.columns()
          .forEach((name, type) -> declared.put(name, DataTypeText.parse(type).withNullable(true)));
    }
    metadata.forEach((name, fact) -> facts.put(name, MessageFacts.type(fact)));
    return new CopyRoute(
        handover(),
        table,
        new TableInference(id, rule == null ? List.of() : rule.primaryKey(), declared, facts),
        metadata,
        topic.numbers);
  }

  /** A wide table with these columns. */
  private void aim(WideTable wide, SourceTable definition) {
    table(wide.id()).aim(wide.target(settings.routing().target(wide.rule()), definition));
  }

  private Taken setAside(Message message, BadMessageException why) {
    if (settings.onBadRecord() == BadRecordPolicy.FAIL) {
      refused = why;
      return Taken.REFUSED;
    }
    handover().input().deadLetter(Letters.letter(message, meantFor(message.topic(), why), why));
    noteSettled(message, null);
    return Taken.TAKEN;
  }

  /** The table of a topic's messages, as far as it can be told. */
  private @Nullable String meantFor(String name, BadMessageException why) {
    Topic topic = topics.get(name);
    if (topic == null || why.reason() == Reason.UNROUTED) {
      return null;
    }
    CopyRoute last = topic.last;
    if (last != null) {
      return last.table().id().toString();
    }
    return topic.parts.isEmpty() ? null : topic.parts.get(0).table().id().toString();
  }

  /**
   * Takes a dead letter in by the rules of now, or drops it, and marks it so.
   *
   * @param sourceTimeMicros of the newest message
   * @return why it still waits; empty: it doesn't
   */
  Optional<String> settle(LetterWork work, KeptLetter kept, long sourceTimeMicros) {
    if (work == LetterWork.REPLAY) {
      String hindrance = replay(kept, sourceTimeMicros);
      if (hindrance != null) {
        return Optional.of(hindrance);
      }
      SettledPlaces places = settled;
      Letters.Place place = Letters.Place.parse(kept.letter().position());
      if (places != null && place != null) {
        places.addReplayed(kept.letter().source(), place);
      }
    }
    for (int i = 0; i < kept.waiting(); i++) {
      handover().input().deadLetterNow(kept.withoutBytes(), work.outcome(), kept.sequence());
    }
    return Optional.empty();
  }

  private @Nullable String replay(KeptLetter kept, long sourceTimeMicros) {
    Handover current = handover();
    current.replays(kept);
    try {
      Message message = Letters.message(kept.letter());
      Letters.Place place = Letters.Place.parse(kept.letter().position());
      current.isFor(place == null || place.table() == null ? null : tableNamed(place.table()));
      read(message);
      return current.handOver(kept, sourceTimeMicros);
    } catch (BadMessageException e) {
      return e.reason().text() + ": " + e.getMessage();
    } finally {
      current.replays(null);
      current.isFor(null);
      current.begin();
    }
  }

  /** By the name that a letter has it under. */
  private SourceTableId tableNamed(String name) throws BadMessageException {
    for (SourceTableId id : tables.keySet()) {
      if (id.toString().equals(name)) {
        return id;
      }
    }
    throw new BadMessageException(Reason.UNROUTED, "Table " + name + " is not known.");
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
