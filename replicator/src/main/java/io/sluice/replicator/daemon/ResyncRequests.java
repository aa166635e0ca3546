package io.sluice.replicator.daemon;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.evolution.SourceTableId;
import io.sluice.lsm.io.FileIO;
import io.sluice.sinks.KeyStretch;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How an operator asks a running daemon to copy a table again, or to park it, wherever both are: by
 * a file {@code _sluice/<pipeline>/resync-<id>}, created exclusively, which the daemon deletes when
 * the epoch that begins the copy is finished. A daemon that is killed before finds it again; one
 * that doesn't run finds it when it starts. The answer stands in {@code resync-answer-<id>} until
 * whoever asked takes it away. Thread safe.
 */
public final class ResyncRequests {

  private static final ObjectMapper JSON = new ObjectMapper();

  private final RequestFiles files;

  /**
   * @param folder of the pipeline: {@code <warehouse>/_sluice/<pipeline>}
   */
  public ResyncRequests(FileIO fileIO, String folder) {
    this.files = new RequestFiles(fileIO, folder, "resync-");
  }

  String folder() {
    return files.folder();
  }

  /**
   * A request that is open.
   *
   * @param table null: all tables of the pipeline
   * @param keys which rows are to be copied; null: all
   * @param park why the table is to be parked; null: it is to be copied again
   */
  public record Request(
      String id, @Nullable SourceTableId table, @Nullable KeyStretch keys, @Nullable String park) {}

  /**
   * What became of a request.
   *
   * @param problem why it can't be done; null: the copy has begun, or the table is parked
   */
  public record Answer(@Nullable String problem) {}

  /** Where a request lies. */
  public String path(String id) {
    return files.path(id);
  }

  /**
   * Asks for a table.
   *
   * @param id used by nobody else
   * @param keys which of its rows; null: all
   */
  public void ask(String id, SourceTableId table, @Nullable KeyStretch keys) throws IOException {
    ObjectNode node = JSON.createObjectNode();
    if (keys != null) {
      keys.writeTo(node.putObject("where"));
    }
    lay(id, table, node);
  }

  /**
   * Asks for a table to be parked.
   *
   * @param id used by nobody else
   */
  public void askToPark(String id, SourceTableId table, String reason) throws IOException {
    lay(id, table, JSON.createObjectNode().put("park", reason));
  }

  /**
   * Asks for all tables. A daemon that finds this when it starts begins where its source is then,
   * whatever has been lost since its last epoch.
   *
   * @param id used by nobody else
   */
  public void askForAll(String id) throws IOException {
    files.lay(id, JSON.createObjectNode().put("all", true));
  }

  private void lay(String id, SourceTableId table, ObjectNode node) throws IOException {
    files.lay(id, node.put("database", table.database()).put("table", table.table()));
  }

  /** The answer, which is taken away by this; empty: there is none yet. */
  public Optional<Answer> takeAnswer(String id) throws IOException {
    return files
        .takeAnswer(id)
        .map(node -> node.path("problem"))
        .map(problem -> new Answer(problem.isTextual() ? problem.asText() : null));
  }

  /** Whether the request waits still. */
  public boolean isOpen(String id) throws IOException {
    return files.isOpen(id);
  }

  /** Whether a request waits to copy this table, or all tables, again. */
  public boolean waitsFor(SourceTableId table) throws IOException {
    for (Request request : open()) {
      if (request.park() == null && (request.table() == null || request.table().equals(table))) {
        return true;
      }
    }
    return false;
  }

  /** All requests that wait. What is no request is answered so. */
  List<Request> open() throws IOException {
    List<Request> result = new ArrayList<>();
    for (RequestFiles.Open file : files.open()) {
      try {
        JsonNode node =
            file.content().orElseThrow(() -> new IllegalArgumentException(file.fault()));
        JsonNode park = node.path("park");
        result.add(
            new Request(
                file.id(),
                node.path("all").asBoolean()
                    ? null
                    : new SourceTableId(
                        node.path("database").asText(), node.path("table").asText()),
                KeyStretch.readFrom(node.path("where")),
                park.isTextual() ? park.asText() : null));
      } catch (IllegalArgumentException e) {
        answer(file.id(), new Answer(file.path() + " holds no request: " + e.getMessage()));
      }
    }
    return result;
  }

  /** Answers a request and ends it. */
  void answer(String id, Answer answer) throws IOException {
    files.answer(id, JSON.createObjectNode().put("problem", answer.problem()));
  }
}
