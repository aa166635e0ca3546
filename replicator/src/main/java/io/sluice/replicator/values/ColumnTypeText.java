package io.sluice.replicator.values;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A column's type as the catalog spells it, e.g. {@code decimal(10,3) unsigned} or {@code
 * enum('a','b,c')}, taken apart.
 *
 * @param typeName upper case, e.g. {@code DECIMAL UNSIGNED}
 * @param length the first number in the parentheses
 * @param scale the second
 * @param labels of ENUM and SET
 */
public record ColumnTypeText(
    String typeName, @Nullable Integer length, @Nullable Integer scale, List<String> labels) {

  /** Takes a type apart; what it does not know becomes the name. */
  public static ColumnTypeText parse(String text) {
    int open = text.indexOf('(');
    int close = text.lastIndexOf(')');
    String name = (open < 0 ? text : text.substring(0, open)).strip().toUpperCase(Locale.ROOT);
    if (open < 0 || close < open) {
      return new ColumnTypeText(name, null, null, List.of());
    }
    String inside = text.substring(open + 1, close);
    if (name.equals("ENUM") || name.equals("SET")) {
      return new ColumnTypeText(name, null, null, labels(inside));
    }
    String behind = text.substring(close + 1).strip().toUpperCase(Locale.ROOT);
    // MariaDB puts comments such as /* mariadb-5.3 */ behind some types.
    int comment = behind.indexOf("/*");
    behind = (comment < 0 ? behind : behind.substring(0, comment)).strip();
    String[] numbers = inside.split(",", -1);
    return new ColumnTypeText(
        behind.isEmpty() ? name : name + " " + behind,
        number(numbers[0]),
        numbers.length > 1 ? number(numbers[1]) : null,
        List.of());
  }

  private static @Nullable Integer number(String text) {
    String digits = text.strip();
    return digits.matches("\\d{1,9}") ? (Integer) Integer.parseInt(digits) : null;
  }

  /** Quotes are doubled inside a label, which may hold commas. */
  private static List<String> labels(String inside) {
    List<String> labels = new ArrayList<>();
    int begin = 0;
    boolean quoted = false;
    for (int i = 0; i <= inside.length(); i++) {
      if (i == inside.length() || (inside.charAt(i) == ',' && !quoted)) {
        labels.add(EnumLabels.unquote(inside.substring(begin, i)));
        begin = i + 1;
      } else if (inside.charAt(i) == '\'') {
        quoted = !quoted;
      }
    }
    return labels;
  }
}
