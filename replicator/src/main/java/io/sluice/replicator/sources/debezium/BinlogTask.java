package io.sluice.replicator.sources.debezium;

import com.github.shyiko.mysql.binlog.BinaryLogClient;
import io.debezium.bean.StandardBeanNames;
import io.debezium.bean.spi.BeanRegistry;
import io.debezium.config.CommonConnectorConfig;
import io.debezium.config.Configuration;
import io.debezium.connector.base.ChangeEventQueue;
import io.debezium.connector.base.DefaultQueueProvider;
import io.debezium.connector.binlog.BinlogConnectorConfig;
import io.debezium.connector.binlog.BinlogSourceTask;
import io.debezium.connector.binlog.charset.BinlogCharsetRegistry;
import io.debezium.connector.binlog.jdbc.BinlogConnectorConnection;
import io.debezium.connector.common.CdcSourceTaskContext;
import io.debezium.jdbc.MainConnectionProvidingConnectionFactory;
import io.debezium.pipeline.DataChangeEvent;
import io.debezium.pipeline.ErrorHandler;
import io.debezium.pipeline.spi.OffsetContext;
import io.debezium.pipeline.spi.Offsets;
import io.debezium.pipeline.spi.Partition;
import io.debezium.relational.HistorizedRelationalDatabaseSchema;
import io.debezium.relational.RelationalDatabaseSchema;
import io.debezium.relational.TableId;
import io.debezium.snapshot.SnapshotterService;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.connect.errors.ConnectException;
import org.apache.kafka.connect.source.SourceRecord;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The part of Sluice's own Debezium task that both kinds of server share. It joins Debezium's
 * public parts as its stock task does, with two differences that no setting gives: {@link
 * SilentMetadataProvider}, and {@link BinlogGuard} as the first listener of the binlog client.
 */
