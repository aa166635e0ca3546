package io.sluice.config;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigList;
import com.typesafe.config.ConfigObject;
import com.typesafe.config.ConfigUtil;
import com.typesafe.config.ConfigValue;
import com.typesafe.config.ConfigValueType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One block of the file over the same block of {@code reference.conf}. A value that can't be used
 * is noted as a problem and the default is returned, so that reading goes on to the next problem.
 */
final class Section {

  private static final Pattern DURATION = Pattern.compile("\\d+(\\.\\d+)?\\s*[a-z]+");
  private static final Pattern WHOLE_NUMBER = Pattern.compile("-?\\d{1,18}");

  private final String path;
  private final Config own;
  private final Config reference;
  private final Problems problems;

  Section(String path, Config own, Config reference, Problems problems) {
    this.path = path;
    this.own = own;
    this.reference = reference;
    this.problems = problems;
  }

  boolean has(String key) {
    return own.hasPath(key);
  }

  /** The keys that are given here. */
  Set<String> keys() {
    return own.root().keySet();
  }

  void problem(String key, String what, String remedy) {
    problems.add(has(key) ? own.getValue(key).origin() : null, path + "." + key, what, remedy);
  }

  Section section(String key) {
    boolean given = has(key) && own.getValue(key).valueType() == ConfigValueType.OBJECT;
    return new Section(
        path + "." + key,
        given ? own.getConfig(key) : ConfigFactory.empty(),
        reference.getConfig(key),
        problems);
  }

  /** The elements of a list of blocks, which know these keys and have no defaults. */
  List<Section> sections(String key, Set<String> known) {
    List<Section> result = new ArrayList<>();
    if (!has(key)) {
      return result;
    }
    if (own.getValue(key).valueType() != ConfigValueType.LIST) {
      problem(key, "it is a list of blocks.", "Write " + key + " = [ { ... } ].");
      return result;
    }
    ConfigList list = own.getList(key);
    for (int i = 0; i < list.size(); i++) {
      String name = path + "." + key + "[" + i + "]";
      if (list.get(i) instanceof ConfigObject block) {
        block.forEach(
            (inner, value) -> {
              if (!known.contains(inner)) {
                problems.unknownKey(value.origin(), name, inner, known);
              }
            });
        result.add(new Section(name, block.toConfig(), ConfigFactory.empty(), problems));
      } else {
        problems.add(list.get(i).origin(), name, "it is not a block.", "Write { match = ... }.");
      }
    }
    return result;
  }

  /** A block that knows these keys and has no defaults; empty if it is not given, or no block. */
  Optional<Section> block(String key, Set<String> known) {
    if (!has(key)) {
      return Optional.empty();
    }
    String name = path + "." + key;
    if (own.getValue(key).valueType() != ConfigValueType.OBJECT) {
      problem(key, "it is not a block.", "Write " + key + " { ... }.");
      return Optional.empty();
    }
    own.getObject(key)
        .forEach(
            (inner, value) -> {
              if (!known.contains(inner)) {
                problems.unknownKey(value.origin(), name, inner, known);
              }
            });
    return Optional.of(new Section(name, own.getConfig(key), ConfigFactory.empty(), problems));
  }

  /** The text of a scalar; empty if it is not given. */
  Optional<String> optional(String key) {
    if (!has(key)) {
      return reference.hasPath(key) ? Optional.of(reference.getString(key)) : Optional.empty();
    }
    try {
      return Optional.of(own.getString(key));
    } catch (ConfigException.WrongType e) {
      problem(key, "it is a single value, not a list or block.", "Write " + key + " = value.");
      return Optional.empty();
    }
  }

  /** The text of a scalar that has a default. */
  String string(String key) {
    return optional(key).orElseGet(() -> reference.getString(key));
  }

  /** The text of a scalar that has no default; empty text if it is missing or blank. */
  String required(String key, String remedy) {
    if (!has(key)) {
      problems.missing(path + "." + key, remedy);
      return "";
    }
    String text = optional(key).orElse("");
    if (text.isBlank() && own.getValue(key).valueType() == ConfigValueType.STRING) {
      problem(key, "it is empty.", remedy);
    }
    return text;
  }

