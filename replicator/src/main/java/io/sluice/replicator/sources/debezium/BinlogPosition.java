package io.sluice.replicator.sources.debezium;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.replicator.values.MySqlFlavor;
import io.sluice.sinks.SourcePosition;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A place between two transactions, as Debezium's offset and as the text of a {@link
 * SourcePosition}: one flat JSON object with Debezium's keys.
 *
 * @param gtids everything before this place; null on a server without GTIDs
 * @param point the server has all of it when its binlog has reached this point; without GTIDs this
 *     is the position
 * @param eventsToSkip without GTIDs: binlog events behind the point that have been delivered; 0
 *     with GTIDs
 * @param timeSeconds time of the newest event, epoch seconds; 0 if unknown
 */
record BinlogPosition(
    @Nullable GtidSet gtids, BinlogPoint point, long eventsToSkip, long timeSeconds) {

  static final String GTIDS = "gtids";
  static final String FILE = "file";
  static final String POS = "pos";
  static final String EVENT = "event";
  static final String TIME = "ts_sec";
  static final String SNAPSHOT = "snapshot";

  private static final ObjectMapper JSON = new ObjectMapper();

  BinlogPosition {
    if (gtids != null && eventsToSkip != 0) {
      throw new IllegalArgumentException("With GTIDs no event is skipped, not " + eventsToSkip);
    }
  }

  /**
   * The place before the transaction that this offset of Debezium stands in or before: what has
   * been delivered of it is told by {@code eventsToSkip}, which counts only without GTIDs.
   */
  static BinlogPosition ofOffset(Map<String, ?> offset, MySqlFlavor flavor) {
    Object gtids = offset.get(GTIDS);
    return new BinlogPosition(
        gtids == null ? null : parseGtids(gtids.toString(), flavor),
        pointOf(offset),
        gtids == null ? number(offset, EVENT) : 0,
        number(offset, TIME));
  }

  static BinlogPoint pointOf(Map<String, ?> offset) {
    return new BinlogPoint(String.valueOf(offset.get(FILE)), number(offset, POS));
  }

  static GtidSet parseGtids(String text, MySqlFlavor flavor) {
    return flavor == MySqlFlavor.MARIADB ? MariaDbGtidSet.parse(text) : MySqlGtidSet.parse(text);
  }

  private static long number(Map<String, ?> offset, String key) {
    Object value = offset.get(key);
    return value == null
        ? 0
        : value instanceof Number number ? number.longValue() : Long.parseLong(value.toString());
  }

  /** The same place after one more transaction. REQUIRES: a server with GTIDs. */
  BinlogPosition after(String gtid) {
    if (gtids == null) {
      throw new IllegalStateException("No GTIDs at " + point);
    }
    return new BinlogPosition(gtids.with(gtid), point.justBehind(), 0, timeSeconds);
  }

  /**
   * @throws IllegalArgumentException if the text isn't a position of this kind of server
   */
  static BinlogPosition parse(SourcePosition position, MySqlFlavor flavor) {
    try {
      JsonNode node = JSON.readTree(position.text());
      if (!node.isObject() || !node.path(FILE).isTextual() || !node.path(POS).isIntegralNumber()) {
        throw new IllegalArgumentException("Not a binlog position: " + position.text());
      }
      return new BinlogPosition(
          node.has(GTIDS) ? parseGtids(node.get(GTIDS).asText(), flavor) : null,
          new BinlogPoint(node.get(FILE).asText(), node.get(POS).asLong()),
          node.path(EVENT).asLong(),
          node.path(TIME).asLong());
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("Not a binlog position: " + position.text(), e);
    }
  }

  SourcePosition toSourcePosition() {
    ObjectNode node = JSON.createObjectNode();
    if (gtids != null) {
      node.put(GTIDS, gtids.toString());
    }
    node.put(FILE, point.file()).put(POS, point.pos());
    if (eventsToSkip != 0) {
      node.put(EVENT, eventsToSkip);
    }
    if (timeSeconds != 0) {
      node.put(TIME, timeSeconds);
    }
    return new SourcePosition(node.toString());
  }

  /** What Debezium loads. */
  Map<String, Object> toOffset() {
    var offset = new LinkedHashMap<String, Object>();
    if (gtids != null) {
      offset.put(GTIDS, gtids.toString());
    }
    offset.put(FILE, point.file());
    offset.put(POS, point.pos());
    if (eventsToSkip != 0) {
      offset.put(EVENT, eventsToSkip);
    }
    if (timeSeconds != 0) {
      offset.put(TIME, timeSeconds);
    }
    return offset;
  }
}
