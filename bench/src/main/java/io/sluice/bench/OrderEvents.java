package io.sluice.bench;

import java.nio.charset.StandardCharsets;
import org.apache.kafka.clients.producer.ProducerRecord;

/** Updates of an orders table as Debezium writes them, of about 600 bytes. */
final class OrderEvents {

  static final String DATABASE = "shop";
  static final String TABLE = "orders";

  private static final String NOTE =
      "left with the neighbour on the second floor, who signed for it at noon";

  private OrderEvents() {}

  /**
   * @param number of the event: its order is that modulo {@code keys}
   * @param millis its time
   */
  static ProducerRecord<byte[], byte[]> event(long number, long keys, long millis) {
    long id = number % keys;
    String key = "{\"id\":" + id + "}";
    String value =
        "{\"before\":"
            + row(id, number - keys, millis - 1000)
            + ",\"after\":"
            + row(id, number, millis)
            + ",\"source\":{\"version\":\"3.5.0.Final\",\"connector\":\"mysql\",\"name\":\"shop\",\"ts_ms\":"
            + millis
            + ",\"snapshot\":\"false\",\"db\":\"shop\",\"table\":\"orders\",\"server_id\":1,\"file\":\"binlog.000003\",\"pos\":"
            + (154 + 500 * number)
            + ",\"row\":0},\"transaction\":null,\"op\":\"u\",\"ts_ms\":"
            + millis
            + "}";
    return new ProducerRecord<>(
        BenchBroker.TOPIC,
        (int) (id % BenchBroker.PARTITIONS),
        millis,
        key.getBytes(StandardCharsets.UTF_8),
        value.getBytes(StandardCharsets.UTF_8));
  }

  private static String row(long id, long version, long millis) {
    return "{\"id\":"
        + id
        + ",\"customer\":"
        + (id * 7919 % 100_000)
        + ",\"status\":\"shipped\",\"amount\":"
        + (100 + version % 9_000)
        + ",\"version\":"
        + version
        + ",\"changed\":"
        + millis
        + ",\"note\":\""
        + NOTE
        + "\"}";
  }
}
