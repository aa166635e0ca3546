package io.sluice.replicator.sources.debezium;

import com.github.shyiko.mysql.binlog.BinaryLogClient;
import com.github.shyiko.mysql.binlog.event.DeleteRowsEventData;
import com.github.shyiko.mysql.binlog.event.Event;
import com.github.shyiko.mysql.binlog.event.EventData;
import com.github.shyiko.mysql.binlog.event.EventHeaderV4;
import com.github.shyiko.mysql.binlog.event.EventType;
import com.github.shyiko.mysql.binlog.event.MariadbGtidEventData;
import com.github.shyiko.mysql.binlog.event.QueryEventData;
import com.github.shyiko.mysql.binlog.event.RowsQueryEventData;
import com.github.shyiko.mysql.binlog.event.TableMapEventData;
import com.github.shyiko.mysql.binlog.event.TransactionPayloadEventData;
import com.github.shyiko.mysql.binlog.event.UpdateRowsEventData;
import com.github.shyiko.mysql.binlog.event.WriteRowsEventData;
import com.github.shyiko.mysql.binlog.event.deserialization.EventDeserializer.EventDataWrapper;
import io.debezium.connector.binlog.event.EventDataDeserializationExceptionData;
import io.debezium.relational.Table;
import io.sluice.sinks.PipelineStoppedException;
import io.sluice.sinks.PipelineStoppedException.Reason;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Sees each binlog event before Debezium does, on the client's thread, and stops the source at
 * those that Debezium passes over in silence: partial JSON updates, compressed MariaDB rows and
 * other unknown events, changes logged as statements, a rolled back mix of engines, rows of a table
 * whose definition it has got wrong ({@link LoggedColumns}); and at rows without all columns, of
 * which Debezium tells no table. Also notices a lost connection, of which Debezium's listener says
 * nothing.
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

  /**
   * @param binlogFile the file that the client reads now
   * @param failEngine ends the engine's polling with this error
   * @param definitions of captured tables as Debezium knows them now, by database and table; null
   *     for others
   */
  BinlogGuard(
      EngineSession session,
      Supplier<@Nullable String> binlogFile,
      Consumer<Throwable> failEngine,
      BiFunction<String, String, @Nullable Table> definitions,
      LoggedColumns columns) {
    this.session = session;
    this.binlogFile = binlogFile;
    this.failEngine = failEngine;
    this.definitions = definitions;
    this.columns = columns;
    this.statement = new RowsStatement(session::isCaptured);
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
      case GTID, ANONYMOUS_GTID, XID -> statement.ended();
      case MARIADB_GTID -> mariaDbGtid(event);
      case HEARTBEAT -> serverIdle(event);
      case TRANSACTION_PAYLOAD -> {
        TransactionPayloadEventData payload = data(event);
        payload.getUncompressedEvents().forEach(this::onEvent);
      }
      case PARTIAL_UPDATE_ROWS_EVENT -> partialJson(event);
      case UNKNOWN -> unknown(event);
      case INCIDENT -> incident(event);
      default -> {}
    }
  }

  private void rows(Event event) {
    String lacking = lacking(data(event)).orElse("");
    if (!lacking.isEmpty()) {
      refuse(
          "The source logged rows of "
              + lacking
              + place(event)
              + ": some session has binlog_row_image MINIMAL, NOBLOB or another that leaves columns"
              + " out. Set binlog_row_image=FULL globally and in all sessions, then copy this table"
              + " again.");
    }
    statement.rows();
  }

  private Optional<String> lacking(EventData rows) {
    if (rows instanceof UpdateRowsEventData update) {
      return statement.lacking(
          update.getTableId(),
          update.getIncludedColumnsBeforeUpdate(),
          update.getIncludedColumns());
    }
    if (rows instanceof WriteRowsEventData write) {
      return statement.lacking(write.getTableId(), write.getIncludedColumns());
    }
    return rows instanceof DeleteRowsEventData delete
        ? statement.lacking(delete.getTableId(), delete.getIncludedColumns())
        : Optional.empty();
  }

  private void partialJson(Event event) {
    String tables = statement.capturedTables().orElse("");
    if (!tables.isEmpty()) {
      refuse(
          "The source logged a partial JSON update of "
              + tables
              + place(event)
              + ": some session has binlog_row_value_options=PARTIAL_JSON, and such an update can't"
              + " be applied without loss. Set binlog_row_value_options='' globally and in all"
              + " sessions, then copy this table again.");
    }
    statement.rows();
  }

  private void unknown(Event event) {
    refuse(
        "The source's binlog has an event of a type that is not known"
            + statement.capturedTables().map(tables -> ", in a change of " + tables).orElse("")
            + place(event)
            + ": rows compressed by MariaDB's log_bin_compress=ON, or a transaction with a tagged"
            + " GTID (gtid_next='AUTOMATIC:tag'), or a feature of a newer server. Switch that"
            + " feature off, then copy the tables again.");
  }

  /** Where an event stands, for a message; inside a compressed transaction only its file. */
  private String place(Event event) {
    long position = event.getHeader() instanceof EventHeaderV4 header ? header.getPosition() : 0;
    return " (at " + binlogFile.get() + ":" + position + statement.quoted() + ")";
  }

  @SuppressWarnings("unchecked")
  private static <T extends EventData> T data(Event event) {
    EventData data = event.getData();
    return (T) (data instanceof EventDataWrapper wrapper ? wrapper.getInternal() : data);
  }

  private void query(Event event) {
    QueryEventData query = data(event);
    String problem = StatementRules.unsupportedInBinlog(query.getDatabase(), query.getSql());
    if (problem != null) {
      refuse(problem);
    } else {
      Collations.alone(query.getDatabase(), query.getSql(), columns::collationAlone);
    }
    statement.ended();
  }

  private void tableMap(TableMapEventData logged) {
    statement.table(logged);
    if (columns.isKnown(logged.getTableId())) {
      return;
    }
    Table definition = definitions.apply(logged.getDatabase(), logged.getTable());
    String problem = definition == null ? null : columns.mismatch(logged, definition);
    if (problem != null) {
      fail(
          new WrongDefinitionException(
              "Rows of table "
                  + logged.getDatabase()
                  + "."
                  + logged.getTable()
                  + " can't be read right: "
                  + problem
                  + ". A statement on the table or its database was not understood. Exclude the"
                  + " table, or copy it anew under a new pipeline name.",
              null));
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
    fail(
        new PipelineStoppedException(
            Reason.PROTECTED, "An event of the source's binlog can't be read: " + e, e));
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
