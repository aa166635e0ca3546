package io.sluice.replicator.backfill;

import io.sluice.evolution.SourceColumn;
import io.sluice.evolution.SourceKind;
import io.sluice.replicator.values.ValueEncoders;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A primary key column as chunks are cut by it. A key value is held as text: digits, a date's text,
 * or for text and bytes the hexadecimal digits of its bytes in the column's own charset, so that no
 * quoting, SQL mode or conversion touches it and the server compares it as it compares the column.
 *
 * @param charset of a text column's bytes; null for bytes
 */
record KeyColumn(String name, Literal literal, @Nullable String charset) {

  private static final Pattern DIGITS = Pattern.compile("-?[0-9]+(\\.[0-9]+)?");
  private static final Pattern TEMPORAL = Pattern.compile("[-0-9:. ]+");
  private static final Pattern HEX = Pattern.compile("([0-9A-Fa-f]{2})*");
  private static final Pattern CHARSET = Pattern.compile("[a-z0-9_]+");

  enum Literal {
    INTEGER,
    DECIMAL,
    TEMPORAL,
    TEXT,
    BYTES,
    /** Not to be compared with constants safely or by the index: chunks are cut before it. */
    NONE
  }

  static KeyColumn of(SourceColumn live) {
    SourceKind kind = SourceKind.of(live);
    Literal literal =
        switch (kind) {
          case DECIMAL -> Literal.DECIMAL;
          case DATE, DATETIME, TIMESTAMP, TIME -> Literal.TEMPORAL;
          case CHAR, TEXT -> live.charset() == null ? Literal.NONE : Literal.TEXT;
          case BINARY, BLOB -> Literal.BYTES;
          // FLOAT and DOUBLE: a literal is not exact. ENUM and SET: ordered by number, compared as
          // text. BIT, YEAR: constants are converted in ways of their own.
          default -> kind.isInteger() ? Literal.INTEGER : Literal.NONE;
        };
    return new KeyColumn(live.name(), literal, live.charset());
  }

  String quotedName() {
    return ValueEncoders.quote(name);
  }

  /** What to select to get a key value's text. */
  String textExpression() {
    return literal == Literal.TEXT || literal == Literal.BYTES
        ? "HEX(" + quotedName() + ")"
        : "CAST(" + quotedName() + " AS CHAR)";
  }

  /** A key value's text as SQL. */
  String sqlLiteral(String text) {
    return switch (literal) {
      case INTEGER, DECIMAL -> checked(DIGITS, text);
      case TEMPORAL -> "'" + checked(TEMPORAL, text) + "'";
      case TEXT -> {
        String name = charset == null ? "" : charset.toLowerCase(Locale.ROOT);
        yield "_" + checked(CHARSET, name) + " X'" + checked(HEX, text) + "'";
      }
      case BYTES -> "X'" + checked(HEX, text) + "'";
      case NONE -> throw new IllegalStateException("No constants for key column " + name);
    };
  }

  private String checked(Pattern form, String text) {
    if (!form.matcher(text).matches()) {
      throw new IllegalArgumentException(
          "Not a value of key column " + name + " (" + literal + "): " + text);
    }
    return text;
  }
}
