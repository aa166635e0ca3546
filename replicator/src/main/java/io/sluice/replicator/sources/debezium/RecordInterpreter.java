package io.sluice.replicator.sources.debezium;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.evolution.SourceTable;
import io.sluice.evolution.SourceTableId;
import io.sluice.lsm.row.RowKind;
import io.sluice.replicator.values.MySqlFlavor;
import io.sluice.replicator.values.UnencodableValueException;
import io.sluice.replicator.values.ValueEncoders;
import io.sluice.sinks.ChangeInput;
import io.sluice.sinks.PartCopy;
import io.sluice.sinks.PipelineStoppedException;
import io.sluice.sinks.PipelineStoppedException.Reason;
import io.sluice.sinks.RoutedTable;
import io.sluice.sinks.TableRefusedException;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.source.SourceRecord;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Debezium's records, in order, to {@link ChangeInput}, and where to cut.
 *
 * <p>Invariants. A position is handed on only when everything before it has been handed over and
 * nothing behind it:
 *
 * <ol>
 *   <li>at a transaction's END. With GTIDs: what was complete before, united with this one's id.
 *       Without: END's own offset, which is the transaction's begin and the events to skip;
 *   <li>behind a DDL, once it is known that no further record of it comes (one statement may give
 *       several): at the next transaction's begin, or when the server is idle;
 *   <li>behind a TRUNCATE, which is one record and a transaction of its own;
 *   <li>never while the schemas are being read, nor before the stream has passed the place where
 *       the server stood when they had been read: a DDL before that place could be in them or not;
 *   <li>never once the session has a fault.
 * </ol>
 *
 * <p>Row events outside a transaction (XA on MySQL), a transaction that begins before the one under
 * way has ended, and an END that counts other rows than came, all end the source: what they stand
 * for can't be told.
 *
 * <p>One thread: the engine's task thread.
 */
final class RecordInterpreter {

  private static final Logger LOG = LoggerFactory.getLogger(RecordInterpreter.class);

  private final MySqlFlavor flavor;
  private final String schemaTopic;
  private final String transactionTopic;
  private final EngineSession session;
  private final ChangeInput input;
  private final SchemaChanges schemas;
  private final ValueEncoders encoders;
  private final ReadEnd readEnd;
  private final SourceWatch watch;
  private final Map<Schema, TableReader> readers = new IdentityHashMap<>();

  private @Nullable String open;
  private boolean openStandalone;
  private long openRecords;

  /** What was said of the transaction under way when a batch ended inside it. */
  private boolean openTold;

  private long newestChangeMicros;
  private @Nullable PendingDdl pendingDdl;
  private @Nullable BinlogPoint schemasReadAt;
  private @Nullable BinlogPosition newest;

  /** Whether the definitions are surely those of the stream's place. */
  private volatile boolean definitionsAreSure;

  /**
   * Captured tables, parked ones too, of which the stream has lost rows that the consumer hasn't
   * come to yet, and where it will have passed them.
   */
  private final Map<SourceTableId, BinlogPoint> lostUpTo = new HashMap<>();

  /**
   * Tables whose rows don't fit their definition, with the one that is wrong once somebody has
   * asked for a copy: a loss is known before the statements that come ahead of it are read.
   */
  private final Map<SourceTableId, Optional<SourceTable>> misread = new HashMap<>();

  /** A DDL that has been handed over and may have further records. */
  private record PendingDdl(BinlogPosition behind, @Nullable String gtid) {}

  /** Asks the server for the end of its binlog. */
  interface ReadEnd {
    BinlogPoint binlogEnd();
  }

  /** Hears how far the stream has come. */
  interface SourceWatch {
    void delivered(DeliveredMark mark);

    void passed(BinlogPoint point);
  }

  RecordInterpreter(
      MySqlFlavor flavor,
      String topicPrefix,
      EngineSession session,
      ChangeInput input,
      SchemaChanges schemas,
      ValueEncoders encoders,
      ReadEnd readEnd,
      SourceWatch watch,
      @Nullable BinlogPosition start) {
    this.flavor = flavor;
    this.schemaTopic = topicPrefix;
    this.transactionTopic = topicPrefix + ".transaction";
    this.session = session;
    this.input = input;
    this.schemas = schemas;
    this.encoders = encoders;
    this.readEnd = readEnd;
    this.watch = watch;
    this.newest = start;
    this.definitionsAreSure = start != null;
  }

  /**
   * False from the reading of the definitions, beside the running server, until the stream has
   * passed the place where the server stood by then. Any thread.
   */
  boolean definitionsAreSure() {
    return definitionsAreSure;
  }

