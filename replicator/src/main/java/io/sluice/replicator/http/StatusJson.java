package io.sluice.replicator.http;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.replicator.metrics.DaemonStatus;
import io.sluice.sinks.Parked;
import io.sluice.sinks.PipelineStatus;
import io.sluice.sinks.PipelineStatus.TableStatus;
import io.sluice.sinks.epoch.EpochFile;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * {@link DaemonStatus} as JSON: what {@code /api/status} answers and the page shows; and, with the
 * same names, what the lake alone tells of a pipeline.
 */
public final class StatusJson {

  private static final ObjectMapper MAPPER = new ObjectMapper();

  private StatusJson() {}

  /**
   * What stands in a pipeline's newest epoch, where its daemon can't be asked: no state of a
   * daemon, and of each table no rates.
   */
  public static ObjectNode ofLake(EpochFile epoch, long nowMillis) {
    ObjectNode root = MAPPER.createObjectNode();
    root.put("pipeline", epoch.pipeline());
    root.putNull("state");
    root.put("time", Instant.ofEpochMilli(nowMillis).toString());
    root.put("epoch", epoch.number());
    root.put("lastCommit", Instant.ofEpochMilli(epoch.timeMillis()).toString());
    root.put(
        "sourceTime",
        epoch.sourceTimeMicros() > 0
            ? Instant.EPOCH.plus(epoch.sourceTimeMicros(), ChronoUnit.MICROS).toString()
            : null);
    root.set("position", json(epoch.position()));
    ArrayNode tables = root.putArray("tables");
    epoch
        .sources()
        .forEach(
            (source, facts) -> {
              ObjectNode node = tables.addObject();
              node.put("source", source.toString());
              node.put("lakeTable", facts.lakeTable().name());
              node.put("state", state(facts.backfill(), facts.parked()));
              node.set("parked", parked(facts.parked(), epoch.position()));
              node.put("lastEpoch", epoch.lastEpochs().get(facts.lakeTable()));
              node.set("backfill", json(facts.backfill()));
            });
    return root;
  }

  static byte[] write(DaemonStatus status) {
    ObjectNode root = MAPPER.createObjectNode();
    root.put("pipeline", status.pipelineName());
    root.put("state", status.state().name().toLowerCase(Locale.ROOT));
    root.put("problem", status.problem().orElse(null));
    root.put("time", Instant.ofEpochMilli(status.nowMillis()).toString());
    root.put("started", Instant.ofEpochMilli(status.startedMillis()).toString());
    root.put(
        "sourceLagSeconds",
        status.sourceLagSeconds().isPresent() ? status.sourceLagSeconds().getAsDouble() : null);
    root.put("deadLetters", status.deadLetters());
    if (!status.topics().isEmpty()) {
      ArrayNode topics = root.putArray("topics");
      for (DaemonStatus.Topic topic : status.topics()) {
        topics
            .addObject()
            .put("topic", topic.name())
            .put("partitions", topic.partitions())
            .put("lagMessages", topic.lagMessages());
      }
    }
    status.pipeline().ifPresent(pipeline -> ofPipeline(root, pipeline, status));
    try {
      return MAPPER.writerWithDefaultPrettyPrinter().writeValueAsBytes(root);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void ofPipeline(ObjectNode root, PipelineStatus pipeline, DaemonStatus status) {
    root.put("epoch", pipeline.epoch());
    root.put(
        "lastCommit",
        pipeline.lastCommitMillis() > 0
            ? Instant.ofEpochMilli(pipeline.lastCommitMillis()).toString()
            : null);
    root.put("freshnessSeconds", Math.max(0, pipeline.freshnessSeconds()));
    root.set("position", json(pipeline.position().map(each -> each.text()).orElse(null)));
    root.put("memtableBytes", pipeline.memtableBytes());
    root.put("compactionPendingBytes", pipeline.compactionPendingBytes());
    String position = pipeline.position().map(each -> each.text()).orElse(null);
    ArrayNode tables = root.putArray("tables");
    for (TableStatus table : pipeline.tables()) {
      ObjectNode node = tables.addObject();
      node.put("source", table.source().toString());
      node.put("lakeTable", table.lakeTable());
      node.put("state", state(table.backfillProgress(), table.parked()));
      node.set("parked", parked(table.parked(), position));
      node.put("snapshot", table.snapshotId());
      node.put("freshnessSeconds", Math.max(0, table.freshnessSeconds()));
      node.put("inserts", table.inserts());
      node.put("updates", table.updates());
      node.put("deletes", table.deletes());
      node.put("backfillRows", table.backfillRows());
      node.put("backfillRowsEstimated", status.estimatedRows().get(table.source()));
      node.set("backfill", json(table.backfillProgress()));
      node.put("sortedRuns", table.sortedRuns());
      node.put("liveFiles", table.liveFiles());
    }
  }

  /** docs/operations.md draws how one state follows another. */
  private static String state(@Nullable String backfill, @Nullable Parked parked) {
    if (parked == null) {
      return json(backfill).path("state").asText("pending");
    }
    return parked.catchingUp() ? "catching-up" : "parked";
  }

  /**
   * Messages that a table of topics lacks; empty if positions don't tell that.
   *
   * @param own where the table stands
   * @param others where the pipeline stands
   */
  public static OptionalLong behind(@Nullable String own, @Nullable String others) {
    JsonNode ours = json(own).path("topics");
    JsonNode theirs = json(others).path("topics");
    if (!ours.isObject() || !theirs.isObject()) {
      return OptionalLong.empty();
    }
    long sum = 0;
    for (Map.Entry<String, JsonNode> topic : theirs.properties()) {
      for (Map.Entry<String, JsonNode> offset : topic.getValue().path("offsets").properties()) {
        long at = ours.path(topic.getKey()).path("offsets").path(offset.getKey()).asLong();
        sum += Math.max(0, offset.getValue().asLong() - at);
      }
    }
    return OptionalLong.of(sum);
  }

  /**
   * @param others where the pipeline stands
   */
  private static JsonNode parked(@Nullable Parked parked, @Nullable String others) {
    if (parked == null) {
      return MAPPER.nullNode();
    }
    ObjectNode node = MAPPER.createObjectNode();
    node.put("epoch", parked.epoch());
    node.set("position", json(parked.position()));
    node.put("reason", parked.reason());
    node.put("since", Instant.ofEpochMilli(parked.sinceMillis()).toString());
    if (parked.catchingUp()) {
      node.put("catchingUp", true);
      behind(parked.position(), others).ifPresent(messages -> node.put("messagesToGo", messages));
    }
    return node;
  }

  /** The text as JSON if it is some, else as a JSON text. */
  private static JsonNode json(@Nullable String text) {
    if (text == null) {
      return MAPPER.nullNode();
    }
    try {
      return MAPPER.readTree(text);
    } catch (JsonProcessingException e) {
      return MAPPER.getNodeFactory().textNode(text);
    }
  }
}
