package io.sluice.replicator.messages;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One record of a topic, as bytes.
 *
 * @param key null if the record has none
 * @param value null for a tombstone
 * @param timestampMillis of the record, epoch milliseconds; -1 if it has none
 */
public record Message(
    String topic,
    int partition,
    long offset,
    long timestampMillis,
    byte @Nullable [] key,
    byte @Nullable [] value,
    List<Header> headers) {

  /** A header; names may repeat. */
  public record Header(String name, byte @Nullable [] value) {}

  /** Where it lies, for messages and dead letters: {@code orders-3@1207}. */
  public String place() {
    return topic + "-" + partition + "@" + offset;
  }
}
