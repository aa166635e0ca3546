package io.sluice.config;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A name with places in braces: {@code {topic}}, {@code {database}} and {@code {table}} (what the
 * message names) and {@code {field:NAME}} (the text of a field). All else stands for itself.
 */
public final class NameTemplate {

  private static final Set<String> PLACES = new TreeSet<>(Set.of("topic", "database", "table"));
  private static final String FIELD = "field:";

  /**
   * @param place null: the text stands for itself
   */
  private record Part(String text, @Nullable String place) {}

  private final String text;
  private final List<Part> parts;

  private NameTemplate(String text, List<Part> parts) {
    this.text = text;
    this.parts = List.copyOf(parts);
  }

  /**
   * @throws IllegalArgumentException if it has a place that there isn't; the message says why
   */
  public static NameTemplate parse(String text) {
    List<Part> parts = new ArrayList<>();
    int at = 0;
    while (at < text.length()) {
      int open = text.indexOf('{', at);
      int end = open < 0 ? text.length() : open;
      if (end > at) {
        parts.add(new Part(text.substring(at, end), null));
      }
      if (open < 0) {
        break;
      }
      int close = text.indexOf('}', open);
      String place = close < 0 ? "" : text.substring(open + 1, close);
      boolean field = place.startsWith(FIELD) && place.length() > FIELD.length();
      if (!field && !PLACES.contains(place)) {
        throw new IllegalArgumentException(
            "\"" + text + "\" may have {topic}, {database}, {table} and {field:NAME} in it");
      }
      parts.add(new Part("", place));
      at = close + 1;
    }
    if (parts.isEmpty()) {
      throw new IllegalArgumentException("\"" + text + "\" is empty");
    }
    return new NameTemplate(text, parts);
  }

  /** Names of fields that it asks for. */
  public List<String> fields() {
    return parts.stream()
        .map(Part::place)
        .filter(place -> place != null && place.startsWith(FIELD))
        .map(place -> place.substring(FIELD.length()))
        .toList();
  }

  /**
   * The name.
   *
   * @param values what stands in a place: {@code topic}, {@code database}, {@code table}, or {@code
   *     field:NAME}; null: nothing
   * @return null if something that it asks for isn't there
   */
  public @Nullable String name(Function<String, @Nullable String> values) {
    StringBuilder name = new StringBuilder();
    for (Part part : parts) {
      String place = part.place();
      String value = place == null ? part.text() : values.apply(place);
      if (value == null) {
        return null;
      }
      name.append(value);
    }
    return name.toString();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof NameTemplate that && text.equals(that.text);
  }

  @Override
  public int hashCode() {
    return text.hashCode();
  }

  /** The text it was made from. */
  @Override
  public String toString() {
    return text;
  }
}
