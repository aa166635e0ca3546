package io.sluice.replicator.messages.rows;

import io.sluice.config.TopicRule.MessageFact;
import io.sluice.lsm.schema.DataType;
import io.sluice.lsm.schema.TypeRoot;
import io.sluice.replicator.messages.FieldRow;
import io.sluice.replicator.messages.FieldRow.Kind;
import io.sluice.replicator.messages.Message;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a message beside its value, as fields: topic, partition, offset, timestamp (an
 * instant, or milliseconds for a BIGINT; NULL if the record has none), the key (its bytes; text if
 * the column is one, then it must be UTF-8), headers as {@link MessageFacts#headers} writes them.
 */
final class FactFields {

  private final List<MessageFact> facts = new ArrayList<>();
  private final List<DataType> types = new ArrayList<>();
  private final FieldRow row = new FieldRow();
  private String topic = "";
  private byte[] topicText = {};

  /** Adds one; returns its field in {@link #row}. */
  int add(MessageFact fact, DataType type) {
    facts.add(fact);
    types.add(type);
    return facts.size() - 1;
  }

  FieldRow row() {
    return row;
  }

  void read(Message message) {
    row.clear();
    for (int i = 0; i < facts.size(); i++) {
      switch (facts.get(i)) {
        case TOPIC -> {
          if (!topic.equals(message.topic())) {
            topic = message.topic();
            topicText = topic.getBytes(StandardCharsets.UTF_8);
          }
          row.addSlice("topic", Kind.TEXT, topicText, 0, topicText.length);
        }
        case PARTITION -> row.addLong("partition", message.partition());
        case OFFSET -> row.addLong("offset", message.offset());
        case TIMESTAMP -> {
          if (message.timestampMillis() < 0) {
            row.addNull("timestamp");
          } else if (types.get(i).root() == TypeRoot.BIGINT) {
            row.addLong("timestamp", message.timestampMillis());
          } else {
            row.addInstant("timestamp", message.timestampMillis(), 0);
          }
        }
        case KEY -> {
          byte[] key = message.key();
          if (key == null) {
            row.addNull("key");
          } else {
            boolean text = !types.get(i).root().isBytes() && utf8(key) != null;
            row.addSlice("key", text ? Kind.TEXT : Kind.BYTES, key, 0, key.length);
          }
        }
        case HEADERS -> {
          String headers = MessageFacts.headers(message.headers());
          if (headers == null) {
            row.addNull("headers");
          } else {
            row.addText("headers", Kind.NESTED, headers);
          }
        }
      }
    }
  }

  private static @Nullable String utf8(byte[] bytes) {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      return null;
    }
  }
}