  boolean bool(String key) {
    if (!has(key)) {
      return reference.getBoolean(key);
    }
    try {
      return own.getBoolean(key);
    } catch (ConfigException e) {
      problem(key, shown(key) + " is neither true nor false.", "Write true or false.");
      return reference.hasPath(key) && reference.getBoolean(key);
    }
  }

  private String shown(String key) {
    return own.getValue(key).valueType() == ConfigValueType.STRING
        ? "\"" + own.getString(key) + "\""
        : own.getValue(key).render();
  }

  Duration duration(String key, Duration min, Duration max) {
    if (!has(key)) {
      return reference.getDuration(key);
    }
    Optional<String> given = optional(key);
    if (given.isEmpty()) {
      return reference.getDuration(key);
    }
    String text = given.get().strip();
    // A bare number would mean milliseconds, which nobody guesses.
    if (!DURATION.matcher(text).matches()) {
      return noDuration(key, text);
    }
    Duration value;
    try {
      value = own.getDuration(key);
    } catch (ConfigException e) {
      return noDuration(key, text);
    }
    if (value.compareTo(min) < 0 || value.compareTo(max) > 0) {
      problem(
          key, text + " is out of range.", "Give " + inWords(min) + " to " + inWords(max) + ".");
    }
    return value;
  }

  private Duration noDuration(String key, String text) {
    problem(
        key,
        "\"" + text + "\" is no duration.",
        "Write a number with its unit, such as 500ms, 2s, 5m or 1h.");
    return reference.getDuration(key);
  }

  private static String inWords(Duration duration) {
    if (duration.toMillis() % 1000 != 0) {
      return duration.toMillis() + "ms";
    }
    long seconds = duration.toSeconds();
    return seconds % 86_400 == 0 && seconds > 0
        ? seconds / 86_400 + "d"
        : seconds % 3600 == 0 && seconds > 0 ? seconds / 3600 + "h" : seconds + "s";
  }

  int integer(String key, int min, int max) {
    return (int) number(key, min, max).orElseGet(() -> reference.getLong(key));
  }

  OptionalInt autoInt(String key, int min, int max) {
    OptionalLong value = autoLong(key, min, max);
    return value.isPresent() ? OptionalInt.of((int) value.getAsLong()) : OptionalInt.empty();
  }

  /** Empty for {@code auto}. */
  OptionalLong autoLong(String key, long min, long max) {
    Optional<String> text = optional(key);
    if (text.isEmpty() || text.get().equals("auto")) {
      return OptionalLong.empty();
    }
    return number(key, min, max);
  }

  private OptionalLong number(String key, long min, long max) {
    if (!has(key)) {
      return OptionalLong.empty();
    }
    Optional<String> given = optional(key);
    if (given.isEmpty()) {
      return OptionalLong.empty();
    }
    String text = given.get().strip();
    if (WHOLE_NUMBER.matcher(text).matches()) {
      long value = Long.parseLong(text);
      if (value >= min && value <= max) {
        return OptionalLong.of(value);
      }
    }
    problem(
        key,
        "\"" + text + "\" is no whole number from " + min + " to " + max + ".",
        "Give such a number.");
    return OptionalLong.empty();
  }

  long bytes(String key, long min) {
    if (!has(key)) {
      return reference.getBytes(key);
    }
    try {
      long value = own.getBytes(key);
      if (value >= min) {
        return value;
      }
      problem(key, shown(key) + " is too little.", "Give at least " + min + " bytes.");
    } catch (ConfigException e) {
      problem(
          key, shown(key) + " is no size.", "Write a number with its unit, such as 64MiB or 1GiB.");
    }
    return reference.getString(key).equals("auto") ? min : reference.getBytes(key);
  }

  /** Empty for {@code auto}. */
  OptionalLong autoBytes(String key, long min) {
    Optional<String> text = optional(key);
    if (text.isEmpty() || text.get().equals("auto")) {
      return OptionalLong.empty();
    }
    return OptionalLong.of(bytes(key, min));
  }

  /** An enum's constant, written in lower case with hyphens. */
  <E extends Enum<E>> E choice(String key, Class<E> type) {
    E standard = constant(type, reference.getString(key)).orElseThrow();
    return has(key) ? chosen(key, type, null).orElse(standard) : standard;
  }

