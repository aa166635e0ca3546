package io.sluice.config;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigIncludeContext;
import com.typesafe.config.ConfigIncluder;
import com.typesafe.config.ConfigIncluderFile;
import com.typesafe.config.ConfigObject;
import com.typesafe.config.ConfigOrigin;
import com.typesafe.config.ConfigParseOptions;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A config file's text and that of the files it includes.
 *
 * <p>HOCON takes a bare {@code include} at a key's place for its include statement, while {@code
 * include = [...]} is a key of ours: where {@code =} or {@code :} follows, the word is put in
 * quotes before the library sees it. Lines stay as they are.
 */
final class ConfigText {

  private static final String INCLUDE = "include";
  private static final Pattern LINE_BEHIND =
      Pattern.compile("(.*): (\\d+)(-\\d+)?", Pattern.DOTALL);

  private final Map<String, String> texts = new HashMap<>();

  /**
   * @throws ConfigException if the text is not valid HOCON or an included file is missing
   */
  Config parse(Path file) throws IOException {
    String name = file.toString();
    String text = Files.readString(file, StandardCharsets.UTF_8);
    texts.put(name, text);
    return ConfigFactory.parseString(
        quoteIncludeKeys(text),
        ConfigParseOptions.defaults()
            .setOriginDescription(name)
            .setIncluder(new Includer(file.toAbsolutePath().getParent())));
  }

  /** The file that a value stands in; null if it comes from elsewhere. */
  @Nullable String file(@Nullable ConfigOrigin origin) {
    if (origin == null) {
      return null;
    }
    Matcher matcher = LINE_BEHIND.matcher(origin.description());
    String name = matcher.matches() ? matcher.group(1) : origin.description();
    return texts.containsKey(name) ? name : null;
  }

  /** Whether a message about this line might show a secret. */
  boolean mayHoldSecret(@Nullable ConfigOrigin origin) {
    String name = file(origin);
    if (origin == null || name == null) {
      return false;
    }
    return texts
        .getOrDefault(name, "")
        .lines()
        .skip(Math.max(0, origin.lineNumber() - 2))
        .limit(3)
        .anyMatch(line -> line.contains("password"));
  }

  static String quoteIncludeKeys(String text) {
    StringBuilder result = new StringBuilder(text.length() + 16);
    boolean keyMayBegin = true;
    int i = 0;
    while (i < text.length()) {
      int end = endOfTextOrComment(text, i);
      if (end > i) {
        result.append(text, i, end);
        keyMayBegin = keyMayBegin && text.charAt(i) != '"';
        i = end;
      } else if (keyMayBegin && isIncludeKey(text, i)) {
        result.append('"').append(INCLUDE).append('"');
        i += INCLUDE.length();
        keyMayBegin = false;
      } else {
        char c = text.charAt(i);
        result.append(c);
        keyMayBegin =
            c == '{' || c == ',' || c == '\n' || (keyMayBegin && Character.isWhitespace(c));
        i++;
      }
    }
    return result.toString();
  }

  private static boolean isIncludeKey(String text, int at) {
    if (!text.startsWith(INCLUDE, at)) {
      return false;
    }
    int next = at + INCLUDE.length();
    while (next < text.length() && (text.charAt(next) == ' ' || text.charAt(next) == '\t')) {
      next++;
    }
    return next < text.length()
        && (text.charAt(next) == '=' || text.charAt(next) == ':' || text.startsWith("+=", next));
  }

  /** Where the quoted text or comment that begins here ends; {@code at} if none begins. */
  private static int endOfTextOrComment(String text, int at) {
    if (text.startsWith("\"\"\"", at)) {
      int end = text.indexOf("\"\"\"", at + 3);
      return end < 0 ? text.length() : end + 3;
    }
    if (text.charAt(at) == '"') {
      int i = at + 1;
      while (i < text.length() && text.charAt(i) != '"' && text.charAt(i) != '\n') {
        i += text.charAt(i) == '\\' ? 2 : 1;
      }
      return Math.min(text.length(), i + 1);
    }
    if (text.charAt(at) == '#' || text.startsWith("//", at)) {
      int end = text.indexOf('\n', at);
      return end < 0 ? text.length() : end;
    }
    return at;
  }

  /** Reads included files in the same way; a name is relative to the including file. */
  private final class Includer implements ConfigIncluder, ConfigIncluderFile {

    private final @Nullable Path folder;

    Includer(@Nullable Path folder) {
      this.folder = folder;
    }

    @Override
    public ConfigIncluder withFallback(ConfigIncluder fallback) {
      return this;
    }

    @Override
    public ConfigObject include(ConfigIncludeContext context, String what) {
      return includeFile(context, new File(what));
    }

    @Override
    public ConfigObject includeFile(ConfigIncludeContext context, File what) {
      Path file = folder == null ? what.toPath() : folder.resolve(what.toPath());
      try {
        return parse(file).root();
      } catch (IOException e) {
        throw new ConfigException.Generic("the included file " + file + " can't be read", e);
      }
    }
  }
}
