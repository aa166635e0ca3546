package io.sluice.replicator.daemon;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.evolution.SourceTableId;
import io.sluice.lsm.io.FileIO;
import io.sluice.sinks.KeyStretch;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
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

  private static final String PREFIX = "resync-";
  private static final String ANSWER = "resync-answer-";
  private static final ObjectMapper JSON = new ObjectMapper();

  private final FileIO fileIO;
  private final String folder;

  /**
   * @param folder of the pipeline: {@code <warehouse>/_sluice/<pipeline>}
   */
  public ResyncRequests(FileIO fileIO, String folder) {
    this.fileIO = fileIO;
    this.folder = folder;
  }

  String folder() {
    return folder;
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
    return folder + "/" + PREFIX + id;
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
    lay(id, JSON.createObjectNode().put("all", true));
  }

  private void lay(String id, SourceTableId table, ObjectNode node) throws IOException {
    lay(id, node.put("database", table.database()).put("table", table.table()));
  }

  private void lay(String id, ObjectNode node) throws IOException {
    // False: an earlier try of our own was the one that landed.
    boolean created =
        fileIO.createExclusively(path(id), node.toString().getBytes(StandardCharsets.UTF_8));
    assert created || fileIO.exists(path(id));
  }

  /** The answer, which is taken away by this; empty: there is none yet. */
  public Optional<Answer> takeAnswer(String id) throws IOException {
    String path = folder + "/" + ANSWER + id;
    try {
      JsonNode node = JSON.readTree(fileIO.readAll(path));
      fileIO.deleteQuietly(path);
      JsonNode problem = node.path("problem");
      return Optional.of(new Answer(problem.isTextual() ? problem.asText() : null));
    } catch (FileNotFoundException e) {
      return Optional.empty();
    }
  }

  /** Whether the request waits still. */
  public boolean isOpen(String id) throws IOException {
    return fileIO.exists(path(id));
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
    for (FileIO.FileStatus file : fileIO.list(folder)) {
      String name = file.name();
      if (file.folder() || !name.startsWith(PREFIX) || name.startsWith(ANSWER)) {
        continue;
      }
      String id = name.substring(PREFIX.length());
      if (fileIO.exists(folder + "/" + ANSWER + id)) {
        // It was done, and its daemon died before it could take it away.
        fileIO.delete(file.path());
        continue;
      }
      try {
        JsonNode node = JSON.readTree(fileIO.readAll(file.path()));
        JsonNode park = node.path("park");
        result.add(
            new Request(
                id,
                node.path("all").asBoolean()
                    ? null
                    : new SourceTableId(
                        node.path("database").asText(), node.path("table").asText()),
                KeyStretch.readFrom(node.path("where")),
                park.isTextual() ? park.asText() : null));
      } catch (FileNotFoundException e) {
        continue;
      } catch (com.fasterxml.jackson.core.JsonProcessingException e) {
        answer(id, new Answer(file.path() + " holds no request: " + e.getOriginalMessage()));
      } catch (IllegalArgumentException e) {
        answer(id, new Answer(file.path() + " holds no request: " + e.getMessage()));
      }
    }
    return result;
  }

  /** Answers a request and ends it. */
  void answer(String id, Answer answer) throws IOException {
    ObjectNode node = JSON.createObjectNode();
    node.put("problem", answer.problem());
    fileIO.replace(folder + "/" + ANSWER + id, node.toString().getBytes(StandardCharsets.UTF_8));
    fileIO.delete(path(id));
  }
}