  /** What a failure is when the definitions may have been changed while they were read. */
  static PipelineStoppedException readDefinitionsAgain(PipelineStoppedException failure) {
    return new PipelineStoppedException(
        Reason.UNREACHABLE,
        "While the tables' definitions were read, a statement changed them: reading them again ("
            + failure.getMessage()
            + ")",
        failure);
  }

  void accept(SourceRecord record) {
    leaveLostBehind();
    if (!(record.value() instanceof Struct value)) {
      return; // A tombstone: its delete came before it.
    }
    TableReader known = readers.get(record.valueSchema());
    if (known != null) {
      change(record, value, known);
      return;
    }
    String topic = record.topic();
    if (topic.equals(transactionTopic)) {
      transaction(record, value);
    } else if (topic.equals(schemaTopic)) {
      schemaChange(record, value);
    } else if (value.schema().field("op") != null) {
      change(record, value, newReader(record.valueSchema(), value));
    } else {
      throw protect("A record of an unknown kind came on topic " + topic);
    }
  }

  /** After each batch: tells of a transaction that goes on in the next. */
  void batchEnded() {
    if (open != null && openRecords > 0 && LOG.isDebugEnabled()) {
      openTold = true;
      LOG.debug("Inside transaction {}: {} changes so far", open, openRecords);
    }
  }

  /**
   * Between two batches, on the task thread: the server is idle, and everything before this point
   * was consumed.
   */
  void idleAt(BinlogPoint point) {
    leaveLostBehind();
    passed(point);
    schemas.passed(point);
    BinlogPosition now = newest;
    if (open != null && !openStandalone) {
      return;
    }
    if (pendingDdl != null) {
      open = null;
      completeDdl();
    } else if (now != null && now.gtids() == null) {
      if (now.point().equals(point) && schemasReadAt == null) {
        return;
      }
      guardAgainstWrap(now.point(), point);
      open = null;
      cut(new BinlogPosition(null, point, 0, now.timeSeconds()), point);
    } else if (now != null && schemasReadAt != null) {
      cut(now, point);
    }
  }

  /** Whether the definitions of all tables are known: before, no table can be asked for. */
  boolean knowsDefinitions() {
    return newest != null && schemasReadAt == null;
  }

  /**
   * Tables that have lost rows are parked at once, though the place of the loss may be further on:
   * then they stand at an older epoch, and everything handed over of them by now is dropped.
   */
  private void leaveLostBehind() {
    for (LostRows rows : session.takeLost()) {
      lostUpTo.merge(rows.table(), rows.behind(), (a, b) -> a.compareTo(b) > 0 ? a : b);
      if (schemas.isParked(rows.table())) {
        continue;
      }
      if (rows.cause() == LostRows.Cause.DEFINITION && !definitionsAreSure) {
        throw readDefinitionsAgain(new WrongDefinitionException(rows.reason(), null));
      }
      if (rows.cause() == LostRows.Cause.DEFINITION) {
        misread.put(rows.table(), Optional.empty());
      }
      if (!schemas.park(rows.table(), rows.reason())) {
        throw new PipelineStoppedException(Reason.REFUSED, rows.reason());
      }
      readers.clear();
    }
  }

  /**
   * Whether the table can be asked for: a copy that begins before the stream has passed lost rows
   * might be read before the server shows them.
   */
  boolean isPastLosses(SourceTableId table) {
    leaveLostBehind();
    return !lostUpTo.containsKey(table);
  }

  private void passed(BinlogPoint point) {
    watch.passed(point);
    lostUpTo.values().removeIf(behind -> point.compareTo(behind) >= 0);
  }

  /** See {@link SchemaChanges#resync}; between two records. */
  void resync(SourceTableId table, @Nullable PartCopy part) {
    Optional<SourceTable> wrong = misread.get(table);
    Optional<SourceTable> now = Optional.ofNullable(schemas.definition(table));
    if (wrong != null && (wrong.isEmpty() || wrong.equals(now))) {
      misread.put(table, now);
      throw new TableRefusedException(
          table,
          "The definition of "
              + table
              + " is not known, its rows don't fit the one that was read: a copy would go by the"
              + " wrong one. Ask for sluice resync -c FILE --all and start the daemon anew, which"
              + " reads all definitions again.");
    }
    misread.remove(table);
    schemas.resync(table, part);
    readers.clear();
  }

