package io.sluice.replicator.sources.debezium;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A statement of the binlog as words, names, texts and signs. Comments are left out, but for those
 * that servers run ({@code /*! *}{@code /} and {@code /*M! *}{@code /}). Pure.
 */
final class SqlTokens {

  enum Kind {
    /** Without quotes: a keyword, a number or a plain name. */
    WORD,
    /** In backquotes, or in double quotes: a name, or a text where none can stand. */
    QUOTED,
    TEXT,
    SIGN
  }

  /**
   * @param text as it means, without quotes
   */
  record Token(Kind kind, String text) {
    boolean is(String keyword) {
      return kind == Kind.WORD && text.equalsIgnoreCase(keyword);
    }

    boolean isOneOf(List<String> keywords) {
      return kind == Kind.WORD && keywords.contains(text.toUpperCase(Locale.ROOT));
    }

    boolean isSign(char sign) {
      return kind == Kind.SIGN && text.charAt(0) == sign;
    }

    boolean isName() {
      return kind == Kind.WORD || kind == Kind.QUOTED;
    }
  }

  private final String sql;
  private final List<Token> tokens = new ArrayList<>();
  private int at;

  private SqlTokens(String sql) {
    this.sql = sql;
  }

  static List<Token> of(String sql) {
    var reader = new SqlTokens(sql);
    while (reader.at < sql.length()) {
      reader.next();
    }
    return List.copyOf(reader.tokens);
  }

  private void next() {
    char c = sql.charAt(at);
    if (Character.isWhitespace(c)) {
      at++;
    } else if (sql.startsWith("/*", at)) {
      comment();
    } else if (sql.startsWith("*/", at)) {
      at += 2; // The end of a comment that servers run.
    } else if (c == '#' || isDashComment()) {
      int end = sql.indexOf('\n', at);
      at = end < 0 ? sql.length() : end + 1;
    } else if (c == '`' || c == '"') {
      quoted(c, Kind.QUOTED);
    } else if (c == '\'') {
      quoted(c, Kind.TEXT);
    } else if (isWordPart(c)) {
      int start = at;
      while (at < sql.length() && isWordPart(sql.charAt(at))) {
        at++;
      }
      tokens.add(new Token(Kind.WORD, sql.substring(start, at)));
    } else {
      tokens.add(new Token(Kind.SIGN, String.valueOf(c)));
      at++;
    }
  }

  private boolean isDashComment() {
    return sql.startsWith("--", at) && (at + 2 == sql.length() || sql.charAt(at + 2) <= ' ');
  }

  private static boolean isWordPart(char c) {
    return Character.isLetterOrDigit(c) || c == '_' || c == '$' || c >= 0x80;
  }

  private void comment() {
    int inside = at + 2;
    if (sql.startsWith("M!", inside)) {
      inside++;
    }
    if (inside < sql.length() && sql.charAt(inside) == '!') {
      at = inside + 1;
      while (at < sql.length() && Character.isDigit(sql.charAt(at))) {
        at++;
      }
      return;
    }
    int end = sql.indexOf("*/", at + 2);
    at = end < 0 ? sql.length() : end + 2;
  }

  private void quoted(char quote, Kind kind) {
    var text = new StringBuilder();
    at++;
    while (at < sql.length()) {
      char c = sql.charAt(at++);
      if (c == quote) {
        if (at < sql.length() && sql.charAt(at) == quote) {
          at++;
        } else {
          break;
        }
      } else if (c == '\\' && quote != '`' && at < sql.length()) {
        c = sql.charAt(at++);
      }
      text.append(c);
    }
    tokens.add(new Token(kind, text.toString()));
  }
}
