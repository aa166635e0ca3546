package io.sluice.replicator.messages.formats;

import io.sluice.replicator.messages.ConnectOrigin;
import io.sluice.replicator.messages.MessageFormat;
import io.sluice.replicator.messages.avro.AvroFormat;
import io.sluice.replicator.messages.avro.DebeziumAvroFormat;
import io.sluice.replicator.messages.avro.KeyUse;
import io.sluice.replicator.messages.canal.CanalJsonFormat;
import io.sluice.replicator.messages.canal.CanalOptions;
import io.sluice.replicator.messages.canal.CanalOptions.ZeroDates;
import io.sluice.replicator.messages.csv.CsvFormat;
import io.sluice.replicator.messages.json.DebeziumJsonFormat;
import io.sluice.replicator.messages.json.JsonFormat;
import io.sluice.replicator.messages.json.Tombstones;
import io.sluice.replicator.messages.maxwell.MaxwellJsonFormat;
import io.sluice.replicator.messages.ogg.OggJsonFormat;
import io.sluice.replicator.messages.raw.RawFormat;
import io.sluice.replicator.messages.registry.RegistrySettings;
import io.sluice.replicator.messages.registry.RegistrySettings.IdLayout;
import io.sluice.replicator.messages.registry.SchemaRegistry;
import io.sluice.replicator.messages.rows.RowColumns.NumbersAsTimes;
import java.time.DateTimeException;
import java.time.ZoneId;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Makes formats. */
public final class MessageFormats {

  /**
   * A format's recipe.
   *
   * @param options that it knows
   */
  private record Recipe(Set<String> options, Function<FormatSettings, MessageFormat> make) {}

  /** What a number means in a column that is declared as a point in time. */
  private static final String TIMES = "numbers-as-times";

  private static final Map<String, Recipe> BY_NAME = new TreeMap<>();

  static {
    BY_NAME.put(
        "json",
        new Recipe(Set.of("tombstones", TIMES), settings -> new JsonFormat(tombstones(settings))));
    BY_NAME.put(
        "debezium-json",
        new Recipe(
            Set.of("tombstones", "connector", TIMES),
            settings -> new DebeziumJsonFormat(tombstones(settings), connector(settings))));
    BY_NAME.put(
        "avro",
        new Recipe(
            Set.of("key", "tombstones", "connector", "ids"),
            settings ->
                new AvroFormat(
                    registry(settings),
                    choice(settings, "key", KeyUse.NONE, KeyUse.class),
                    tombstones(settings),
                    connector(settings))));
    BY_NAME.put(
        "debezium-avro",
        new Recipe(
            Set.of("key", "ids"),
            settings ->
                new DebeziumAvroFormat(
                    registry(settings), choice(settings, "key", KeyUse.AVRO, KeyUse.class))));
    BY_NAME.put(
        "canal-json",
        new Recipe(
            Set.of("time-zone", "zero-dates"),
            settings ->
                new CanalJsonFormat(
                    new CanalOptions(
                        zone(settings),
                        choice(settings, "zero-dates", ZeroDates.FAIL, ZeroDates.class)))));
    BY_NAME.put("maxwell-json", new Recipe(Set.of(), settings -> new MaxwellJsonFormat()));
    BY_NAME.put(
        "ogg-json", new Recipe(Set.of("time-zone"), settings -> new OggJsonFormat(zone(settings))));
    BY_NAME.put(
        "csv",
        new Recipe(Set.of("columns", "delimiter", "quote", "escape", "null"), MessageFormats::csv));
    BY_NAME.put("raw", new Recipe(Set.of("column", "type"), MessageFormats::raw));
  }

  /** Whose columns Connect's parameters in plain Avro schemas describe. */
  private enum Connector {
    PLAIN(ConnectOrigin.PLAIN),
    MYSQL(ConnectOrigin.MYSQL),
    MARIADB(ConnectOrigin.MARIADB),
    OTHER(ConnectOrigin.DATABASE);

    private final ConnectOrigin origin;

    Connector(ConnectOrigin origin) {
      this.origin = origin;
    }
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
                + "\". "
                + (recipe.options().isEmpty()
                    ? "It has none."
                    : "There are " + String.join(", ", new TreeSet<>(recipe.options())) + "."));
      }
    }
    MessageFormat format = recipe.make().apply(settings);
    numbersAsTimes(settings);
    return format;
  }

  /**
   * What a number of this format means where a config declares a TIMESTAMP or TIME. Debezium
   * without its schemas says it by the column's precision; of other messages nobody knows, so that
   * they are bad unless the option says more.
   *
   * @throws IllegalArgumentException as {@link #create}
   */
  public static NumbersAsTimes numbersAsTimes(FormatSettings settings) {
    return choice(
        settings,
        TIMES,
        settings.name().equals("debezium-json")
            ? NumbersAsTimes.BY_PRECISION
            : NumbersAsTimes.REFUSED,
        NumbersAsTimes.class);
  }

  private static Tombstones tombstones(FormatSettings settings) {
    return choice(settings, "tombstones", Tombstones.SKIP, Tombstones.class);
  }

  private static ConnectOrigin connector(FormatSettings settings) {
    return choice(settings, "connector", Connector.PLAIN, Connector.class).origin;
  }

  private static SchemaRegistry registry(FormatSettings settings) {
    RegistrySettings registry =
        settings
            .registry()
            .orElseThrow(
                () ->
                    new IllegalArgumentException(
                        "format "
                            + settings.name()
                            + " needs a schema registry. Give its URLs in registry.urls."));
    return new SchemaRegistry(
        registry.withIdLayout(choice(settings, "ids", registry.idLayout(), IdLayout.class)));
  }

  private static @Nullable ZoneId zone(FormatSettings settings) {
    String text = settings.options().get("time-zone");
    if (text == null) {
      return null;
    }
    try {
      return ZoneId.of(text);
    } catch (DateTimeException e) {
      throw new IllegalArgumentException(
          "option time-zone can't be \"" + text + "\". Write e.g. UTC, +08:00 or Asia/Shanghai.",
          e);
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

  /** Constants are written in lower case, with hyphens. */
  private static <E extends Enum<E>> E choice(
      FormatSettings settings, String option, E otherwise, Class<E> type) {
    String text = settings.options().get(option);
    if (text == null) {
      return otherwise;
    }
    for (E each : type.getEnumConstants()) {
      if (spelled(each).equals(text)) {
        return each;
      }
    }
    throw new IllegalArgumentException(
        "option "
            + option
            + " can't be \""
            + text
            + "\". Write "
            + Arrays.stream(type.getEnumConstants())
                .map(MessageFormats::spelled)
                .collect(Collectors.joining(" or "))
            + ".");
  }

  private static String spelled(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