  private void transaction(SourceRecord record, Struct value) {
    String id = value.getString("id");
    Map<String, ?> offset = record.sourceOffset();
    BinlogPosition position = BinlogPosition.ofOffset(offset, flavor);
    if ("BEGIN".equals(value.getString("status"))) {
      begin(id, position);
    } else {
      end(id, position, value.getInt64("event_count"), value.getInt64("ts_ms"));
    }
  }

  private void begin(String id, BinlogPosition position) {
    if (id.equals(open)) {
      throw unreachable("Transaction " + id + " began twice: the binlog was read anew within it");
    }
    if (open != null && openRecords > 0) {
      throw unfinished(open);
    }
    guardOrder(position.point());
    passed(position.point());
    BinlogPosition before =
        position.gtids() == null
            ? new BinlogPosition(null, position.point(), 0, position.timeSeconds())
            : position;
    if (pendingDdl != null) {
      pendingDdl = null;
      cut(before, position.point());
    } else if (schemasReadAt != null) {
      cut(before, position.point());
    }
    open = id;
    openRecords = 0;
    openStandalone = session.takeStandalone(id);
    newest = before;
    watch.delivered(
        new DeliveredMark(
            position.gtids(), position.gtids() == null ? null : id, position.point().justBehind()));
  }

  private void end(
      String id, BinlogPosition position, @Nullable Long eventCount, @Nullable Long timeMillis) {
    if (!id.equals(open)) {
      throw protect("Transaction " + id + " ended but " + open + " was under way");
    }
    if (eventCount == null || eventCount != openRecords) {
      throw protect(
          "Transaction "
              + id
              + " has "
              + eventCount
              + " changes but "
              + openRecords
              + " were delivered");
    }
    if (openTold) {
      openTold = false;
      LOG.debug("At the end of transaction {}: {} changes", id, openRecords);
    }
    open = null;
    pendingDdl = null;
    BinlogPosition behind = position.gtids() == null ? position : position.after(gtid(id));
    long micros =
        openRecords > 0 || timeMillis == null
            ? newestChangeMicros
            : Math.max(newestChangeMicros, timeMillis * 1000);
    newestChangeMicros = micros;
    cut(behind, position.point());
  }

  private String gtid(String id) {
    if (id.startsWith("file=")) {
      throw new PipelineStoppedException(
          Reason.REFUSED,
          "The source wrote the transaction "
              + id
              + " without a GTID though it has written others with one: positions by GTID would"
              + " skip it. Set gtid_mode=ON for good.");
    }
    return id;
  }

  private void change(SourceRecord record, Struct value, TableReader reader) {
    char operation = reader.operation(value);
    if (operation == 't') {
      truncate(record, value, reader);
      return;
    }
    if (open == null) {
      throw new PipelineStoppedException(
          Reason.REFUSED,
          "The source logged rows outside a transaction, as it does for XA transactions at their"
              + " PREPARE, whether they are committed or not (at "
              + place(record)
              + "). XA transactions on captured tables are not supported.");
    }
    openRecords++;
    if (reader.passesOver()) {
      return;
    }
    long micros = reader.timeMicros(value);
    newestChangeMicros = Math.max(newestChangeMicros, micros);
    RoutedTable table = reader.table();
    SourceTableId id = tableOf(value.getStruct("source"));
    try {
      if (table != null) {
        copy(table, operation, value, reader, micros);
      }
    } catch (UnencodableValueException e) {
      leaveBehind(e, record, reason -> schemas.park(id, reason));
      return;
    }
    try {
      for (PartWriter part : reader.parts()) {
        fill(part, operation, value, reader, micros);
      }
    } catch (UnencodableValueException e) {
      // A table's own copy takes what a wide table can't.
      leaveBehind(e, record, reason -> schemas.parkParts(id, reason));
    }
  }

  private void leaveBehind(
      UnencodableValueException why, SourceRecord record, Predicate<String> parking) {
    String reason = why.getMessage() + " (at " + place(record) + ")";
    if (!parking.test(reason)) {
      throw new PipelineStoppedException(Reason.REFUSED, reason, why);
    }
    readers.clear();
  }

  private void copy(
      RoutedTable table, char operation, Struct value, TableReader reader, long micros) {
    StructRowConverter converter = reader.converter();
    switch (operation) {
      case 'c', 'r' ->
          input.row(table, converter.convert(reader.after(value), RowKind.INSERT), micros);
      case 'u' ->
          input.row(table, converter.convert(reader.after(value), RowKind.UPDATE_AFTER), micros);
      case 'd' -> input.row(table, converter.convert(reader.before(value), RowKind.DELETE), micros);
      default -> {
        // A message ('m') concerns no row.
      }
    }
  }

