package io.sluice.replicator.wide.tables;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.replicator.backfill.BackfillProgress;
import io.sluice.replicator.backfill.BackfillProgress.State;
import org.jspecify.annotations.Nullable;

/**
 * How far the copies into one wide table are, as it stands in the epoch file: one line of JSON.
 *
 * <pre>
 * {"state":"copying","rows":120,"estimate":900,"parts":{
 *   "orders of shop.orders":{"state":"copying",...,"columns":"order_id=id,user_id=user_id"},
 *   "payments of shop.payments":{"state":"consistent",...,"columns":"..."}}}
 * </pre>
 *
 * The state of all is that of the one that is furthest behind.
 */
final class PartsProgress {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String PARTS = "parts";
  private static final String COLUMNS = "columns";

  private PartsProgress() {}

  /**
   * One copy's progress.
   *
   * @param all of the wide table; null if there is none yet
   * @param columns what the part fills now: a part that filled others before is copied again
   */
  static BackfillProgress of(@Nullable String all, String copy, String columns) {
    if (all == null) {
      return BackfillProgress.parse(null);
    }
    JsonNode node = parse(all);
    JsonNode own = node.path(PARTS).path(copy);
    if (!own.isObject()) {
      return BackfillProgress.parse(node.path(PARTS).isObject() ? null : all);
    }
    return columns.equals(own.path(COLUMNS).asText())
        ? BackfillProgress.parse(own.toString())
        : BackfillProgress.parse(null);
  }

  /** All of the wide table once a copy's progress is another. */
  static String with(@Nullable String all, String copy, String columns, String progress) {
    ObjectNode parts = JSON.createObjectNode();
    JsonNode before = all == null ? JSON.createObjectNode() : parse(all);
    if (before.path(PARTS) instanceof ObjectNode known) {
      parts.setAll(known);
    }
    ObjectNode own = (ObjectNode) parse(progress);
    own.put(COLUMNS, columns);
    parts.set(copy, own);
    State state = State.CONSISTENT;
    long rows = 0;
    long estimate = 0;
    for (JsonNode part : parts) {
      BackfillProgress each = BackfillProgress.parse(part.toString());
      state = each.state().compareTo(state) < 0 ? each.state() : state;
      rows += each.rows();
      estimate += each.estimate();
    }
    ObjectNode result = JSON.createObjectNode();
    result
        .put("state", state.name().toLowerCase(java.util.Locale.ROOT))
        .put("rows", rows)
        .put("estimate", estimate);
    result.set(PARTS, parts);
    return result.toString();
  }

  private static JsonNode parse(String text) {
    try {
      return JSON.readTree(text);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("Not the progress of a wide table: " + text, e);
    }
  }
}
