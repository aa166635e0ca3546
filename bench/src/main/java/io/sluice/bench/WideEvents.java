package io.sluice.bench;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * Debezium's JSON of five sources, each with eight columns of one wide row and a version that grows
 * with it. Rounds come in swapped pairs: of two versions of a row the newer one is sent first, so
 * that only the sequence groups make the right rows.
 */
final class WideEvents {

  static final int SOURCES = 5;
  static final String DATABASE = "dwd";
  static final String TABLE = "wide";

  /** Columns of one source, the version first. */
  static final List<String> COLUMNS =
      List.of("version", "number", "code", "amount", "changed", "large", "real", "note");

  private static final List<String> TYPES =
      List.of("BIGINT", "INT", "STRING", "BIGINT", "TIMESTAMP(3)", "BIGINT", "DOUBLE", "STRING");

  private WideEvents() {}

  static String topic(int source) {
    return "wide" + source;
  }

  static String column(int source, int column) {
    return "s" + source + "_" + COLUMNS.get(column);
  }

  /** A number of the row of a source: what it must be follows from these three. */
  static long amount(int source, long key, long version) {
    return (key * 31 + version * 7 + source) % 1_000_000;
  }

  /**
   * @param number of the event among its source's: key is that modulo {@code keys}
   * @param millis its time
   */
  static ProducerRecord<byte[], byte[]> event(int source, long number, long keys, long millis) {
    long key = number % keys;
    long version = number / keys ^ 1;
    String value =
        "{\"before\":null,\"after\":{\"id\":"
            + key
            + ",\"version\":"
            + version
            + ",\"number\":"
            + (int) (key % 1_000)
            + ",\"code\":\"c"
            + key % 97
            + "\",\"amount\":"
            + amount(source, key, version)
            + ",\"changed\":"
            + millis
            + ",\"large\":"
            + (key << 20 | version)
            + ",\"real\":"
            + (key % 8_000 + 0.25)
            + ",\"note\":\"left with the neighbour "
            + version
            + "\"},\"source\":{\"version\":\"3.5.0.Final\",\"connector\":\"mysql\",\"name\":\"shop\",\"ts_ms\":"
            + millis
            + ",\"snapshot\":\"false\",\"db\":\"shop\",\"table\":\""
            + topic(source)
            + "\",\"server_id\":1,\"file\":\"binlog.000003\",\"pos\":"
            + (154 + 500 * number)
            + ",\"row\":0},\"transaction\":null,\"op\":\"u\",\"ts_ms\":"
            + millis
            + "}";
    return new ProducerRecord<>(
        topic(source),
        (int) (key % BenchBroker.PARTITIONS),
        millis,
        ("{\"id\":" + key + "}").getBytes(StandardCharsets.UTF_8),
        value.getBytes(StandardCharsets.UTF_8));
  }

  /** The rule that makes the table of them: a key and 40 columns. */
  static String rule() {
    List<String> parts = new ArrayList<>();
    List<String> types = new ArrayList<>(List.of("id = BIGINT"));
    for (int source = 0; source < SOURCES; source++) {
      List<String> columns = new ArrayList<>(List.of("id = id"));
      for (int i = 0; i < COLUMNS.size(); i++) {
        columns.add(column(source, i) + " = " + COLUMNS.get(i));
        types.add(column(source, i) + " = \"" + TYPES.get(i) + "\"");
      }
      parts.add(
          "{ name = s%d, match = %s, sequence = [version], columns { %s } }"
              .formatted(source, topic(source), String.join(", ", columns)));
    }
    return "{ into = \"%s.%s\", primary-key = [id], types { %s }, from = [ %s ] }"
        .formatted(DATABASE, TABLE, String.join(", ", types), String.join(", ", parts));
  }
}
