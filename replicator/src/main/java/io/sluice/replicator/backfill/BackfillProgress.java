package io.sluice.replicator.backfill;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.sinks.KeyStretch;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How far one table's copy is, as it stands in the epoch file: one line of JSON.
 *
 * <pre>
 * {"state":"copying","key":["a","b"],"todo":[[["5","x"],null]],"rows":100,"estimate":900}
 * {"state":"copied","settle":{"file":"binlog.000002","pos":4711},"rows":900,"estimate":900}
 * {"state":"consistent","rows":900}
 * {"state":"again","within":{"column":"a","from":"5","to":"9"}}
 * </pre>
 *
 * What is to do is kept, not what is done: it is as good (the rest of the key space is done) and
 * stays short, since the gaps are at most one per reader.
 *
 * @param key columns that {@code todo}'s bounds are values of
 * @param todo ranges that are not done, in the server's order of keys
 * @param rows copied so far, those of chunks that were read again included
 * @param estimate of all rows when the copy began; 0 if unknown
 * @param within the keys that are copied; null: all. Kept until the table is consistent
 */
public record BackfillProgress(
    State state,
    List<String> key,
    List<KeyRange> todo,
    long rows,
    long estimate,
    @Nullable KeyStretch within) {

  private static final ObjectMapper JSON = new ObjectMapper();

  /** The steps of a copy, in order. */
  public enum State {
    /** Nothing is copied yet. */
    PENDING,
    /** The pipeline demands a copy beside the rows that are there. */
    AGAIN,
    COPYING,
    /** All chunks are done; the stream hasn't passed yet what the last of them saw. */
    COPIED,
    CONSISTENT;

    String text() {
      return name().toLowerCase(java.util.Locale.ROOT);
    }
  }

  public BackfillProgress {
    key = List.copyOf(key);
    todo = List.copyOf(todo);
  }

  static BackfillProgress of(State state) {
    return new BackfillProgress(state, List.of(), List.of(), 0, 0, null);
  }

  /**
   * @param text null or empty for a table that has none
   * @throws IllegalArgumentException it is none of ours
   */
  public static BackfillProgress parse(@Nullable String text) {
    if (text == null || text.isEmpty()) {
      return of(State.PENDING);
    }
    try {
      JsonNode node = JSON.readTree(text);
      String name = node.path("state").asText();
      for (State state : State.values()) {
        if (state.text().equals(name)) {
          List<String> key = new ArrayList<>();
          node.path("key").forEach(column -> key.add(column.asText()));
          List<KeyRange> todo = new ArrayList<>();
          node.path("todo").forEach(range -> todo.add(range(range)));
          return new BackfillProgress(
              state,
              key,
              todo,
              node.path("rows").asLong(),
              node.path("estimate").asLong(),
              KeyStretch.readFrom(node.path("within")));
        }
      }
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("Not a backfill's progress: " + text, e);
    }
    throw new IllegalArgumentException("Not a backfill's progress: " + text);
  }

  private static KeyRange range(JsonNode node) {
    return new KeyRange(bound(node.path(0)), bound(node.path(1)));
  }

  private static @Nullable List<String> bound(JsonNode node) {
    if (!node.isArray()) {
      return null;
    }
    List<String> values = new ArrayList<>();
    node.forEach(value -> values.add(value.asText()));
    return values;
  }

  /** One line of JSON; {@code settle} is told for whoever reads the epoch file. */
  String text(@Nullable BinlogEnd settle) {
    ObjectNode node = JSON.createObjectNode();
    node.put("state", state.text());
    if (state == State.COPYING) {
      ArrayNode columns = node.putArray("key");
      key.forEach(columns::add);
      ArrayNode ranges = node.putArray("todo");
      for (KeyRange range : todo) {
        ArrayNode pair = ranges.addArray();
        put(pair, range.from());
        put(pair, range.to());
      }
    }
    if (within != null) {
      within.writeTo(node.putObject("within"));
    }
    if (settle != null) {
      node.putObject("settle").put("file", settle.file()).put("pos", settle.position());
    }
    node.put("rows", rows);
    if (state != State.CONSISTENT) {
      node.put("estimate", estimate);
    }
    return node.toString();
  }

  private static void put(ArrayNode pair, @Nullable List<String> bound) {
    if (bound == null) {
      pair.addNull();
    } else {
      ArrayNode values = pair.addArray();
      bound.forEach(values::add);
    }
  }
}
