package io.sluice.bench;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.test.KafkaClusterTestKit;
import org.apache.kafka.common.test.TestKitNodes;

/** One Kafka broker in this process. */
final class BenchBroker implements AutoCloseable {

  static final String TOPIC = "orders";
  static final int PARTITIONS = 4;

  private final KafkaClusterTestKit cluster;

  private BenchBroker(KafkaClusterTestKit cluster) {
    this.cluster = cluster;
  }

  static BenchBroker start() throws Exception {
    KafkaClusterTestKit cluster =
        new KafkaClusterTestKit.Builder(
                new TestKitNodes.Builder()
                    .setCombined(true)
                    .setNumBrokerNodes(1)
                    .setNumControllerNodes(1)
                    .build())
            .setConfigProp("offsets.topic.replication.factor", "1")
            .setConfigProp("offsets.topic.num.partitions", "1")
            .build();
    cluster.format();
    cluster.startup();
    cluster.waitForReadyBrokers();
    BenchBroker broker = new BenchBroker(cluster);
    broker.createTopic(TOPIC);
    return broker;
  }

  /** A topic of as many partitions as the first. */
  void createTopic(String name) throws Exception {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", address()))) {
      admin.createTopics(List.of(new NewTopic(name, PARTITIONS, (short) 1))).all().get();
      admin.close(Duration.ZERO);
    }
  }

  String address() {
    return cluster.bootstrapServers();
  }

  KafkaProducer<byte[], byte[]> newProducer() {
    Properties properties = new Properties();
    properties.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, address());
    properties.put(ProducerConfig.LINGER_MS_CONFIG, "5");
    properties.put(ProducerConfig.BATCH_SIZE_CONFIG, "262144");
    return new KafkaProducer<>(properties, new ByteArraySerializer(), new ByteArraySerializer());
  }

  /** The config of a pipeline that reads the topic, below {@code sluice}. */
  String config(String pipeline, java.nio.file.Path warehouse, String commitInterval) {
    return config(pipeline, warehouse, commitInterval, List.of(TOPIC));
  }

  /** The same of other topics. */
  String config(
      String pipeline, java.nio.file.Path warehouse, String commitInterval, List<String> topics) {
    return """
        sluice {
          pipeline = %s
          warehouse = "%s"
          commit-interval = %s
          source {
            type = kafka
            bootstrap-servers = "%s"
            topics = [%s]
            format = debezium-json
          }
          tables.defaults.bucket = 2
          http.listen = off
        }
        """
        .formatted(
            pipeline,
            warehouse.toUri().toString().replaceFirst("^file:/+", "file:///"),
            commitInterval,
            address(),
            String.join(", ", topics));
  }

  @Override
  public void close() throws Exception {
    cluster.close();
  }
}
