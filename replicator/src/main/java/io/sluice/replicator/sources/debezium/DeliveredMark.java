package io.sluice.replicator.sources.debezium;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * Everything of which an event may have been delivered: the D of the backfill's read point. May
 * name a transaction of which nothing has been delivered yet; that only makes a reader wait.
 *
 * @param gtids transactions that are complete; null on a server without GTIDs
 * @param open the transaction under way (or the newest, complete but not yet in gtids); null if
 *     none
 * @param point a server whose binlog, between transactions, is at or past this point has it all
 */
record DeliveredMark(@Nullable GtidSet gtids, @Nullable String open, BinlogPoint point) {

  private static final ObjectMapper JSON = new ObjectMapper();

  /** One line of JSON: {@code gtids} (with the open one; if the server has them), file, pos. */
  String text() {
    ObjectNode node = JSON.createObjectNode();
    if (gtids != null) {
      node.put("gtids", (open == null ? gtids : gtids.with(open)).toString());
    }
    return node.put("file", point.file()).put("pos", point.pos()).toString();
  }
}
