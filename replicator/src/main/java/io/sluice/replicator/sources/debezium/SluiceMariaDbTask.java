package io.sluice.replicator.sources.debezium;

import com.github.shyiko.mysql.binlog.BinaryLogClient;
import io.debezium.config.CommonConnectorConfig;
import io.debezium.config.Configuration;
import io.debezium.config.Field;
import io.debezium.connector.binlog.jdbc.BinlogConnectorConnection;
import io.debezium.connector.common.CdcSourceTaskContext;
import io.debezium.connector.common.DebeziumHeaderProducer;
import io.debezium.connector.mariadb.MariaDbChangeEventSourceFactory;
import io.debezium.connector.mariadb.MariaDbConnector;
import io.debezium.connector.mariadb.MariaDbConnectorConfig;
import io.debezium.connector.mariadb.MariaDbDatabaseSchema;
import io.debezium.connector.mariadb.MariaDbErrorHandler;
import io.debezium.connector.mariadb.MariaDbOffsetContext;
import io.debezium.connector.mariadb.MariaDbPartition;
import io.debezium.connector.mariadb.MariaDbTaskContext;
import io.debezium.connector.mariadb.jdbc.MariaDbConnection;
import io.debezium.connector.mariadb.jdbc.MariaDbConnectionConfiguration;
import io.debezium.connector.mariadb.jdbc.MariaDbFieldReader;
import io.debezium.connector.mariadb.jdbc.MariaDbValueConverters;
import io.debezium.connector.mariadb.metrics.MariaDbChangeEventSourceMetricsFactory;
import io.debezium.connector.mariadb.metrics.MariaDbStreamingChangeEventSourceMetrics;
import io.debezium.document.DocumentReader;
import io.debezium.heartbeat.HeartbeatFactory;
import io.debezium.jdbc.DefaultMainConnectionProvidingConnectionFactory;
import io.debezium.pipeline.ChangeEventSourceCoordinator;
import io.debezium.pipeline.DataChangeEvent;
import io.debezium.pipeline.EventDispatcher;
import io.debezium.pipeline.notification.NotificationService;
import io.debezium.pipeline.signal.SignalProcessor;
import io.debezium.relational.CustomConverterRegistry;
import io.debezium.relational.TableId;
import io.debezium.schema.SchemaFactory;
import io.debezium.util.Clock;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * {@link BinlogTask} for MariaDB; made by name. Re-derive it at each step of Debezium's version.
 */
public final class SluiceMariaDbTask extends BinlogTask<MariaDbPartition, MariaDbOffsetContext> {

  private @Nullable MariaDbConnectorConfig connector;
  private @Nullable MariaDbTaskContext context;

  @Override
  public String version() {
    return new MariaDbConnector().version();
  }

  @Override
  protected String connectorName() {
    return "mariadb";
  }

  @Override
  protected Iterable<Field> getAllConfigurationFields() {
    return MariaDbConnectorConfig.ALL_FIELDS;
  }

  @Override
  public CdcSourceTaskContext<? extends CommonConnectorConfig> preStart(Configuration config) {
    connector = new MariaDbConnectorConfig(config);
    context = new MariaDbTaskContext(config, connector);
    return context;
  }

  @Override
  protected ChangeEventSourceCoordinator<MariaDbPartition, MariaDbOffsetContext> start(
      Configuration config) {
    var settings = Objects.requireNonNull(connector);
    var task = Objects.requireNonNull(context);
    var jdbc =
        new DefaultMainConnectionProvidingConnectionFactory<BinlogConnectorConnection>(
            () -> newConnection(config, settings));
    BinlogConnectorConnection connection = closedAtStop(jdbc.mainConnection());
    var offsets =
        getPreviousOffsets(
            new MariaDbPartition.Provider(settings, config),
            new MariaDbOffsetContext.Loader(settings));
    registerServiceProviders(settings.getServiceRegistry());
    var topics = settings.getTopicNamingStrategy(MariaDbConnectorConfig.TOPIC_NAMING_STRATEGY);
    var values =
        new MariaDbValueConverters(
            settings.getDecimalMode(),
            settings.getTemporalPrecisionMode(),
            settings.getBigIntUnsignedHandlingMode().asBigIntUnsignedMode(),
            settings.binaryHandlingMode(),
            unchanged -> unchanged,
            settings.getEventConvertingFailureHandlingMode(),
            settings.getServiceRegistry());
    var schema =
        new MariaDbDatabaseSchema(
            settings,
            values,
            topics,
            settings.schemaNameAdjuster(),
            connection.isTableIdCaseSensitive(),
            settings.getServiceRegistry().tryGetService(CustomConverterRegistry.class),
            task);
    closedAtStop(schema);
    registerBeans(settings, config, schema, values, offsets, task, jdbc);
    var snapshotter = recoverSchema(settings, connection, offsets, schema);

    var queue = newQueue(settings, task);
    var errors = new MariaDbErrorHandler(settings, queue, getErrorHandler().orElse(null));
    handledBy(errors);
    BinaryLogClient client = guardedClient(settings, config, errors, schema);
    var metadata = new SilentMetadataProvider();
    var signals =
        new SignalProcessor<>(
            MariaDbConnector.class,
            settings,
            Map.of(),
            getAvailableSignalChannels(),
            DocumentReader.defaultReader(),
            offsets);
    var dispatcher =
        new EventDispatcher<MariaDbPartition, TableId>(
            settings,
            topics,
            schema,
            queue,
            settings.getTableFilters().dataCollectionFilter(),
            DataChangeEvent::new,
            null,
            metadata,
            new HeartbeatFactory<>()
                .getScheduledHeartbeat(
                    settings,
                    () -> newConnection(config, settings),
                    new BinlogHeartbeatErrorHandler(),
                    queue),
            settings.schemaNameAdjuster(),
            signals,
            settings.getServiceRegistry().tryGetService(DebeziumHeaderProducer.class));
    var metrics =
        new MariaDbStreamingChangeEventSourceMetrics(
            task, queue, metadata, schema::dataCollectionIds, client);
    var coordinator =
        new ChangeEventSourceCoordinator<>(
            offsets,
            errors,
            MariaDbConnector.class,
            settings,
            new MariaDbChangeEventSourceFactory(
                settings,
                jdbc,
                errors,
                dispatcher,
                Clock.system(),
                schema,
                task,
                metrics,
                queue,
                snapshotter,
                client),
            new MariaDbChangeEventSourceMetricsFactory(metrics),
            dispatcher,
            schema,
            signals,
            new NotificationService<>(
                getNotificationChannels(),
                settings,
                SchemaFactory.get(),
                dispatcher::enqueueNotification),
            snapshotter);
    coordinator.start(task, queue, metadata);
    return coordinator;
  }

  private static MariaDbConnection newConnection(
      Configuration config, MariaDbConnectorConfig settings) {
    return new MariaDbConnection(
        new MariaDbConnectionConfiguration(config), new MariaDbFieldReader(settings));
  }
}