  private void fill(
      PartWriter part, char operation, Struct value, TableReader reader, long micros) {
    switch (operation) {
      case 'c', 'r' -> part.inserted(reader.after(value), micros, input);
      case 'u' -> part.updated(reader.before(value), reader.after(value), micros, input);
      case 'd' -> part.deleted(reader.before(value), micros, input);
      default -> {
        // A message ('m') concerns no row.
      }
    }
  }

  private TableReader newReader(Schema envelope, Struct value) {
    SourceTableId id = tableOf(value.getStruct("source"));
    RoutedTable table = null;
    if (schemas.isCaptured(id)) {
      table = schemas.table(id);
      if (table == null && schemas.isCopied(id) && !schemas.isParked(id)) {
        throw protect("A change of " + id + " came before the table's definition");
      }
    }
    TableReader reader;
    try {
      reader = new TableReader(envelope, table, schemas.parts(id), encoders);
    } catch (TableRefusedException | UnencodableValueException e) {
      if (!schemas.park(id, String.valueOf(e.getMessage()))) {
        throw e;
      }
      reader = new TableReader(envelope, null, List.of(), encoders);
    }
    readers.put(envelope, reader);
    return reader;
  }

  private static SourceTableId tableOf(Struct source) {
    return new SourceTableId(source.getString("db"), source.getString("table"));
  }

  private void truncate(SourceRecord record, Struct value, TableReader reader) {
    String gtid = value.getStruct("source").getString("gtid");
    BinlogPosition position = BinlogPosition.ofOffset(record.sourceOffset(), flavor);
    requireAlone(gtid, record);
    if (pendingDdl != null) {
      completeDdl();
    }
    BinlogPosition behind = statementBehind(position, gtid);
    newest = behind;
    watch.delivered(new DeliveredMark(position.gtids(), gtid, position.point().justBehind()));
    open = null;
    if (!reader.parts().isEmpty()) {
      refuseTruncate(tableOf(value.getStruct("source")), record);
    }
    RoutedTable table = reader.table();
    if (table == null) {
      return;
    }
    long micros = reader.timeMicros(value);
    newestChangeMicros = Math.max(newestChangeMicros, micros);
    RoutedTable emptied = input.truncate(table, micros);
    schemas.put(emptied);
    readers.clear();
    // It ends its epoch: whatever stands against a cut here stands against going on.
    if (schemasReadAt != null) {
      throw startOver("a TRUNCATE of " + emptied.source().id());
    }
    cut(behind, position.point());
  }

  private void refuseTruncate(SourceTableId id, SourceRecord record) {
    String reason =
        "A TRUNCATE of "
            + id
            + " (at "
            + place(record)
            + ") would have to clear its columns in every row of the wide tables that it fills,"
            + " which no record can say. Delete the rows instead.";
    if (!schemas.parkParts(id, reason)) {
      throw new PipelineStoppedException(Reason.REFUSED, reason);
    }
    readers.clear();
  }

  /** A DDL or TRUNCATE must not stand inside a transaction that changed rows. */
  private void requireAlone(@Nullable String gtid, SourceRecord record) {
    if (open != null && openRecords > 0) {
      throw unfinished(open);
    }
    requireSameTransaction(gtid, record);
  }

  private void requireSameTransaction(@Nullable String gtid, SourceRecord record) {
    if (open != null && gtid != null && !gtid.equals(open)) {
      throw protect(
          "A statement of transaction " + gtid + " came within " + open + " at " + place(record));
    }
  }

  private static BinlogPosition statementBehind(BinlogPosition position, @Nullable String gtid) {
    if (position.gtids() == null) {
      return position;
    }
    if (gtid == null) {
      throw protect("A statement without a GTID came at " + position.point());
    }
    return position.after(gtid);
  }

  private void schemaChange(SourceRecord record, Struct value) {
    Struct source = value.getStruct("source");
    String snapshot = source.getString("snapshot");
    boolean inSnapshot = snapshot != null && !snapshot.equals("false");
    JsonNode stored = takeStored(value.getString("ddl"));
    if (inSnapshot) {
      snapshotRecord(record, stored);
      return;
    }
    String gtid = source.getString("gtid");
    requireSameTransaction(gtid, record);
    BinlogPosition position = BinlogPosition.ofOffset(record.sourceOffset(), flavor);
    if (schemasReadAt != null && position.point().compareTo(schemasReadAt) <= 0) {
      throw startOver("\"" + StatementRules.excerpt(HistoryRecords.ddl(stored)) + "\"");
    }
    boolean ownTransaction = open == null || openStandalone || flavor == MySqlFlavor.MARIADB;
    PendingDdl pending = pendingDdl;
    boolean sameStatement =
        pending != null && Objects.equals(pending.gtid, gtid) && samePlace(pending, position);
    if (pending != null && !sameStatement) {
      completeDdl();
    }
    Long millis = source.getInt64("ts_ms");
    newestChangeMicros = Math.max(newestChangeMicros, millis == null ? 0 : millis * 1000);
    if (open == null) {
      watch.delivered(new DeliveredMark(position.gtids(), gtid, position.point().justBehind()));
    }
    schemas.changed(stored);
    readers.clear();
    if (ownTransaction) {
      BinlogPosition behind = statementBehind(position, gtid);
      newest = behind;
      pendingDdl = new PendingDdl(behind, gtid);
    }
  }

