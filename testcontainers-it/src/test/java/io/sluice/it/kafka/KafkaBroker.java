package io.sluice.it.kafka;

import java.security.Security;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.security.auth.SecurityProtocol;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.test.JaasUtils;
import org.apache.kafka.common.test.KafkaClusterTestKit;
import org.apache.kafka.common.test.TestKitNodes;

/** A Kafka cluster of real brokers in this process, with nothing in it. */
final class KafkaBroker implements AutoCloseable {

  private final KafkaClusterTestKit cluster;
  private final Admin admin;
  private final Map<String, String> login;

  private KafkaBroker(KafkaClusterTestKit cluster, Admin admin, Map<String, String> login) {
    this.cluster = cluster;
    this.admin = admin;
    this.login = login;
  }

  /** What a client needs beside the address to be let in. */
  Map<String, String> login() {
    return login;
  }

  /** One broker that is its own controller. */
  static KafkaBroker start() throws Exception {
    return start(1);
  }

  static KafkaBroker start(int brokers) throws Exception {
    return start(brokers, SecurityProtocol.PLAINTEXT);
  }

  /** One broker that wants a user's name and password (SASL/PLAIN). */
  static KafkaBroker startWithLogin() throws Exception {
    // Of Hadoop, if a cluster of it has run in this process: it would be asked first for PLAIN.
    Security.removeProvider("SaslPlainServer");
    return start(1, SecurityProtocol.SASL_PLAINTEXT);
  }

  private static KafkaBroker start(int brokers, SecurityProtocol protocol) throws Exception {
    KafkaClusterTestKit cluster =
        new KafkaClusterTestKit.Builder(
                new TestKitNodes.Builder()
                    .setCombined(brokers == 1)
                    .setBrokerSecurityProtocol(protocol)
                    .setControllerSecurityProtocol(protocol)
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
    Map<String, String> login =
        protocol == SecurityProtocol.PLAINTEXT
            ? Map.of()
            : Map.of(
                "security.protocol",
                protocol.name,
                "sasl.mechanism",
                "PLAIN",
                "sasl.jaas.config",
                "org.apache.kafka.common.security.plain.PlainLoginModule required username=\""
                    + JaasUtils.KAFKA_PLAIN_ADMIN
                    + "\" password=\""
                    + JaasUtils.KAFKA_PLAIN_ADMIN_PASSWORD
                    + "\";");
    Map<String, Object> properties = new HashMap<>(login);
    properties.put("bootstrap.servers", cluster.bootstrapServers());
    return new KafkaBroker(cluster, Admin.create(properties), login);
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
    properties.putAll(login);
    properties.putAll(more);
    return new KafkaProducer<>(properties, new ByteArraySerializer(), new ByteArraySerializer());
  }

  @Override
  public void close() throws Exception {
    admin.close(Duration.ZERO);
    cluster.close();
  }
}
