package io.sluice.it.kafka;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.test.KafkaClusterTestKit;
import org.apache.kafka.common.test.TestKitNodes;

/** A Kafka cluster of real brokers in this process, with nothing in it. */
final class KafkaBroker implements AutoCloseable {

  private final KafkaClusterTestKit cluster;
  private final Admin admin;

  private KafkaBroker(KafkaClusterTestKit cluster, Admin admin) {
    this.cluster = cluster;
    this.admin = admin;
  }

  /** One broker that is its own controller. */
  static KafkaBroker start() throws Exception {
    return start(1);
  }

  static KafkaBroker start(int brokers) throws Exception {
    KafkaClusterTestKit cluster =
        new KafkaClusterTestKit.Builder(
                new TestKitNodes.Builder()
                    .setCombined(brokers == 1)
                    .setNumBrokerNodes(brokers)
                    .setNumControllerNodes(1)
                    .build())
            .setConfigProp("offsets.topic.replication.factor", "1")
            .setConfigProp("offsets.topic.num.partitions", "1")
            .setConfigProp("transaction.state.log.replication.factor", "1")
            .setConfigProp("transaction.state.log.num.partitions", "1")
            .setConfigProp("transaction.state.log.min.isr", "1")
            .setConfigProp("group.initial.rebalance.delay.ms", "0")
            .setConfigProp("log.retention.check.interval.ms", "500")
            .setConfigProp("message.max.bytes", "20000000")
            .build();
    cluster.format();
    cluster.startup();
    cluster.waitForReadyBrokers();
    return new KafkaBroker(
        cluster, Admin.create(Map.of("bootstrap.servers", cluster.bootstrapServers())));
  }

  String address() {
    return cluster.bootstrapServers();
  }

  Admin admin() {
    return admin;
  }

  KafkaClusterTestKit cluster() {
    return cluster;
  }

  void createTopic(String name, int partitions) throws Exception {
    createTopic(name, partitions, 1, Map.of());
  }

  void createTopic(String name, int partitions, int replicas, Map<String, String> options)
      throws Exception {
    admin
        .createTopics(List.of(new NewTopic(name, partitions, (short) replicas).configs(options)))
        .all()
        .get();
  }

  /** Gone when this returns. */
  void deleteTopic(String name) throws ExecutionException, InterruptedException {
    admin.deleteTopics(List.of(name)).all().get();
  }

  KafkaProducer<byte[], byte[]> newProducer(Map<String, String> more) {
    Properties properties = new Properties();
    properties.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, address());
    properties.put(ProducerConfig.LINGER_MS_CONFIG, "5");
    properties.put(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, "20000000");
    properties.putAll(more);
    return new KafkaProducer<>(properties, new ByteArraySerializer(), new ByteArraySerializer());
  }

  @Override
  public void close() throws Exception {
    admin.close(Duration.ZERO);
    cluster.close();
  }
}
