package io.sluice.replicator.messages.golden;

import io.sluice.replicator.messages.Message;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A file of messages, as {@code GoldenWriter} of testcontainers-it writes it: lines {@code let N
 * TEXT} (written «N» from there on), {@code schema ID TEXT}, {@code message TOPIC} and of each
 * {@code key TEXT} or {@code key64 BASE64}, likewise {@code value}, and {@code header NAME BASE64}.
 *
 * @param name below {@link #ALL}, without its end
 * @param schemas what the registry has, by id
 */
record GoldenFile(String name, List<Message> messages, Map<Integer, String> schemas) {

  static final Path ALL = Path.of("src", "test", "resources", "golden-messages");

  private static final String END = ".messages";

  static List<String> names() throws IOException {
    try (Stream<Path> files = Files.walk(ALL)) {
      return files
          .map(file -> ALL.relativize(file).toString().replace('\\', '/'))
          .filter(name -> name.endsWith(END))
          .map(name -> name.substring(0, name.length() - END.length()))
          .sorted()
          .toList();
    }
  }

  static GoldenFile read(String name) throws IOException {
    Map<String, String> shared = new HashMap<>();
    Map<Integer, String> schemas = new TreeMap<>();
    List<Message> messages = new ArrayList<>();
    Draft draft = null;
    for (String line : Files.readAllLines(ALL.resolve(name + END), StandardCharsets.UTF_8)) {
      int blank = line.indexOf(' ');
      String word = blank < 0 ? line : line.substring(0, blank);
      String rest = blank < 0 ? "" : line.substring(blank + 1);
      switch (word) {
        case "#", "" -> {}
        case "let" -> shared.put(word(rest), behindWord(rest));
        case "schema" -> schemas.put(Integer.valueOf(word(rest)), behindWord(rest));
        case "message" -> {
          if (draft != null) {
            messages.add(draft.finish(messages.size()));
          }
          draft = new Draft(rest);
        }
        default -> draft.add(word, rest, shared);
      }
    }
    if (draft != null) {
      messages.add(draft.finish(messages.size()));
    }
    return new GoldenFile(name, messages, schemas);
  }

  private static String word(String text) {
    return text.substring(0, text.indexOf(' '));
  }

  private static String behindWord(String text) {
    return text.substring(text.indexOf(' ') + 1);
  }

  Message message(String topic, int nth) {
    return messages.stream().filter(m -> m.topic().equals(topic)).skip(nth).findFirst().get();
  }

  /** The part of its name behind the last slash. */
  String kind() {
    return name.substring(name.lastIndexOf('/') + 1);
  }

  private static final class Draft {
    private final String topic;
    private byte @Nullable [] key;
    private byte @Nullable [] value;
    private final List<Message.Header> headers = new ArrayList<>();

    Draft(String topic) {
      this.topic = topic;
    }

    void add(String word, String text, Map<String, String> shared) {
      switch (word) {
        case "key" -> key = bytes(text, shared);
        case "key64" -> key = Base64.getDecoder().decode(text);
        case "value" -> value = bytes(text, shared);
        case "value64" -> value = Base64.getDecoder().decode(text);
        case "header" ->
            headers.add(
                new Message.Header(word(text), Base64.getDecoder().decode(behindWord(text))));
        default -> throw new AssertionError("No line of golden messages: " + word);
      }
    }

    private static byte[] bytes(String text, Map<String, String> shared) {
      String result = text;
      int at = result.indexOf('«');
      if (at >= 0) {
        int end = result.indexOf('»', at);
        result =
            result.substring(0, at)
                + shared.get(result.substring(at + 1, end))
                + result.substring(end + 1);
      }
      return result.getBytes(StandardCharsets.UTF_8);
    }

    Message finish(int offset) {
      return new Message(topic, 0, offset, 1_700_000_000_000L, key, value, headers);
    }
  }
}
