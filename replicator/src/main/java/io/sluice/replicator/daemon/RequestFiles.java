package io.sluice.replicator.daemon;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.lsm.io.FileIO;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Requests of one kind to a pipeline's daemon, as files {@code <prefix>-<id>} in its folder, and
 * their answers, {@code <prefix>-answer-<id>}. A request is created exclusively and deleted when it
 * is answered; an answer stays until whoever asked takes it away. Thread safe.
 */
final class RequestFiles {

  private static final ObjectMapper JSON = new ObjectMapper();

  private final FileIO fileIO;
  private final String folder;
  private final String prefix;
  private final String answer;

  /**
   * A request that is open.
   *
   * @param content null if it is no JSON: {@code fault} says why
   */
  record Open(String id, String path, Optional<JsonNode> content, String fault) {}

  /**
   * @param folder of the pipeline
   * @param prefix with its dash
   */
  RequestFiles(FileIO fileIO, String folder, String prefix) {
    this.fileIO = fileIO;
    this.folder = folder;
    this.prefix = prefix;
    this.answer = prefix + "answer-";
  }

  String folder() {
    return folder;
  }

  /** Where a request lies. */
  String path(String id) {
    return folder + "/" + prefix + id;
  }

  /**
   * Asks.
   *
   * @param id used by nobody else
   */
  void lay(String id, JsonNode content) throws IOException {
    // False: an earlier try of our own was the one that landed.
    boolean created =
        fileIO.createExclusively(path(id), content.toString().getBytes(StandardCharsets.UTF_8));
    assert created || fileIO.exists(path(id));
  }

  /** The answer, which is taken away by this; empty: there is none yet. */
  Optional<JsonNode> takeAnswer(String id) throws IOException {
    String path = folder + "/" + answer + id;
    try {
      JsonNode node = JSON.readTree(fileIO.readAll(path));
      fileIO.deleteQuietly(path);
      return Optional.of(node);
    } catch (FileNotFoundException e) {
      return Optional.empty();
    }
  }

  /** Whether the request waits still. */
  boolean isOpen(String id) throws IOException {
    return fileIO.exists(path(id));
  }

  /** All requests that wait. */
  List<Open> open() throws IOException {
    List<Open> result = new ArrayList<>();
    for (FileIO.FileStatus file : fileIO.list(folder)) {
      String name = file.name();
      if (file.folder() || !name.startsWith(prefix) || name.startsWith(answer)) {
        continue;
      }
      String id = name.substring(prefix.length());
      if (fileIO.exists(folder + "/" + answer + id)) {
        // It was done, and its daemon died before it could take it away.
        fileIO.delete(file.path());
        continue;
      }
      try {
        result.add(
            new Open(id, file.path(), Optional.of(JSON.readTree(fileIO.readAll(file.path()))), ""));
      } catch (FileNotFoundException e) {
        continue;
      } catch (JsonProcessingException e) {
        result.add(new Open(id, file.path(), Optional.empty(), e.getOriginalMessage()));
      }
    }
    return result;
  }

  /** Answers a request and ends it. */
  void answer(String id, JsonNode content) throws IOException {
    fileIO.replace(folder + "/" + answer + id, content.toString().getBytes(StandardCharsets.UTF_8));
    fileIO.delete(path(id));
  }
}
