package io.sluice.evolution;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Source columns from text such as {@code "c DECIMAL(10,3) NOT NULL DEFAULT 5"}. */
final class Columns {

  private static final Pattern COLUMN =
      Pattern.compile(
          "(\\S+) ([A-Z0-9 ]+?)(?:\\(([^)]*)\\))?( UNSIGNED)?(?: CHARSET (\\S+))?( NOT NULL)?(?:"
              + " DEFAULT (.*))?");

  private Columns() {}

  static SourceColumn column(String text) {
    Matcher m = COLUMN.matcher(text);
    if (!m.matches()) {
      throw new IllegalArgumentException(text);
    }
    String type = m.group(2) + (m.group(4) == null ? "" : m.group(4));
    String inside = m.group(3);
    boolean labels = type.equals("ENUM") || type.equals("SET");
    String[] numbers = inside == null || labels ? new String[0] : inside.split(",");
    return new SourceColumn(
        m.group(1),
        type.toUpperCase(Locale.ROOT),
        numbers.length > 0 ? (Integer) Integer.parseInt(numbers[0]) : null,
        numbers.length > 1 ? (Integer) Integer.parseInt(numbers[1]) : null,
        m.group(6) == null,
        m.group(5),
        labels && inside != null ? List.of(inside.split(",")) : List.of(),
        m.group(7));
  }

  /** A table {@code shop.t} with its key columns before the bar. */
  static SourceTable table(String key, String... columns) {
    return new SourceTable(
        new SourceTableId("shop", "t"),
        Arrays.stream(columns).map(Columns::column).toList(),
        key.isEmpty() ? List.of() : List.of(key.split(",")));
  }
}
