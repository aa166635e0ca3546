package io.sluice.replicator.messages.formats;

import io.sluice.replicator.messages.MessageFormat;
import io.sluice.replicator.messages.csv.CsvFormat;
import io.sluice.replicator.messages.json.DebeziumJsonFormat;
import io.sluice.replicator.messages.json.JsonFormat;
import io.sluice.replicator.messages.json.Tombstones;
import io.sluice.replicator.messages.raw.RawFormat;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;

/** Makes formats. */
public final class MessageFormats {

  /**
   * A format's recipe.
   *
   * @param options that it knows
   */
  private record Recipe(Set<String> options, Function<FormatSettings, MessageFormat> make) {}

  private static final Map<String, Recipe> BY_NAME = new TreeMap<>();

  static {
    BY_NAME.put(
        "json", new Recipe(Set.of("tombstones"), settings -> new JsonFormat(tombstones(settings))));
    BY_NAME.put(
        "debezium-json",
        new Recipe(Set.of("tombstones"), settings -> new DebeziumJsonFormat(tombstones(settings))));
  }

  static {
    BY_NAME.put(
        "csv",
        new Recipe(Set.of("columns", "delimiter", "quote", "escape", "null"), MessageFormats::csv));
    BY_NAME.put("raw", new Recipe(Set.of("column", "type"), MessageFormats::raw));
  }

  private MessageFormats() {}

  /**
   * A reader of one format, for one thread.
   *
   * @throws IllegalArgumentException if there is no such format or option; the message says what
   *     there is
   */
  public static MessageFormat create(FormatSettings settings) {
    Recipe recipe = BY_NAME.get(settings.name());
    if (recipe == null) {
      throw new IllegalArgumentException(
          "there is no format \""
              + settings.name()
              + "\". There are "
              + String.join(", ", BY_NAME.keySet())
              + ".");
    }
    for (String option : settings.options().keySet()) {
      if (!recipe.options().contains(option)) {
        throw new IllegalArgumentException(
            "format "
                + settings.name()
                + " has no option \""
                + option
                + "\". There are "
                + String.join(", ", new TreeSet<>(recipe.options()))
                + ".");
      }
    }
    return recipe.make().apply(settings);
  }

  private static Tombstones tombstones(FormatSettings settings) {
    String text = settings.options().getOrDefault("tombstones", "skip");
    try {
      return Tombstones.valueOf(text.toUpperCase(Locale.ROOT));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "option tombstones can't be \"" + text + "\". Write skip or delete.", e);
    }
  }

  private static MessageFormat csv(FormatSettings settings) {
    List<String> columns =
        Arrays.stream(settings.options().getOrDefault("columns", "").split(",", -1))
            .map(String::strip)
            .toList();
    if (columns.contains("")) {
      throw new IllegalArgumentException(
          "option columns can't be \""
              + settings.options().getOrDefault("columns", "")
              + "\": format csv needs the names of its columns in their order, separated by commas.");
    }
    return new CsvFormat(
        new CsvFormat.Options(
            columns,
            character(settings, "delimiter", ",").charAt(0),
            character(settings, "quote", "\""),
            character(settings, "escape", ""),
            settings.options().getOrDefault("null", "")));
  }

  /** One ASCII character, or none where none is the default. */
  private static String character(FormatSettings settings, String option, String otherwise) {
    String text = settings.options().getOrDefault(option, otherwise);
    boolean none = text.isEmpty() && !option.equals("delimiter");
    String wanted = text.equals("\\t") ? "\t" : text;
    if (!none
        && (wanted.length() != 1
            || wanted.charAt(0) >= 0x80
            || wanted.equals("\n")
            || wanted.equals("\r"))) {
      throw new IllegalArgumentException(
          "option " + option + " can't be \"" + text + "\". Write one ASCII character, or \\t.");
    }
    return wanted;
  }

  private static MessageFormat raw(FormatSettings settings) {
    String type = settings.options().getOrDefault("type", "bytes");
    try {
      return new RawFormat(
          settings.options().getOrDefault("column", "value"),
          RawFormat.Type.valueOf(type.toUpperCase(Locale.ROOT)));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "option type can't be \"" + type + "\". Write bytes or string.", e);
    }
  }
}
