package io.sluice.replicator.daemon;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.lsm.io.FileIO;
import io.sluice.replicator.letters.LetterSelection;
import io.sluice.replicator.letters.LetterWork;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How an operator asks a pipeline's daemon to take dead letters in or to drop them: by a file
 * {@code _sluice/<pipeline>/letters-<id>}, which the daemon deletes when the epochs that hold what
 * has become of them are finished. A daemon that is killed before finds it again, and the letters
 * that still wait; one that doesn't run finds it when it starts. Thread safe.
 */
public final class LetterRequests {

  private static final ObjectMapper JSON = new ObjectMapper();

  private final RequestFiles files;

  /**
   * @param folder of the pipeline: {@code <warehouse>/_sluice/<pipeline>}
   */
  public LetterRequests(FileIO fileIO, String folder) {
    this.files = new RequestFiles(fileIO, folder, "letters-");
  }

  /**
   * A request that is open.
   *
   * @param which of the letters that wait
   */
  public record Request(String id, LetterWork work, LetterSelection which) {}

  /**
   * What became of a request.
   *
   * @param done letters that are taken in, or dropped, since the daemon that answers took it up
   * @param staying letters that still wait, since they are still bad
   * @param why of the first of these, a line each
   * @param problem why nothing could be done; null: it could
   */
  public record Answer(long done, long staying, List<String> why, @Nullable String problem) {
    public Answer {
      why = List.copyOf(why);
    }
  }

  /** Where a request lies. */
  public String path(String id) {
    return files.path(id);
  }

  /**
   * Asks.
   *
   * @param id used by nobody else
   */
  public void ask(String id, LetterWork work, LetterSelection which) throws IOException {
    ObjectNode node = JSON.createObjectNode().put("do", work.text());
    which.writeTo(node);
    files.lay(id, node);
  }

  /** The answer, which is taken away by this; empty: there is none yet. */
  public Optional<Answer> takeAnswer(String id) throws IOException {
    return files
        .takeAnswer(id)
        .map(
            node -> {
              List<String> why = new ArrayList<>();
              node.path("why").forEach(line -> why.add(line.asText()));
              return new Answer(
                  node.path("done").asLong(),
                  node.path("staying").asLong(),
                  why,
                  node.hasNonNull("problem") ? node.get("problem").asText() : null);
            });
  }

  /** All requests that wait. What is no request is answered so. */
  List<Request> open() throws IOException {
    List<Request> result = new ArrayList<>();
    for (RequestFiles.Open file : files.open()) {
      try {
        JsonNode node =
            file.content().orElseThrow(() -> new IllegalArgumentException(file.fault()));
        result.add(
            new Request(
                file.id(),
                LetterWork.parse(node.path("do").asText()),
                LetterSelection.readFrom(node)));
      } catch (IllegalArgumentException e) {
        answer(
            file.id(),
            new Answer(0, 0, List.of(), file.path() + " holds no request: " + e.getMessage()));
      }
    }
    return result;
  }

  /** Answers a request and ends it. */
  void answer(String id, Answer answer) throws IOException {
    ObjectNode node = JSON.createObjectNode();
    node.put("done", answer.done()).put("staying", answer.staying());
    ArrayNode why = node.putArray("why");
    answer.why().forEach(why::add);
    node.put("problem", answer.problem());
    files.answer(id, node);
  }
}