  /** The same for a key that has no default; then the first constant stands in. */
  <E extends Enum<E>> E requiredChoice(String key, Class<E> type) {
    E first = type.getEnumConstants()[0];
    if (!has(key)) {
      problems.missing(path + "." + key, "Write one of " + words(type, null) + ".");
      return first;
    }
    return chosen(key, type, null).orElse(first);
  }

  /** One of the type's words, or {@code auto}. */
  <E extends Enum<E>> E autoChoice(String key, Class<E> type, @Nullable E notYet, E auto) {
    if (string(key).equals("auto")) {
      return auto;
    }
    E chosen = chosen(key, type, notYet).orElse(auto);
    if (chosen == notYet) {
      problem(
          key,
          "\"" + word(chosen) + "\" is not possible.",
          "Write auto or one of " + words(type, notYet) + ".");
    }
    return chosen;
  }

  private <E extends Enum<E>> Optional<E> chosen(String key, Class<E> type, @Nullable E notYet) {
    Optional<String> given = optional(key);
    if (given.isEmpty()) {
      return Optional.empty();
    }
    String text = given.get();
    Optional<E> found = constant(type, text);
    if (found.isEmpty()) {
      problem(
          key, "\"" + text + "\" is not possible.", "Write one of " + words(type, notYet) + ".");
    }
    return found;
  }

  private static <E extends Enum<E>> Optional<E> constant(Class<E> type, String text) {
    return Arrays.stream(type.getEnumConstants()).filter(each -> word(each).equals(text)).findAny();
  }

  private static String word(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  private static <E extends Enum<E>> String words(Class<E> type, @Nullable E notYet) {
    return Arrays.stream(type.getEnumConstants())
        .filter(each -> each != notYet)
        .map(Section::word)
        .collect(Collectors.joining(", "));
  }

  List<String> strings(String key) {
    if (!has(key)) {
      return reference.getStringList(key);
    }
    try {
      if (own.getValue(key).valueType() == ConfigValueType.LIST) {
        return own.getStringList(key);
      }
    } catch (ConfigException.WrongType e) {
      problem(key, "an element is not a text.", "Write " + key + " = [\"...\", \"...\"].");
      return List.of();
    }
    problem(key, "it is a list.", "Write " + key + " = [\"...\"].");
    return List.of();
  }

  /** Whether a list is missing or has no element, as opposed to one that is wrong. */
  boolean isEmptyList(String key) {
    return !has(key)
        || (own.getValue(key).valueType() == ConfigValueType.LIST && own.getList(key).isEmpty());
  }

  List<TablePattern> patterns(String key) {
    List<TablePattern> result = new ArrayList<>();
    for (String text : strings(key)) {
      pattern(key, text).ifPresent(result::add);
    }
    return result;
  }

  /** Empty, and a problem unless the text is missing, if it is no pattern. */
  Optional<TablePattern> pattern(String key, String text) {
    if (text.isEmpty()) {
      return Optional.empty();
    }
    try {
      return Optional.of(TablePattern.parse(text));
    } catch (IllegalArgumentException e) {
      problem(key, e.getMessage() + ".", "See tables and patterns in docs/configuration.md.");
      return Optional.empty();
    }
  }

  /** A block of free keys; blocks inside it become keys with dots. In the order of their names. */
  Map<String, String> texts(String key) {
    Map<String, String> result = new TreeMap<>();
    if (!has(key) || own.getValue(key).valueType() != ConfigValueType.OBJECT) {
      return result;
    }
    for (Map.Entry<String, ConfigValue> entry : own.getConfig(key).entrySet()) {
      String name = String.join(".", ConfigUtil.splitPath(entry.getKey()));
      try {
        result.put(name, own.getConfig(key).getString(entry.getKey()));
      } catch (ConfigException.WrongType e) {
        problems.add(
            entry.getValue().origin(),
            path + "." + key + "." + name,
            "it is a single value, not a list.",
            "Write a text, a number, true or false.");
      }
    }
    return new LinkedHashMap<>(result);
  }
}