abstract class BinlogTask<P extends Partition, O extends OffsetContext>
    extends BinlogSourceTask<P, O> {

  private static final Logger LOG = LoggerFactory.getLogger(BinlogTask.class);

  /** Held here, or its level would be forgotten: the client logs each connect by java.util. */
  private static final java.util.logging.Logger CLIENT_LOG =
      java.util.logging.Logger.getLogger(BinaryLogClient.class.getName());

  static {
    CLIENT_LOG.setLevel(java.util.logging.Level.WARNING);
  }

  private final List<BinlogConnectorConnection> connections = new ArrayList<>();
  private @Nullable HistorizedRelationalDatabaseSchema openSchema;
  private volatile @Nullable ChangeEventQueue<DataChangeEvent> queue;
  private volatile @Nullable ErrorHandler errorHandler;
  private volatile @Nullable EngineSession session;

  /** Keeps what {@link #doStop} has to close. */
  final synchronized BinlogConnectorConnection closedAtStop(BinlogConnectorConnection connection) {
    connections.add(connection);
    return connection;
  }

  final synchronized void closedAtStop(HistorizedRelationalDatabaseSchema schema) {
    openSchema = schema;
  }

  final ChangeEventQueue<DataChangeEvent> newQueue(
      CommonConnectorConfig config, CdcSourceTaskContext<?> context) {
    ChangeEventQueue<DataChangeEvent> made =
        new ChangeEventQueue.Builder<DataChangeEvent>()
            .pollInterval(config.getPollInterval())
            .maxBatchSize(config.getMaxBatchSize())
            .maxQueueSize(config.getMaxQueueSize())
            .maxQueueSizeInBytes(config.getMaxQueueSizeInBytes())
            .queueProvider(new DefaultQueueProvider<>(config.getMaxQueueSize()))
            .loggingContextSupplier(() -> context.configureLoggingContext("sluice-task"))
            .buffering()
            .build();
    queue = made;
    return made;
  }

  final void handledBy(ErrorHandler handler) {
    errorHandler = handler;
  }

  /** A client whose first listener is the guard: it sees each event before Debezium does. */
  final BinaryLogClient guardedClient(
      BinlogConnectorConfig connector,
      Configuration config,
      ErrorHandler handler,
      RelationalDatabaseSchema schema) {
    var statement = new RowsStatement();
    var readers = new RowReaders(statement.tables());
    var client =
        new GuardedClient(
            connector.getHostName(),
            connector.getPort(),
            connector.getUserName(),
            connector.getPassword(),
            readers::register);
    EngineSession current = EngineSession.of(config.getString(EngineSession.PROPERTY));
    session = current;
    var captured = connector.getTableFilters().dataCollectionFilter();
    BinlogCharsetRegistry charsets =
        connector.getServiceRegistry().getService(BinlogCharsetRegistry.class);
    var guard =
        new BinlogGuard(
            current,
            client::getBinlogFilename,
            handler::setProducerThrowable,
            (database, table) -> {
              var id = new TableId(database, null, table);
              return captured.isIncluded(id) ? schema.tableFor(id) : null;
            },
            new LoggedColumns(
                charsets::getCharsetNameForCollationIndex, charsets::getJavaEncodingForCharSet),
            statement,
            readers);
    client.registerEventListener(guard);
    client.registerLifecycleListener(guard);
    return client;
  }

  /** What Debezium's services ask the registry for. */
  final void registerBeans(
      BinlogConnectorConfig connector,
      Configuration config,
      HistorizedRelationalDatabaseSchema schema,
      Object valueConverters,
      Offsets<P, O> offsets,
      CdcSourceTaskContext<?> context,
      MainConnectionProvidingConnectionFactory<BinlogConnectorConnection> connections) {
    BeanRegistry beans = connector.getBeanRegistry();
    beans.add(StandardBeanNames.CONFIGURATION, config);
    beans.add(StandardBeanNames.CONNECTOR_CONFIG, connector);
    beans.add(StandardBeanNames.DATABASE_SCHEMA, schema);
    beans.add(StandardBeanNames.JDBC_CONNECTION, closedAtStop(connections.newConnection()));
    beans.add(StandardBeanNames.VALUE_CONVERTER, valueConverters);
    beans.add(StandardBeanNames.OFFSETS, offsets);
    beans.add(StandardBeanNames.CDC_SOURCE_TASK_CONTEXT, context);
  }

  /** Checks server and position, and rebuilds the schema from the history. */
  final SnapshotterService recoverSchema(
      BinlogConnectorConfig connector,
      BinlogConnectorConnection connection,
      Offsets<P, O> offsets,
      HistorizedRelationalDatabaseSchema schema) {
    SnapshotterService snapshotter =
        connector.getServiceRegistry().tryGetService(SnapshotterService.class);
    validateBinlogConfiguration(snapshotter.getSnapshotter(), connection);
    validateSchemaHistory(
        connector, connection::validateLogPosition, offsets, schema, snapshotter.getSnapshotter());
    try {
      // A rebuild may take longer than an idle connection is kept.
      connection.close();
      connection.setAutoCommit(false);
    } catch (SQLException e) {
      throw new ConnectException("The connection to the source was lost at the start", e);
    }
    return snapshotter;
  }

  @Override
  protected List<SourceRecord> doPoll() throws InterruptedException {
    ChangeEventQueue<DataChangeEvent> from = queue;
    EngineSession current = session;
    if (from == null || current == null) {
      return List.of();
    }
    current.beforePoll(() -> from.remainingCapacity() == from.totalCapacity());
    List<DataChangeEvent> events = from.poll();
    var records = new ArrayList<SourceRecord>(events.size());
    for (DataChangeEvent event : events) {
      records.add(event.getRecord());
    }
    return records;
  }

  @Override
  protected Optional<ErrorHandler> getErrorHandler() {
    return Optional.ofNullable(errorHandler);
  }

  @Override
  protected synchronized void doStop() {
    for (BinlogConnectorConnection connection : connections) {
      try {
        connection.close();
      } catch (SQLException e) {
        LOG.debug("A connection to the source did not close cleanly", e);
      }
    }
    connections.clear();
    if (openSchema != null) {
      openSchema.close();
      openSchema = null;
    }
  }
}