  private static boolean samePlace(PendingDdl pending, BinlogPosition position) {
    return position.gtids() != null || pending.behind.point().equals(position.point());
  }

  private void snapshotRecord(SourceRecord record, JsonNode stored) {
    schemas.defined(stored);
    Map<String, ?> offset = record.sourceOffset();
    if (offset.containsKey(BinlogPosition.SNAPSHOT)) {
      return;
    }
    schemas.allDefined();
    // The last one: from here on the offset is one that a restart may use.
    BinlogPosition position = BinlogPosition.ofOffset(offset, flavor);
    newest = position;
    watch.delivered(new DeliveredMark(position.gtids(), null, position.point()));
    schemasReadAt = readEnd.binlogEnd();
    cut(position, position.point());
  }

  /** The n-th stored history record belongs to the n-th schema change of the stream. */
  private JsonNode takeStored(@Nullable String ddl) {
    JsonNode stored = session.takeStored();
    if (stored == null || !Objects.equals(HistoryRecords.ddl(stored), ddl == null ? "" : ddl)) {
      throw protect(
          "The schema history does not go with the stream: \""
              + StatementRules.excerpt(ddl == null ? "" : ddl)
              + "\" came with "
              + (stored == null
                  ? "nothing"
                  : "\"" + StatementRules.excerpt(HistoryRecords.ddl(stored)) + "\""));
    }
    return stored;
  }

  private void completeDdl() {
    PendingDdl pending = Objects.requireNonNull(pendingDdl);
    pendingDdl = null;
    cut(pending.behind, pending.behind.point());
  }

  /**
   * @param reached the stream has passed this point of the binlog
   */
  private void cut(BinlogPosition position, BinlogPoint reached) {
    PipelineStoppedException fault = session.fault();
    if (fault != null) {
      throw fault;
    }
    leaveLostBehind();
    newest = position;
    BinlogPoint barrier = schemasReadAt;
    if (barrier != null) {
      if (reached.compareTo(barrier) < 0) {
        return;
      }
      schemasReadAt = null;
      definitionsAreSure = true;
    }
    schemas.passed(reached);
    input.cutPoint(position.toSourcePosition(), newestChangeMicros);
  }

  /** Without GTIDs the point is the position: it must not go back, as it does past 4 GiB. */
  private void guardOrder(BinlogPoint point) {
    BinlogPosition last = newest;
    if (last != null && last.gtids() == null) {
      guardAgainstWrap(last.point(), point);
    }
  }

  private static void guardAgainstWrap(BinlogPoint last, BinlogPoint point) {
    if (point.compareTo(last) < 0) {
      throw protect(
          "The binlog's position went back from "
              + last
              + " to "
              + point
              + ", as it does in a file of more than 4 GiB. Such a file can be followed only with"
              + " gtid_mode=ON");
    }
  }

  private static String place(SourceRecord record) {
    return String.valueOf(record.sourceOffset());
  }

  private PipelineStoppedException unfinished(String transaction) {
    return flavor == MySqlFlavor.MARIADB
        ? new PipelineStoppedException(
            Reason.REFUSED,
            "Transaction "
                + transaction
                + " changed captured tables and has no end, as an XA transaction at its PREPARE:"
                + " whether its rows were committed can't be told. XA transactions on captured"
                + " tables are not supported.")
        : protect("Transaction " + transaction + " has rows and no end");
  }

  private static PipelineStoppedException startOver(String why) {
    return unreachable(
        "While the tables' definitions were read, " + why + " changed them: reading them again");
  }

  private static PipelineStoppedException unreachable(String message) {
    return new PipelineStoppedException(Reason.UNREACHABLE, message);
  }

  private static PipelineStoppedException protect(String message) {
    return new PipelineStoppedException(Reason.PROTECTED, message);
  }
}
