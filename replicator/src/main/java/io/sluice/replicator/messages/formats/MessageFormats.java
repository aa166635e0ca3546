package io.sluice.replicator.messages.formats;

import io.sluice.replicator.messages.MessageFormat;
import io.sluice.replicator.messages.json.DebeziumJsonFormat;
import io.sluice.replicator.messages.json.JsonFormat;
import io.sluice.replicator.messages.json.Tombstones;
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
}
