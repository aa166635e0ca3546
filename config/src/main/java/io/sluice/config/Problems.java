package io.sluice.config;

import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigOrigin;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Gathers what is wrong with one file. */
final class Problems {

  private final String file;
  private final ConfigText text;
  private final List<ConfigProblem> found = new ArrayList<>();

  Problems(Path file, ConfigText text) {
    this.file = file.toString();
    this.text = text;
  }

  void add(@Nullable ConfigOrigin origin, String key, String what, String remedy) {
    String where = text.file(origin);
    int line = where == null || origin == null ? 0 : Math.max(0, origin.lineNumber());
    found.add(new ConfigProblem(where == null ? file : where, line, key, what, remedy));
  }

  void missing(String key, String remedy) {
    add(null, key, "is missing.", remedy);
  }

  void unknownKey(ConfigOrigin origin, String section, String key, Collection<String> known) {
    String path = section.isEmpty() ? key : section + "." + key;
    add(origin, path, "there is no such key.", nearest(key, known));
  }

  private static String nearest(String key, Collection<String> known) {
    return known.stream()
        .min(
            Comparator.comparingInt((String each) -> distance(key, each))
                .thenComparing(each -> each))
        .filter(each -> distance(key, each) <= Math.max(2, each.length() / 2))
        .map(each -> "Did you mean " + each + "?")
        .orElse("There are: " + String.join(", ", known.stream().sorted().toList()) + ".");
  }

  /** Levenshtein's distance. */
  static int distance(String a, String b) {
    int[] row = new int[b.length() + 1];
    for (int j = 0; j < row.length; j++) {
      row[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        int substituted = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(substituted, 1 + Math.min(row[j], row[j - 1]));
      }
    }
    return row[b.length()];
  }

  /** The library's message without the place, which is told apart. */
  static String reason(ConfigException e) {
    String message = e.getMessage() == null ? "" : e.getMessage();
    ConfigOrigin origin = e.origin();
    if (origin != null) {
      message = message.replace(origin.description() + ": ", "");
    }
    int hint = message.indexOf(" (if you intended");
    return (hint < 0 ? message : message.substring(0, hint)).replace('\n', ' ') + ".";
  }

  void throwIfAny() throws ConfigProblemsException {
    if (!found.isEmpty()) {
      throw exception();
    }
  }

  ConfigProblemsException exception() {
    return new ConfigProblemsException(
        found.stream()
            .sorted(
                Comparator.comparing(ConfigProblem::file)
                    .thenComparingInt(each -> each.line() == 0 ? Integer.MAX_VALUE : each.line()))
            .toList());
  }
}
