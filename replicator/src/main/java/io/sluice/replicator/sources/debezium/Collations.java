package io.sluice.replicator.sources.debezium;

import io.sluice.evolution.SourceTableId;
import io.sluice.replicator.sources.debezium.SqlTokens.Token;
import java.util.List;
import java.util.Locale;
import java.util.function.BiConsumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Collations that a statement names without their character set, which Debezium reads over: it goes
 * on with the default character set that it knew. Where the server logs the character set of each
 * column ({@link LoggedColumns}) that is noticed; where it doesn't, the statement is all there is.
 * Pure.
 */
final class Collations {

  /** Nearly no statement has it, and each is looked at. */
  private static final Pattern COLLATE = Pattern.compile("COLLATE", Pattern.CASE_INSENSITIVE);

  private static final List<String> DATABASE = List.of("DATABASE", "SCHEMA");

  private Collations() {}

  /**
   * The collation alone that a CREATE or ALTER DATABASE names; null if it names none, or the
   * character set too, or is another statement.
   */
  static @Nullable String ofDatabase(String sql) {
    List<Token> tokens = SqlTokens.of(sql);
    boolean database =
        tokens.size() > 2
            && tokens.get(0).isOneOf(List.of("CREATE", "ALTER"))
            && (tokens.get(1).isOneOf(DATABASE)
                || (tokens.get(1).is("OR")
                    && tokens.size() > 4
                    && tokens.get(3).isOneOf(DATABASE)));
    return database ? alone(tokens) : null;
  }

  /**
   * Tells of a statement that makes a table or database with a collation alone; the database has an
   * empty table.
   *
   * @param database the session's default database
   */
  static void alone(
      @Nullable String database, String sql, BiConsumer<SourceTableId, String> named) {
    if (!COLLATE.matcher(sql).find()) {
      return;
    }
    TableStatement statement = TableStatement.parse(database, sql);
    String ofTable = statement == null ? null : statement.collationAlone();
    if (statement != null && ofTable != null) {
      named.accept(statement.table(), ofTable);
    }
    String ofDatabase = ofDatabase(sql);
    if (ofDatabase != null) {
      List<Token> tokens = SqlTokens.of(sql);
      named.accept(new SourceTableId(databaseName(tokens, database), ""), ofDatabase);
    }
  }

  private static String databaseName(List<Token> tokens, @Nullable String current) {
    int at = 0;
    while (!tokens.get(at).isOneOf(DATABASE)) {
      at++;
    }
    at++;
    if (tokens.get(at).is("IF")) {
      at += tokens.get(at + 1).is("NOT") ? 3 : 2;
    }
    boolean unnamed = tokens.get(at).isOneOf(List.of("DEFAULT", "COLLATE"));
    return unnamed ? String.valueOf(current) : tokens.get(at).text();
  }

  /** The collation that stands outside of all parentheses, unless a character set does, too. */
  static @Nullable String alone(List<Token> tokens) {
    String collation = null;
    int depth = 0;
    for (int i = 0; i < tokens.size(); i++) {
      Token token = tokens.get(i);
      if (token.isSign('(')) {
        depth++;
      } else if (token.isSign(')')) {
        depth--;
      } else if (depth == 0 && namesCharacterSet(tokens, i)) {
        return null;
      } else if (depth == 0 && token.is("COLLATE")) {
        collation = named(tokens, i + 1);
      }
    }
    return collation;
  }

  private static boolean namesCharacterSet(List<Token> tokens, int at) {
    return tokens.get(at).is("CHARSET")
        || (tokens.get(at).is("CHARACTER")
            && at + 1 < tokens.size()
            && tokens.get(at + 1).is("SET"));
  }

  private static @Nullable String named(List<Token> tokens, int from) {
    int at = from < tokens.size() && tokens.get(from).isSign('=') ? from + 1 : from;
    return at < tokens.size() ? tokens.get(at).text() : null;
  }

  /**
   * Whether a collation belongs to a character set: {@code latin1_bin} to latin1, {@code binary} to
   * binary. MariaDB's {@code uca1400_...} belong to any.
   */
  static boolean belongTo(String collation, @Nullable String characterSet) {
    String name = collation.toLowerCase(Locale.ROOT);
    if (name.startsWith("uca1400_") || name.equals("default")) {
      return true;
    }
    int end = name.indexOf('_');
    return characterSet != null
        && normal(end < 0 ? name : name.substring(0, end)).equals(normal(characterSet));
  }

  private static String normal(String characterSet) {
    String name = characterSet.toLowerCase(Locale.ROOT);
    return name.equals("utf8") ? "utf8mb3" : name;
  }
}
