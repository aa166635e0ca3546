package io.sluice.config;

import java.util.Arrays;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Matches table names, exactly and case-sensitively. The text is one of
 *
 * <ol>
 *   <li>{@code database.table}, each side one of
 *       <ul>
 *         <li>a plain name: every character stands for itself, but {@code *} for any number of
 *             characters; it can't hold a dot, a slash or a backquote;
 *         <li>a name in backquotes: every character stands for itself, {@code *} and dots too; a
 *             backquote is doubled;
 *         <li>{@code /regex/}: a Java regular expression that must match the whole name; a slash in
 *             it is written {@code \/};
 *       </ul>
 *   <li>{@code /regex/} alone: it must match the whole of {@code database.table}.
 * </ol>
 */
public final class TablePattern {

  private static final Part ANYTHING = new Part(Pattern.compile(".*", Pattern.DOTALL), false, ".*");

  private final String text;
  private final @Nullable Pattern whole;
  private final Part database;
  private final Part table;

  private TablePattern(String text, @Nullable Pattern whole, Part database, Part table) {
    this.text = text;
    this.whole = whole;
    this.database = database;
    this.table = table;
  }

  /**
   * @throws IllegalArgumentException if the text has none of the forms; the message says why and
   *     what to write
   */
  public static TablePattern parse(String text) {
    Scanner scanner = new Scanner(text);
    Part first = scanner.part();
    if (scanner.atEnd()) {
      if (text.startsWith("/")) {
        return new TablePattern(text, first.pattern, ANYTHING, ANYTHING);
      }
      throw new IllegalArgumentException(
          "\"" + text + "\" names no table; write database.table, or database.* for all of them");
    }
    scanner.dot();
    Part second = scanner.part();
    if (!scanner.atEnd()) {
      throw new IllegalArgumentException(
          "\""
              + text
              + "\" has more than a database and a table; put a name that holds a dot in"
              + " backquotes: `a.b`.c");
    }
    return new TablePattern(text, null, first, second);
  }

  public boolean matches(String databaseName, String tableName) {
    if (whole != null) {
      return whole.matcher(databaseName + "." + tableName).matches();
    }
    return database.pattern.matcher(databaseName).matches()
        && table.pattern.matcher(tableName).matches();
  }

  /** Whether a table of this database could match. */
  public boolean matchesDatabase(String databaseName) {
    return database.pattern.matcher(databaseName).matches();
  }

  /**
   * A regular expression that matches at least the databases of this pattern, fit for a list that
   * is split at commas: it holds none that isn't behind a backslash.
   */
  public String databaseRegex() {
    return database.listRegex;
  }

  /** The same for the whole {@code database.table}. */
  public String tableRegex() {
    return whole == null
        ? database.listRegex + "\\." + table.listRegex
        : regexForList(whole.pattern());
  }

  /** A comma in a regular expression can't always be escaped, as in {@code {1,2}}. */
  private static String regexForList(String regex) {
    return regex.indexOf(',') < 0 ? "(?:" + regex + ")" : ".*";
  }

  private static String literalForList(String name) {
    return name.codePoints()
        .mapToObj(
            c -> {
              String each = Character.toString(c);
              return c > 127 || Character.isLetterOrDigit(c) || c == '_' ? each : "\\" + each;
            })
        .collect(Collectors.joining());
  }

  /** Whether at most one table can match: both sides are names without wildcards. */
  public boolean isLiteral() {
    return database.literal && table.literal;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof TablePattern that && text.equals(that.text);
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

  private record Part(Pattern pattern, boolean literal, String listRegex) {}

  /** Reads the parts of a pattern from left to right. */
  private static final class Scanner {
    private final String text;
    private int at;

    Scanner(String text) {
      this.text = text;
      if (!text.equals(text.strip())) {
        throw new IllegalArgumentException("\"" + text + "\" begins or ends with a blank");
      }
    }

    boolean atEnd() {
      return at == text.length();
    }

    void dot() {
      if (text.charAt(at) != '.') {
        throw new IllegalArgumentException(
            "\"" + text + "\" has no dot between database and table, at character " + (at + 1));
      }
      at++;
    }

    Part part() {
      if (atEnd()) {
        throw new IllegalArgumentException(
            "\"" + text + "\" lacks a name; write database.table, or database.* for all of them");
      }
      return switch (text.charAt(at)) {
        case '`' -> quoted();
        case '/' -> regex();
        default -> plain();
      };
    }

    private Part quoted() {
      StringBuilder name = new StringBuilder();
      int i = at + 1;
      while (i < text.length()) {
        char c = text.charAt(i);
        boolean doubled = c == '`' && i + 1 < text.length() && text.charAt(i + 1) == '`';
        if (c == '`' && !doubled) {
          at = i + 1;
          String plain = name.toString();
          return new Part(Pattern.compile(Pattern.quote(plain)), true, literalForList(plain));
        }
        name.append(c);
        i += doubled ? 2 : 1;
      }
      throw new IllegalArgumentException("\"" + text + "\" lacks a closing backquote");
    }

    private Part regex() {
      int i = at + 1;
      StringBuilder regex = new StringBuilder();
      while (i < text.length() && text.charAt(i) != '/') {
        if (text.charAt(i) == '\\' && i + 1 < text.length()) {
          if (text.charAt(i + 1) != '/') {
            regex.append('\\');
          }
          i++;
        }
        regex.append(text.charAt(i));
        i++;
      }
      if (i >= text.length()) {
        throw new IllegalArgumentException("\"" + text + "\" lacks a closing slash");
      }
      at = i + 1;
      try {
        return new Part(
            Pattern.compile(regex.toString(), Pattern.DOTALL),
            false,
            regexForList(regex.toString()));
      } catch (PatternSyntaxException e) {
        throw new IllegalArgumentException(
            "\"" + text + "\" is no valid regular expression: " + e.getDescription(), e);
      }
    }

    private Part plain() {
      int end = text.indexOf('.', at);
      String name = text.substring(at, end < 0 ? text.length() : end);
      if (name.isEmpty()) {
        throw new IllegalArgumentException("\"" + text + "\" lacks a name before or after the dot");
      }
      if (name.indexOf('`') >= 0 || name.indexOf('/') >= 0) {
        throw new IllegalArgumentException(
            "\""
                + text
                + "\" has a slash or backquote inside a plain name; put the whole name in"
                + " backquotes, or a regular expression between slashes");
      }
      at += name.length();
      String regex =
          Arrays.stream(name.split("\\*", -1))
              .map(Pattern::quote)
              .collect(Collectors.joining(".*"));
      String listRegex =
          Arrays.stream(name.split("\\*", -1))
              .map(TablePattern::literalForList)
              .collect(Collectors.joining(".*"));
      return new Part(Pattern.compile(regex, Pattern.DOTALL), name.indexOf('*') < 0, listRegex);
    }
  }
}
