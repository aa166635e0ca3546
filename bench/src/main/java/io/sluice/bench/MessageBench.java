package io.sluice.bench;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.DataTypeText;
import io.sluice.lsm.schema.RowType;
import io.sluice.replicator.messages.BadMessageException;
import io.sluice.replicator.messages.ConnectOrigin;
import io.sluice.replicator.messages.Message;
import io.sluice.replicator.messages.json.DebeziumJsonFormat;
import io.sluice.replicator.messages.json.Tombstones;
import io.sluice.replicator.messages.rows.RowWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Random;

/**
 * Debezium's JSON events to rows, one thread, from bytes in memory: messages per second of its CPU
 * time. By turns with Jackson reading the same bytes: its bare tokens, and its tree. Arguments:
 * messages a round (1,000,000), rounds (5).
 */
public final class MessageBench {

  /** Reads one message. */
  private interface Reader {
    long read(Message message) throws IOException, BadMessageException;
  }

  private static final int MESSAGES_IN_MEMORY = 10_000;

  private MessageBench() {}

  public static void main(String[] args) throws IOException, BadMessageException {
    Arguments arguments = new Arguments(args);
    int count = arguments.number(0, 1_000_000);
    int rounds = arguments.number(1, 5);
    Map<String, List<Message>> inputs =
        Map.of("events without schemas", messages(false), "with schema blocks", messages(true));
    for (Map.Entry<String, List<Message>> input : inputs.entrySet()) {
      List<Message> messages = input.getValue();
      System.out.printf(
          Locale.ROOT,
          "%s: %d bytes a value%n",
          input.getKey(),
          messages.stream().mapToInt(each -> bytes(each).length).sum() / messages.size());
      for (int round = 0; round < rounds; round++) {
        System.out.printf(
            Locale.ROOT,
            "  rows %,d/s, Jackson's tokens %,d/s, Jackson's tree %,d/s%n",
            rate(rows(), messages, count),
            rate(tokens(), messages, count),
            rate(tree(), messages, count));
      }
    }
  }

  private static Reader rows() {
    DebeziumJsonFormat format = new DebeziumJsonFormat(Tombstones.SKIP, ConnectOrigin.PLAIN);
    RowWriter writer = RowWriter.of(orders(), List.of("id"), Map.of());
    return message -> {
      long[] bytes = new long[1];
      format.read(
          message,
          change -> {
            if (writer.write(message, change, RowKind.UPDATE_AFTER) != RowWriter.Outcome.FITS) {
              throw writer.misfit();
            }
            bytes[0] += writer.row().length();
          });
      return bytes[0];
    };
  }

  private static Reader tokens() {
    JsonFactory factory = new JsonFactory();
    return message -> {
      long tokens = 0;
      try (JsonParser parser = factory.createParser(bytes(message))) {
        while (parser.nextToken() != null) {
          tokens++;
        }
      }
      return tokens;
    };
  }

  private static Reader tree() {
    JsonMapper mapper = new JsonMapper();
    return message -> mapper.readTree(bytes(message)).size();
  }

  private static long rate(Reader reader, List<Message> messages, int count)
      throws IOException, BadMessageException {
    long start = cpuNanos();
    long sum = 0;
    for (int i = 0; i < count; i++) {
      sum += reader.read(messages.get(i % messages.size()));
    }
    if (sum == 0) {
      throw new IllegalStateException("Nothing was read");
    }
    return count * 1_000_000_000L / (cpuNanos() - start);
  }

  private static byte[] bytes(Message message) {
    return Objects.requireNonNull(message.value());
  }

  private static long cpuNanos() {
    return java.lang.management.ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
  }

  private static RowType orders() {
    String[][] columns = {
      {"id", "BIGINT NOT NULL"},
      {"customer", "INT"},
      {"status", "STRING"},
      {"amount", "DECIMAL(12, 2)"},
      {"note", "STRING"},
      {"quantity", "INT"},
      {"created_at", "TIMESTAMP(6)"},
      {"updated_at", "TIMESTAMP(6)"}
    };
    List<DataField> fields = new ArrayList<>();
    for (String[] column : columns) {
      fields.add(new DataField(fields.size(), column[0], DataTypeText.parse(column[1])));
    }
    return new RowType(fields);
  }

