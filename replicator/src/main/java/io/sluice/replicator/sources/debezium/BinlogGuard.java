package io.sluice.replicator.sources.debezium;

import com.github.shyiko.mysql.binlog.BinaryLogClient;
import com.github.shyiko.mysql.binlog.event.Event;
import com.github.shyiko.mysql.binlog.event.EventData;
import com.github.shyiko.mysql.binlog.event.EventHeaderV4;
import com.github.shyiko.mysql.binlog.event.EventType;
import com.github.shyiko.mysql.binlog.event.MariadbGtidEventData;
import com.github.shyiko.mysql.binlog.event.QueryEventData;
import com.github.shyiko.mysql.binlog.event.RowsQueryEventData;
import com.github.shyiko.mysql.binlog.event.TableMapEventData;
import com.github.shyiko.mysql.binlog.event.TransactionPayloadEventData;
import com.github.shyiko.mysql.binlog.event.deserialization.EventDeserializer.EventDataWrapper;
import io.debezium.connector.binlog.event.EventDataDeserializationExceptionData;
import io.debezium.relational.Column;
import io.debezium.relational.Table;
import io.sluice.evolution.SourceTableId;
import io.sluice.replicator.sources.debezium.RowReaders.RowsHead;
import io.sluice.sinks.PipelineStoppedException;
import io.sluice.sinks.PipelineStoppedException.Reason;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Sees each binlog event before Debezium does, on the client's thread. Looks for what Debezium
 * passes over in silence or dies of.
 *
 * <p>Where the table is known whose rows are lost, and Debezium can go on behind them, that table
 * is lost alone ({@link EngineSession#lost}): partial JSON updates, compressed MariaDB rows, rows
 * without all columns, dates that no calendar has, rows of a table whose definition Debezium has
 * got wrong ({@link LoggedColumns}), a table that is replaced. Debezium finds no rows in such an
 * event. A pipeline that parks no tables stops there.
 *
 * <p>The source stops at changes logged as statements, a rolled back mix of engines, other unknown
 * events and those that can't be read. Also notices a lost connection, of which Debezium's listener
 * says nothing.
 */
final class BinlogGuard
    implements BinaryLogClient.EventListener, BinaryLogClient.LifecycleListener {

  /** MariaDB's GTID event flag: one statement, no commit event follows. */
  private static final int FL_STANDALONE = 1;

  private final EngineSession session;
  private final Supplier<@Nullable String> binlogFile;
  private final Consumer<Throwable> failEngine;
  private final BiFunction<String, String, @Nullable Table> definitions;
  private final LoggedColumns columns;
  private final RowsStatement statement;
  private final RowReaders readers;

  /** Tables by number whose rows don't fit their definition, and why. */
  private final Map<Long, String> misread = new HashMap<>();

  /** In a transaction that was committed before, and comes again: a position without GTIDs. */
  private boolean repeated;

  /** Where the compressed transaction ends whose events are looked at; 0 outside of one. */
  private long payloadEnd;

  /**
   * @param binlogFile the file that the client reads now
   * @param failEngine ends the engine's polling with this error
   * @param definitions of captured tables as Debezium knows them now, by database and table; null
   *     for others
   * @param statement that comes now
   * @param readers of its rows
   */
  BinlogGuard(
      EngineSession session,
      Supplier<@Nullable String> binlogFile,
      Consumer<Throwable> failEngine,
      BiFunction<String, String, @Nullable Table> definitions,
      LoggedColumns columns,
      RowsStatement statement,
      RowReaders readers) {
    this.session = session;
    this.binlogFile = binlogFile;
    this.failEngine = failEngine;
    this.definitions = definitions;
    this.columns = columns;
    this.statement = statement;
    this.readers = readers;
    this.repeated = session.repeatsATransaction();
  }

  @Override
  public void onEvent(Event event) {
    session.eventSeen();
    EventType type = event.getHeader().getEventType();
    if (type != EventType.HEARTBEAT) {
      session.serverBusy();
    }
    switch (type) {
      case TABLE_MAP -> tableMap(data(event));
      case WRITE_ROWS, EXT_WRITE_ROWS, UPDATE_ROWS, EXT_UPDATE_ROWS, DELETE_ROWS, EXT_DELETE_ROWS ->
          rows(event);
      case ROWS_QUERY -> statement.text(((RowsQueryEventData) data(event)).getQuery());
      case QUERY -> query(event);
      case GTID, ANONYMOUS_GTID -> statement.ended();
      case XID -> transactionEnded();
      case MARIADB_GTID -> mariaDbGtid(event);
      case HEARTBEAT -> serverIdle(event);
      case TRANSACTION_PAYLOAD -> payload(event);
      case PARTIAL_UPDATE_ROWS_EVENT -> partialJson(event);
      case UNKNOWN -> unknown(event);
      case INCIDENT -> incident(event);
      default -> {}
    }
  }

  private void payload(Event event) {
    TransactionPayloadEventData payload = data(event);
    payloadEnd = event.getHeader() instanceof EventHeaderV4 header ? header.getNextPosition() : 0;
    payload.getUncompressedEvents().forEach(this::onEvent);
    payloadEnd = 0;
  }

  private void rows(Event event) {
    RowsEvent rows = RowsEvent.of(data(event));
    TableMapEventData logged = rows == null ? null : statement.tables().get(rows.tableNumber());
    boolean impossibleDate = readers.takeImpossibleDate();
    if (rows != null && logged != null) {
      String misfit = misread.get(rows.tableNumber());
      String lacking = RowsStatement.lacking(logged, rows.images()).orElse(null);
      if (misfit != null) {
        rows.empty().run();
        lose(event, List.of(RowsStatement.id(logged)), LostRows.Cause.DEFINITION, misfit);
      } else if (lacking != null) {
        rows.empty().run();
        lose(
            event,
            List.of(RowsStatement.id(logged)),
            LostRows.Cause.UNREADABLE,
            lacking(event, logged, lacking));
      } else if (impossibleDate) {
        impossibleDate(event, logged, rows);
      }
    }
    statement.rows();
  }

  private String lacking(Event event, TableMapEventData logged, String what) {
    return "The source logged rows of "
        + RowsStatement.id(logged)
        + " ("
        + what
        + ")"
        + place(event)
        + ": some session has binlog_row_image MINIMAL, NOBLOB or another that leaves columns"
        + " out. Set binlog_row_image=FULL globally and in all sessions, then copy this table"
        + " again.";
  }

  private void impossibleDate(Event event, TableMapEventData logged, RowsEvent rows) {
    Table definition = definitions.apply(logged.getDatabase(), logged.getTable());
    List<Column> columns = definition == null ? List.of() : definition.columns();
    Optional<RowsEvent.Impossible> found =
        rows.impossible(
            i ->
                definition == null
                    || i >= columns.size()
                    || definition.isPrimaryKeyColumn(columns.get(i).name()));
    if (found.isEmpty()) {
      return;
    }
    rows.empty().run();
    int column = found.get().column();
    lose(
        event,
        List.of(RowsStatement.id(logged)),
        LostRows.Cause.UNREADABLE,
        "The source logged a row of "
            + RowsStatement.id(logged)
            + place(event)
            + " with a date in column "
            + (column < columns.size() ? columns.get(column).name() : column + 1)
            + " that no calendar has ("
            + found.get().date().problem()
            + "): some session has ALLOW_INVALID_DATES in its sql_mode. Correct the date, then copy"
            + " this table again.");
  }

  private void partialJson(Event event) {
    List<SourceTableId> tables = statement.tableOrAll(tableNumber(event));
    lose(
        event,
        tables,
        LostRows.Cause.UNREADABLE,
        "The source logged a partial JSON update of "
            + names(tables)
            + place(event)
            + ": some session has binlog_row_value_options=PARTIAL_JSON, and such an update can't"
            + " be applied without loss. Set binlog_row_value_options='' globally and in all"
            + " sessions, then copy this table again.");
    statement.rows();
  }

  /** The captured ones, for a message. */
  private String names(List<SourceTableId> tables) {
    return tables.stream()
        .filter(session::isCaptured)
        .map(SourceTableId::toString)
        .sorted()
        .collect(Collectors.joining(", "));
  }

  private static @Nullable Long tableNumber(Event event) {
    return data(event) instanceof RowsHead head ? head.tableNumber() : null;
  }

  private void unknown(Event event) {
    boolean rows = statement.expectsRows();
    List<SourceTableId> tables = rows ? statement.tableOrAll(tableNumber(event)) : List.of();
    String message =
        "The source's binlog has an event of a type that is not known"
            + (rows ? ", in a change of " + names(tables) : "")
            + place(event)
            + ": rows compressed by MariaDB's log_bin_compress=ON, or a transaction with a tagged"
            + " GTID (gtid_next='AUTOMATIC:tag'), or a feature of a newer server. Switch that"
            + " feature off, then copy the tables again.";
    if (rows) {
      lose(event, tables, LostRows.Cause.UNREADABLE, message);
      statement.unreadRows(data(event) instanceof RowsHead head && !head.endsStatement());
    } else {
      refuse(message);
    }
  }

  /**
   * These tables, as far as they are captured, get no rows of this event; the others go on. A
   * pipeline that parks no tables stops, unless they are parked from earlier days.
   */
  private void lose(Event event, List<SourceTableId> tables, LostRows.Cause cause, String reason) {
    List<SourceTableId> captured =
        repeated ? List.of() : tables.stream().filter(session::isCaptured).toList();
    if (!session.parksTables() && !captured.stream().allMatch(session::isParked)) {
      fail(
          cause == LostRows.Cause.DEFINITION
              ? new WrongDefinitionException(reason, null)
              : new PipelineStoppedException(Reason.REFUSED, reason));
      return;
    }
    for (SourceTableId table : captured) {
      session.lost(new LostRows(table, behind(event), reason, cause));
    }
  }

  private BinlogPoint behind(Event event) {
    long end = event.getHeader() instanceof EventHeaderV4 header ? header.getNextPosition() : 0;
    return new BinlogPoint(
        Objects.requireNonNull(binlogFile.get()), payloadEnd > 0 ? payloadEnd : end);
  }

  /** Where an event stands, for a message; of a compressed transaction its end. */
  private String place(Event event) {
    long position = event.getHeader() instanceof EventHeaderV4 header ? header.getPosition() : 0;
    return " (at "
        + binlogFile.get()
        + ":"
        + (payloadEnd > 0 ? payloadEnd : position)
        + statement.quoted()
        + ")";
  }

  @SuppressWarnings("unchecked")
  private static <T extends EventData> T data(Event event) {
    EventData data = event.getData();
    return (T) (data instanceof EventDataWrapper wrapper ? wrapper.getInternal() : data);
  }

  private void transactionEnded() {
    statement.ended();
    repeated = false;
  }

  private void query(Event event) {
    QueryEventData query = data(event);
    if (query.getSql().equals("COMMIT")) {
      transactionEnded();
      return;
    }
    String problem = StatementRules.unsupportedInBinlog(query.getDatabase(), query.getSql());
    if (problem != null) {
      refuse(problem + " (At " + behind(event) + ".)");
    } else {
      replaced(event, query);
      Collations.alone(query.getDatabase(), query.getSql(), columns::collationAlone);
    }
    statement.ended();
  }

  /**
   * Debezium passes over CREATE OR REPLACE TABLE and keeps the old definition; a DROP and a CREATE
   * it understands.
   */
  private void replaced(Event event, QueryEventData query) {
    StatementRules.Replacement replacement =
        StatementRules.replacement(query.getDatabase(), query.getSql());
    if (replacement == null) {
      return;
    }
    SourceTableId table = replacement.table();
    if (definitions.apply(table.database(), table.table()) != null) {
      lose(
          event,
          List.of(table),
          LostRows.Cause.UNREADABLE,
          "The stream of "
              + table
              + " can't be followed past \""
              + StatementRules.excerpt(query.getSql())
              + "\""
              + " (at "
              + behind(event)
              + "): CREATE OR REPLACE TABLE replaces its rows and columns unseen. The table has to"
              + " be copied anew.");
    }
    query.setSql(replacement.sql());
  }

  private void tableMap(TableMapEventData logged) {
    statement.table(logged);
    long number = logged.getTableId();
    if (columns.isKnown(number)) {
      misread.remove(number);
      return;
    }
    Table definition = definitions.apply(logged.getDatabase(), logged.getTable());
    String problem = definition == null ? null : columns.mismatch(logged, definition);
    if (problem == null) {
      misread.remove(number);
    } else {
      misread.put(
          number,
          "Rows of table "
              + logged.getDatabase()
              + "."
              + logged.getTable()
              + " can't be read right: "
              + problem
              + ". A statement on the table or its database was not understood, so its definition"
              + " is not known. Ask for sluice resync -c FILE --all and start the daemon anew, which"
              + " reads all definitions again (a resync of this table alone would go by the wrong"
              + " one); or exclude the table.");
    }
  }

  private void mariaDbGtid(Event event) {
    statement.ended();
    MariadbGtidEventData gtid = data(event);
    if ((gtid.getFlags() & FL_STANDALONE) != 0) {
      session.standalone(
          gtid.getDomainId() + "-" + event.getHeader().getServerId() + "-" + gtid.getSequence());
    }
  }

  /** The server sends heartbeats when it has sent all there is: between transactions. */
  private void serverIdle(Event event) {
    String file = binlogFile.get();
    if (file != null && event.getHeader() instanceof EventHeaderV4 header) {
      session.serverIdleAt(new BinlogPoint(file, header.getNextPosition()));
    }
  }

  /** The server's own, or what Debezium makes of an event that it can't read. */
  private void incident(Event event) {
    if (event.getData() instanceof EventDataDeserializationExceptionData unread) {
      unreadable(unread.getCause());
    } else {
      refuse(
          "The source's binlog reports an incident: it may lack changes. Copy the tables again.");
    }
  }

  private void unreadable(Exception e) {
    List<SourceTableId> tables = statement.expectsRows() ? statement.tableOrAll(null) : List.of();
    String in = names(tables);
    fail(
        new PipelineStoppedException(
            Reason.PROTECTED,
            "An event of the source's binlog can't be read"
                + (in.isEmpty() ? "" : ", in a change of " + in)
                + " (in "
                + binlogFile.get()
                + statement.quoted()
                + "): "
                + e,
            e));
  }

  private void refuse(String message) {
    fail(new PipelineStoppedException(Reason.REFUSED, message));
  }

  private void fail(PipelineStoppedException why) {
    if (!session.closed()) {
      session.fail(why);
      failEngine.accept(why);
    }
  }

  @Override
  public void onConnect(BinaryLogClient client) {
    session.connected();
  }

  /** Debezium's own listener ends the engine with it. */
  @Override
  public void onCommunicationFailure(BinaryLogClient client, Exception e) {}

  /** The client goes on with the next event: what comes must not be committed. */
  @Override
  public void onEventDeserializationFailure(BinaryLogClient client, Exception e) {
    unreadable(e);
  }

  /**
   * Also follows any other failure, which then is the reason that counts. What came before is
   * sound, so the session has no fault by it.
   */
  @Override
  public void onDisconnect(BinaryLogClient client) {
    if (!session.closed()) {
      failEngine.accept(
          new PipelineStoppedException(
              Reason.UNREACHABLE,
              "The source closed the connection to its binlog at "
                  + client.getBinlogFilename()
                  + ":"
                  + client.getBinlogPosition()));
    }
  }
}
