package io.sluice.replicator.values;

/** Labels of ENUM and SET out of DDL text. */
public final class EnumLabels {

  private EnumLabels() {}

  /**
   * The label that a quoted literal of {@code SHOW CREATE TABLE} or of a DDL statement means:
   * quotes taken off, doubled quotes and backslash escapes undone.
   */
  public static String unquote(String literal) {
    String text = literal.trim();
    if (text.length() < 2) {
      return text;
    }
    char quote = text.charAt(0);
    if ((quote != '\'' && quote != '"') || text.charAt(text.length() - 1) != quote) {
      return text;
    }
    StringBuilder label = new StringBuilder(text.length());
    int end = text.length() - 1;
    for (int i = 1; i < end; i++) {
      char c = text.charAt(i);
      if (c == quote && i + 1 < end && text.charAt(i + 1) == quote) {
        i++;
      } else if (c == '\\' && i + 1 < end) {
        i++;
        c = escaped(text.charAt(i));
      }
      label.append(c);
    }
    return label.toString();
  }

  private static char escaped(char c) {
    return switch (c) {
      case '0' -> '\0';
      case 'b' -> '\b';
      case 'n' -> '\n';
      case 'r' -> '\r';
      case 't' -> '\t';
      case 'Z' -> '\u001a';
      default -> c;
    };
  }
}
