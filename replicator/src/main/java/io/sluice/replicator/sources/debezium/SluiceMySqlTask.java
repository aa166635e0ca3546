package io.sluice.replicator.sources.debezium;

import com.github.shyiko.mysql.binlog.BinaryLogClient;
import io.debezium.config.CommonConnectorConfig;
import io.debezium.config.Configuration;
import io.debezium.config.Field;
import io.debezium.connector.binlog.jdbc.BinlogConnectorConnection;
import io.debezium.connector.common.CdcSourceTaskContext;
import io.debezium.connector.common.DebeziumHeaderProducer;
import io.debezium.connector.mysql.MySqlChangeEventSourceFactory;
import io.debezium.connector.mysql.MySqlChangeEventSourceMetricsFactory;
import io.debezium.connector.mysql.MySqlConnector;
import io.debezium.connector.mysql.MySqlConnectorConfig;
import io.debezium.connector.mysql.MySqlDatabaseSchema;
import io.debezium.connector.mysql.MySqlErrorHandler;
import io.debezium.connector.mysql.MySqlOffsetContext;
import io.debezium.connector.mysql.MySqlPartition;
import io.debezium.connector.mysql.MySqlStreamingChangeEventSourceMetrics;
import io.debezium.connector.mysql.MySqlTaskContext;
import io.debezium.connector.mysql.jdbc.MySqlConnection;
import io.debezium.connector.mysql.jdbc.MySqlConnectionConfiguration;
import io.debezium.connector.mysql.jdbc.MySqlFieldReaderResolver;
import io.debezium.connector.mysql.jdbc.MySqlValueConverters;
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

/** {@link BinlogTask} for MySQL; made by name. Re-derive it at each step of Debezium's version. */
public final class SluiceMySqlTask extends BinlogTask<MySqlPartition, MySqlOffsetContext> {

  private @Nullable MySqlConnectorConfig connector;
  private @Nullable MySqlTaskContext context;

  @Override
  public String version() {
    return new MySqlConnector().version();
  }

  @Override
  protected String connectorName() {
    return "mysql";
  }

  @Override
  protected Iterable<Field> getAllConfigurationFields() {
    return MySqlConnectorConfig.ALL_FIELDS;
  }

  @Override
  public CdcSourceTaskContext<? extends CommonConnectorConfig> preStart(Configuration config) {
    connector = new MySqlConnectorConfig(config);
    context = new MySqlTaskContext(config, connector);
    return context;
  }

  @Override
  protected ChangeEventSourceCoordinator<MySqlPartition, MySqlOffsetContext> start(
      Configuration config) {
    var settings = Objects.requireNonNull(connector);
    var task = Objects.requireNonNull(context);
    var jdbc =
        new DefaultMainConnectionProvidingConnectionFactory<BinlogConnectorConnection>(
            () -> newConnection(config, settings));
    BinlogConnectorConnection connection = closedAtStop(jdbc.mainConnection());
    var offsets =
        getPreviousOffsets(
            new MySqlPartition.Provider(settings, config), new MySqlOffsetContext.Loader(settings));
    registerServiceProviders(settings.getServiceRegistry());
    var topics = settings.getTopicNamingStrategy(MySqlConnectorConfig.TOPIC_NAMING_STRATEGY);
    var values =
        new MySqlValueConverters(
            settings.getDecimalMode(),
            settings.getTemporalPrecisionMode(),
            settings.getBigIntUnsignedHandlingMode().asBigIntUnsignedMode(),
            settings.binaryHandlingMode(),
            unchanged -> unchanged,
            settings.getEventConvertingFailureHandlingMode(),
            settings.getServiceRegistry());
    var schema =
        new MySqlDatabaseSchema(
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
    var errors = new MySqlErrorHandler(settings, queue, getErrorHandler().orElse(null));
    handledBy(errors);
    BinaryLogClient client = guardedClient(settings, config, errors, schema);
    var metadata = new SilentMetadataProvider();
    var signals =
        new SignalProcessor<>(
            MySqlConnector.class,
            settings,
            Map.of(),
            getAvailableSignalChannels(),
            DocumentReader.defaultReader(),
            offsets);
    var dispatcher =
        new EventDispatcher<MySqlPartition, TableId>(
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
        new MySqlStreamingChangeEventSourceMetrics(
            task, queue, metadata, schema::dataCollectionIds, client);
    var coordinator =
        new ChangeEventSourceCoordinator<>(
            offsets,
            errors,
            MySqlConnector.class,
            settings,
            new MySqlChangeEventSourceFactory(
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
            new MySqlChangeEventSourceMetricsFactory(metrics),
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

  private static MySqlConnection newConnection(
      Configuration config, MySqlConnectorConfig settings) {
    return new MySqlConnection(
        new MySqlConnectionConfiguration(config), MySqlFieldReaderResolver.resolve(settings));
  }
}