  private static List<Message> messages(boolean schemas) {
    Random random = new Random(42);
    List<Message> messages = new ArrayList<>();
    for (int i = 0; i < MESSAGES_IN_MEMORY; i++) {
      String event =
          "{\"before\":"
              + row(random, i, schemas)
              + ",\"after\":"
              + row(random, i, schemas)
              + ",\"source\":{\"version\":\"3.5.0.Final\",\"connector\":\"mysql\",\"name\":\"shop\","
              + "\"ts_ms\":1700000000123,\"snapshot\":\"false\",\"db\":\"shop\",\"sequence\":null,"
              + "\"table\":\"orders\",\"server_id\":1,\"gtid\":null,\"file\":\"binlog.000017\",\"pos\":"
              + (1000 + i)
              + ",\"row\":0,\"thread\":7,\"query\":null},\"op\":\"u\",\"ts_ms\":1700000000200,"
              + "\"transaction\":null}";
      String value = schemas ? "{\"schema\":" + block() + ",\"payload\":" + event + "}" : event;
      messages.add(
          new Message(
              "shop.shop.orders",
              0,
              i,
              1_700_000_000_000L,
              ("{\"id\":" + i + "}").getBytes(StandardCharsets.UTF_8),
              value.getBytes(StandardCharsets.UTF_8),
              List.of()));
    }
    return messages;
  }

  private static String row(Random random, int id, boolean schemas) {
    return String.format(
        Locale.ROOT,
        "{\"id\":%d,\"customer\":%d,\"status\":\"%s\",\"amount\":%s,\"note\":\"%s\",\"quantity\":%d,"
            + "\"created_at\":%d,\"updated_at\":%d}",
        id,
        random.nextInt(100_000),
        random.nextBoolean() ? "shipped" : "packed",
        schemas ? "\"BNI=\"" : "\"" + random.nextInt(1000) + ".50\"",
        "note " + Long.toHexString(random.nextLong()) + " für " + id,
        random.nextInt(20),
        1_700_000_000_000_000L + random.nextInt(1_000_000_000),
        1_700_000_000_000_000L + random.nextInt(1_000_000_000));
  }

  private static String block() {
    String micros = "int64\",\"name\":\"io.debezium.time.MicroTimestamp\",\"version\":1";
    String decimal =
        "bytes\",\"name\":\"org.apache.kafka.connect.data.Decimal\",\"version\":1,\"parameters\":"
            + "{\"scale\":\"2\",\"connect.decimal.precision\":\"12\"}";
    String[][] columns = {
      {"id", "int64\""},
      {"customer", "int32\""},
      {"status", "string\""},
      {"amount", decimal},
      {"note", "string\""},
      {"quantity", "int32\""},
      {"created_at", micros},
      {"updated_at", micros}
    };
    StringBuilder row = new StringBuilder("{\"type\":\"struct\",\"fields\":[");
    for (String[] column : columns) {
      row.append(row.charAt(row.length() - 1) == '[' ? "" : ",")
          .append("{\"type\":\"")
          .append(column[1])
          .append(",\"optional\":true,\"field\":\"")
          .append(column[0])
          .append("\"}");
    }
    row.append("],\"optional\":true,\"name\":\"shop.shop.orders.Value\",\"field\":\"");
    return "{\"type\":\"struct\",\"fields\":["
        + row
        + "before\"},"
        + row
        + "after\"},{\"type\":\"struct\",\"fields\":[],\"optional\":false,"
        + "\"name\":\"io.debezium.connector.mysql.Source\",\"field\":\"source\"},"
        + "{\"type\":\"string\",\"optional\":false,\"field\":\"op\"}],\"optional\":false,"
        + "\"name\":\"shop.shop.orders.Envelope\"}";
  }
}
