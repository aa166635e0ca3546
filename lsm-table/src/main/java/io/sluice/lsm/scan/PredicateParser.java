package io.sluice.lsm.scan;

import io.sluice.lsm.scan.Predicate.Comparison;
import io.sluice.lsm.scan.Predicate.Literal;
import io.sluice.lsm.scan.Predicate.Operator;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads conditions such as {@code a >= 3 AND (b = "x" OR c IN (1, 2)) AND d IS NOT NULL}.
 *
 * <pre>
 * or         = and { OR and }
 * and        = term { AND term }
 * term       = ( or ) | column op value | column [NOT] IN ( value { , value } ) | column IS [NOT] NULL
 * op         = = | == | != | &lt;&gt; | &lt; | &lt;= | &gt; | &gt;=
 * column     = a bare name, or any name in `backquotes`
 * value      = a number, true, false, or text in 'single' or "double" quotes (doubled inside)
 * </pre>
 */
public final class PredicateParser {

  private enum Kind {
    WORD,
    NAME,
    TEXT,
    SYMBOL,
    END
  }

  private record Token(Kind kind, String text, int at) {
    boolean isWord(String word) {
      return kind == Kind.WORD && text.equalsIgnoreCase(word);
    }

    boolean isSymbol(String symbol) {
      return kind == Kind.SYMBOL && text.equals(symbol);
    }
  }

  private final String text;
  private final List<Token> tokens = new ArrayList<>();
  private int next;

  private PredicateParser(String text) {
    this.text = text;
  }

  /**
   * @throws IllegalArgumentException saying what is wrong and where
   */
  public static Predicate parse(String text) {
    PredicateParser parser = new PredicateParser(text);
    parser.tokenize();
    Predicate result = parser.or();
    Token rest = parser.peek();
    if (rest.kind() != Kind.END) {
      throw parser.problem("nothing more is expected", rest);
    }
    return result;
  }

  private Predicate or() {
    List<Predicate> terms = new ArrayList<>(List.of(and()));
    while (peek().isWord("or")) {
      take();
      terms.add(and());
    }
    return terms.size() == 1 ? terms.get(0) : new Predicate.Or(terms);
  }

  private Predicate and() {
    List<Predicate> terms = new ArrayList<>(List.of(term()));
    while (peek().isWord("and")) {
      take();
      terms.add(term());
    }
    return terms.size() == 1 ? terms.get(0) : new Predicate.And(terms);
  }

  private Predicate term() {
    if (peek().isSymbol("(")) {
      take();
      Predicate inner = or();
      expectSymbol(")");
      return inner;
    }
    Token column = take();
    if (column.kind() != Kind.WORD && column.kind() != Kind.NAME) {
      throw problem("a column is expected", column);
    }
    Token after = take();
    if (after.isWord("is")) {
      boolean not = peek().isWord("not");
      if (not) {
        take();
      }
      Token word = take();
      if (!word.isWord("null")) {
        throw problem("NULL is expected", word);
      }
      return not ? new Predicate.IsNotNull(column.text()) : new Predicate.IsNull(column.text());
    }
    if (after.isWord("in")) {
      return new Predicate.In(column.text(), values());
    }
    if (after.isWord("not") && peek().isWord("in")) {
      take();
      List<Predicate> none = new ArrayList<>();
      values().forEach(v -> none.add(new Comparison(column.text(), Operator.NOT_EQUAL, v)));
      return new Predicate.And(none);
    }
    return new Comparison(column.text(), operator(after), value());
  }

  private List<Literal> values() {
    expectSymbol("(");
    List<Literal> values = new ArrayList<>(List.of(value()));
    while (peek().isSymbol(",")) {
      take();
      values.add(value());
    }
    expectSymbol(")");
    return values;
  }

  private Operator operator(Token token) {
    if (token.kind() == Kind.SYMBOL) {
      switch (token.text()) {
        case "=", "==":
          return Operator.EQUAL;
        case "!=", "<>":
          return Operator.NOT_EQUAL;
        case "<":
          return Operator.LESS;
        case "<=":
          return Operator.LESS_OR_EQUAL;
        case ">":
          return Operator.GREATER;
        case ">=":
          return Operator.GREATER_OR_EQUAL;
        default:
          break;
      }
    }
    throw problem("=, !=, <, <=, >, >=, IN or IS is expected", token);
  }

  private Literal value() {
    Token token = take();
    if (token.kind() == Kind.TEXT) {
      return new Literal(token.text(), true);
    }
    if (token.isWord("null")) {
      throw problem("a value is expected; write IS NULL to find nulls", token);
    }
    if (token.kind() == Kind.WORD
        && (token.isWord("true")
            || token.isWord("false")
            || "+-.0123456789".indexOf(token.text().charAt(0)) >= 0)) {
      return new Literal(token.text(), false);
    }
    throw problem("a number, true, false or a text in quotes is expected", token);
  }

  private void expectSymbol(String symbol) {
    Token token = take();
    if (!token.isSymbol(symbol)) {
      throw problem("'" + symbol + "' is expected", token);
    }
  }

  private Token peek() {
    return tokens.get(next);
  }

  private Token take() {
    Token token = tokens.get(next);
    if (token.kind() != Kind.END) {
      next++;
    }
    return token;
  }

  private void tokenize() {
    int at = 0;
    while (at < text.length()) {
      char c = text.charAt(at);
      if (Character.isWhitespace(c)) {
        at++;
      } else if (c == '\'' || c == '"' || c == '`') {
        at = quoted(at, c);
      } else if ("(),".indexOf(c) >= 0) {
        tokens.add(new Token(Kind.SYMBOL, String.valueOf(c), at++));
      } else if ("=!<>".indexOf(c) >= 0) {
        int end = at + 1;
        if (end < text.length() && "=>".indexOf(text.charAt(end)) >= 0) {
          end++;
        }
        tokens.add(new Token(Kind.SYMBOL, text.substring(at, end), at));
        at = end;
      } else {
        int end = at;
        while (end < text.length()
            && !Character.isWhitespace(text.charAt(end))
            && "(),=!<>'\"`".indexOf(text.charAt(end)) < 0) {
          end++;
        }
        tokens.add(new Token(Kind.WORD, text.substring(at, end), at));
        at = end;
      }
    }
    tokens.add(new Token(Kind.END, "the end", text.length()));
  }

  private int quoted(int from, char quote) {
    StringBuilder value = new StringBuilder();
    int at = from + 1;
    while (true) {
      if (at >= text.length()) {
        throw new IllegalArgumentException(
            "Cannot read the condition "
                + text
                + ": the quote at character "
                + (from + 1)
                + " has no end");
      }
      char c = text.charAt(at);
      if (c == quote) {
        if (at + 1 < text.length() && text.charAt(at + 1) == quote) {
          at++;
        } else {
          break;
        }
      }
      value.append(c);
      at++;
    }
    tokens.add(new Token(quote == '`' ? Kind.NAME : Kind.TEXT, value.toString(), from));
    return at + 1;
  }

  private IllegalArgumentException problem(String expected, Token found) {
    return new IllegalArgumentException(
        "Cannot read the condition "
            + text
            + ": "
            + expected
            + " at character "
            + (found.at() + 1)
            + ", found "
            + found.text());
  }
}
