package io.sluice.replicator.sources.kafka;

import io.sluice.config.BadRecordPolicy;
import io.sluice.config.KafkaSourceConfig;
import io.sluice.config.MessagesConfig;
import io.sluice.config.RegistryConfig;
import io.sluice.config.Secret;
import io.sluice.config.TopicRouting;
import io.sluice.config.TopicRule;
import io.sluice.replicator.messages.formats.FormatSettings;
import io.sluice.replicator.messages.registry.RegistryLogin;
import io.sluice.replicator.messages.registry.RegistrySettings;
import java.net.URI;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * What a run of topics goes by.
 *
 * @param pipeline its name
 * @param routing where messages go
 * @param onBadRecord what becomes of messages without a place
 * @param nanoTime for intervals
 */
public record KafkaSettings(
    String pipeline,
    KafkaSourceConfig kafka,
    TopicRouting routing,
    BadRecordPolicy onBadRecord,
    LongSupplier nanoTime) {

  /** Bytes of messages that wait in the client, for one fetch of one broker. */
  private static final int FETCH_BYTES_MAX = 16 << 20;

  private static final int PARTITION_FETCH_BYTES_MAX = 4 << 20;
  private static final int POLL_RECORDS_MAX = 5000;

  /** Shorter than the client's own minute: a person waits for the message. */
  private static final Duration API_TIMEOUT = Duration.ofSeconds(20);

  /** What exactly-once depends on. */
  private static final Map<String, Object> FIXED =
      Map.of(
          ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,
          false,
          ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
          "none",
          ConsumerConfig.ISOLATION_LEVEL_CONFIG,
          "read_committed",
          ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG,
          false);

  /** Names of properties in the config that Sluice sets itself. */
  public Set<String> fixedProperties() {
    Set<String> result = new TreeSet<>(kafka.properties().keySet());
    Set<String> own = new TreeSet<>(FIXED.keySet());
    own.add(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG);
    own.add(CommonClientConfigs.GROUP_ID_CONFIG);
    own.add(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG);
    own.add(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG);
    result.retainAll(own);
    return result;
  }

  /** Every way that messages are read in, by where the config says so. */
  Map<String, MessagesConfig> allMessages() {
    Map<String, MessagesConfig> result = new LinkedHashMap<>();
    result.put("source.format", kafka.messages());
    for (TopicRule rule : routing.rules()) {
      rule.messages()
          .ifPresent(messages -> result.put("tables.rules, match = " + rule.match(), messages));
    }
    return result;
  }

  /** What the maker of formats wants. */
  FormatSettings formatSettings(MessagesConfig messages) {
    return new FormatSettings(
        messages.format(), messages.options(), kafka.registry().map(KafkaSettings::registry));
  }

  private static RegistrySettings registry(RegistryConfig config) {
    RegistryLogin login =
        config
            .token()
            .<RegistryLogin>map(token -> new RegistryLogin.Bearer(token.reveal()))
            .or(
                () ->
                    config
                        .user()
                        .map(
                            user ->
                                new RegistryLogin.Basic(
                                    user, config.password().map(Secret::reveal).orElse(""))))
            .orElseGet(RegistryLogin.Anonymous::new);
    RegistrySettings standard =
        RegistrySettings.of(config.urls().stream().map(URI::create).toList());
    return new RegistrySettings(
        standard.urls(),
        login,
        standard.idLayout(),
        config.timeout(),
        config.timeout(),
        standard.schemasMax(),
        standard.tls());
  }

  private Properties common() {
    Properties properties = new Properties();
    properties.put(CommonClientConfigs.CLIENT_ID_CONFIG, "sluice-" + pipeline);
    properties.put(CommonClientConfigs.DEFAULT_API_TIMEOUT_MS_CONFIG, (int) API_TIMEOUT.toMillis());
    properties.put(CommonClientConfigs.REQUEST_TIMEOUT_MS_CONFIG, (int) API_TIMEOUT.toMillis() / 2);
    properties.putAll(kafka.properties());
    properties.put(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, kafka.bootstrapServers());
    return properties;
  }

  /** A client that reads beside the stream, with nothing assigned, and with little in memory. */
  KafkaConsumer<byte[], byte[]> newConsumer(String beside) {
    Properties properties = new Properties();
    properties.put(ConsumerConfig.FETCH_MAX_BYTES_CONFIG, FETCH_BYTES_MAX / 4);
    properties.put(ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, PARTITION_FETCH_BYTES_MAX / 4);
    properties.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, POLL_RECORDS_MAX);
    properties.putAll(common());
    properties.putAll(FIXED);
    properties.put(
        CommonClientConfigs.CLIENT_ID_CONFIG,
        properties.get(CommonClientConfigs.CLIENT_ID_CONFIG) + "-" + beside);
    return new KafkaConsumer<>(
        properties, new ByteArrayDeserializer(), new ByteArrayDeserializer());
  }

  /** A client that reads, with nothing assigned. */
  KafkaConsumer<byte[], byte[]> newConsumer() {
    Properties properties = new Properties();
    properties.put(ConsumerConfig.FETCH_MAX_BYTES_CONFIG, FETCH_BYTES_MAX);
    properties.put(ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, PARTITION_FETCH_BYTES_MAX);
    properties.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, POLL_RECORDS_MAX);
    properties.putAll(common());
    properties.putAll(FIXED);
    kafka.group().ifPresent(group -> properties.put(ConsumerConfig.GROUP_ID_CONFIG, group));
    return new KafkaConsumer<>(
        properties, new ByteArrayDeserializer(), new ByteArrayDeserializer());
  }

  /** A client that asks. */
  Admin newAdmin() {
    Properties properties = common();
    properties.keySet().retainAll(AdminClientConfig.configNames());
    return Admin.create(properties);
  }
}
