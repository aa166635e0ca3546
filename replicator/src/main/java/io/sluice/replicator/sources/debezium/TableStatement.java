package io.sluice.replicator.sources.debezium;

import io.sluice.evolution.SourceTableId;
import io.sluice.replicator.sources.debezium.SqlTokens.Token;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * An ALTER TABLE or CREATE TABLE by its text: what it does to rows and columns that the definition
 * after it doesn't show. Pure.
 */
final class TableStatement {

  private static final List<String> BEFORE_TABLE =
      List.of("ONLINE", "OFFLINE", "IGNORE", "OR", "REPLACE", "TEMPORARY");

  /** Engines whose rows can appear or vanish without an event. */
  private static final Set<String> ENGINES_REFUSED =
      Set.of(
          "MEMORY",
          "HEAP",
          "BLACKHOLE",
          "FEDERATED",
          "MRG_MYISAM",
          "MERGE",
          "CSV",
          "NDB",
          "NDBCLUSTER");

  /** What DROP and ADD take away or give beside columns. */
  private static final List<String> NO_COLUMN =
      List.of(
          "INDEX",
          "KEY",
          "PRIMARY",
          "FOREIGN",
          "CONSTRAINT",
          "CHECK",
          "PARTITION",
          "UNIQUE",
          "FULLTEXT",
          "SPATIAL",
          "SYSTEM",
          "PERIOD",
          "VECTOR");

  private final boolean create;
  private final boolean ignore;
  private final SourceTableId table;
  private final List<List<Token>> actions;
  private final List<Token> tokens;
  private final @Nullable String database;

  private TableStatement(
      boolean create,
      boolean ignore,
      SourceTableId table,
      @Nullable String database,
      List<Token> tokens,
      int actionsAt) {
    this.create = create;
    this.ignore = ignore;
    this.table = table;
    this.database = database;
    this.tokens = tokens;
    this.actions = create ? List.of() : split(tokens.subList(actionsAt, tokens.size()));
  }

  /**
   * Null if it is neither, or makes a temporary table, which is nobody else's.
   *
   * @param database the session's default database
   */
  static @Nullable TableStatement parse(@Nullable String database, String sql) {
    List<Token> tokens = SqlTokens.of(sql);
    int at = 0;
    if (tokens.size() > 2 && tokens.get(0).is("SET") && tokens.get(1).is("STATEMENT")) {
      while (at < tokens.size() && !tokens.get(at).is("FOR")) {
        at++;
      }
      at++;
    }
    if (at >= tokens.size() || !(tokens.get(at).isOneOf(List.of("ALTER", "CREATE")))) {
      return null;
    }
    boolean create = tokens.get(at).is("CREATE");
    boolean ignore = false;
    at++;
    while (at < tokens.size() && tokens.get(at).isOneOf(BEFORE_TABLE)) {
      if (tokens.get(at).is("TEMPORARY")) {
        return null;
      }
      ignore |= tokens.get(at).is("IGNORE");
      at++;
    }
    if (at >= tokens.size() || !tokens.get(at).is("TABLE")) {
      return null;
    }
    at++;
    if (at < tokens.size() && tokens.get(at).is("IF")) {
      at += create ? 3 : 2;
    }
    SourceTableId table = name(tokens, at, database);
    if (table == null) {
      return null;
    }
    at += nameLength(tokens, at);
    if (at < tokens.size() && tokens.get(at).isOneOf(List.of("WAIT", "NOWAIT"))) {
      at += tokens.get(at).is("WAIT") ? 2 : 1;
    }
    return new TableStatement(create, ignore, table, database, tokens, Math.min(at, tokens.size()));
  }

  SourceTableId table() {
    return table;
  }

  private static @Nullable SourceTableId name(
      List<Token> tokens, int at, @Nullable String database) {
    if (at >= tokens.size() || !tokens.get(at).isName()) {
      return null;
    }
    String first = tokens.get(at).text();
    return nameLength(tokens, at) == 3
        ? new SourceTableId(first, tokens.get(at + 2).text())
        : new SourceTableId(database == null ? "" : database, first);
  }

  private static int nameLength(List<Token> tokens, int at) {
    return at + 2 < tokens.size() && tokens.get(at + 1).isSign('.') ? 3 : 1;
  }

  /** At the commas that stand in no parentheses. */
  private static List<List<Token>> split(List<Token> tokens) {
    List<List<Token>> result = new ArrayList<>();
    var part = new ArrayList<Token>();
    int depth = 0;
    for (Token token : tokens) {
      if (token.isSign('(')) {
        depth++;
      } else if (token.isSign(')')) {
        depth--;
      }
      if (token.isSign(',') && depth == 0) {
        result.add(List.copyOf(part));
        part.clear();
      } else {
        part.add(token);
      }
    }
    result.add(List.copyOf(part));
    return result;
  }

  /** What it does unseen, by table; empty: nothing that is known. */
  List<StatementRules.Effect> effects() {
    List<StatementRules.Effect> result = new ArrayList<>();
    if (ignore) {
      add(result, "ALTER IGNORE takes rows away unseen");
    }
    if (cascades()) {
      add(result, StatementRules.CASCADES);
    }
    if (create) {
      engine(tokens, result);
      return result;
    }
    Set<String> gone = new HashSet<>();
    Set<String> given = new TreeSet<>();
    for (List<Token> action : actions) {
      columns(action, gone, given);
      Token first = first(action);
      if (first == null || first.isOneOf(List.of("ADD", "ALTER", "DROP"))) {
        continue;
      }
      if (first.isOneOf(List.of("MODIFY", "CHANGE"))) {
        if (isComputed(action)) {
          add(result, "a generated column was redefined, which changes its values unseen");
        }
      } else if (first.is("RENAME")) {
        renamed(action, result);
      } else {
        otherTable(action, result);
        engine(action, result);
        if (!first.is("CONVERT")) {
          characterSet(action, result);
        }
      }
    }
    given.retainAll(gone);
    if (!given.isEmpty()) {
      add(
          result,
          "column "
              + String.join(", ", given)
              + " was taken away and given anew in one statement, so its values are others");
    }
    return result;
  }

  private void add(List<StatementRules.Effect> effects, String problem) {
    effects.add(new StatementRules.Effect(table, problem));
  }

  /** ON DELETE and ON UPDATE with CASCADE, SET NULL or SET DEFAULT: only foreign keys have them. */
  private boolean cascades() {
    for (int i = 0; i + 2 < tokens.size(); i++) {
      if (tokens.get(i).is("ON")
          && tokens.get(i + 1).isOneOf(List.of("DELETE", "UPDATE"))
          && tokens.get(i + 2).isOneOf(List.of("CASCADE", "SET"))) {
        return true;
      }
    }
    return false;
  }

  private void engine(List<Token> in, List<StatementRules.Effect> effects) {
    for (int i = 0; i + 1 < in.size(); i++) {
      if (in.get(i).is("ENGINE")) {
        Token name = in.get(in.get(i + 1).isSign('=') && i + 2 < in.size() ? i + 2 : i + 1);
        if (ENGINES_REFUSED.contains(name.text().toUpperCase(Locale.ROOT))) {
          add(effects, "storage engine " + name.text() + " changes rows without a word in the log");
        }
      }
    }
  }

  /** The table's default: Debezium keeps the old one for columns that are added later. */
  private void characterSet(List<Token> action, List<StatementRules.Effect> effects) {
    for (Token token : action) {
      if (token.isOneOf(List.of("CHARSET", "COLLATE", "CHARACTER"))) {
        add(
            effects,
            "the table's default character set was changed, so text of columns that are added"
                + " later would be read in the wrong one");
        return;
      }
    }
  }

  private void renamed(List<Token> action, List<StatementRules.Effect> effects) {
    if (action.size() < 2 || action.get(1).isOneOf(List.of("COLUMN", "INDEX", "KEY"))) {
      return;
    }
    int at = action.get(1).isOneOf(List.of("TO", "AS")) || action.get(1).isSign('=') ? 2 : 1;
    SourceTableId to = name(action, at, database);
    if (to != null) {
      String problem = "table " + table + " was renamed to " + to;
      add(effects, problem);
      effects.add(new StatementRules.Effect(to, problem));
    }
  }

  /** EXCHANGE PARTITION p WITH TABLE t, CONVERT PARTITION p TO TABLE t, CONVERT TABLE t TO ... */
  private void otherTable(List<Token> action, List<StatementRules.Effect> effects) {
    for (int i = 1; i + 1 < action.size(); i++) {
      if (action.get(i).is("TABLE")
          && action.get(i - 1).isOneOf(List.of("WITH", "TO", "CONVERT"))) {
        SourceTableId other = name(action, i + 1, database);
        if (other != null) {
          effects.add(
              new StatementRules.Effect(
                  other, "the statement takes rows away or puts them in unseen"));
        }
      }
    }
  }

  /**
   * The collation that a CREATE TABLE names for the whole table without its character set; null if
   * it names none, or both.
   */
  @Nullable String collationAlone() {
    return create ? Collations.alone(tokens) : null;
  }

  private static @Nullable Token first(List<Token> action) {
    return action.isEmpty() ? null : action.get(0);
  }

  private static void columns(List<Token> action, Set<String> gone, Set<String> given) {
    Token first = first(action);
    if (first == null) {
      return;
    }
    if (first.is("DROP")) {
      int at = column(action);
      if (at > 0) {
        gone.add(lower(action.get(at)));
      }
    } else if (first.is("ADD")) {
      added(action).forEach(definition -> given.add(lower(definition.get(0))));
    } else if (first.is("CHANGE")) {
      int at = column(action);
      if (at > 0 && at + 1 < action.size()) {
        rename(action.get(at), action.get(at + 1), gone, given);
      }
    } else if (first.is("RENAME") && action.size() > 4 && action.get(1).is("COLUMN")) {
      rename(action.get(action.size() - 3), action.get(action.size() - 1), gone, given);
    }
  }

  private static void rename(Token from, Token to, Set<String> gone, Set<String> given) {
    if (!lower(from).equals(lower(to))) {
      gone.add(lower(from));
      given.add(lower(to));
    }
  }

  private static String lower(Token name) {
    return name.text().toLowerCase(Locale.ROOT);
  }

  /** Where the column's name stands in a DROP, ADD, CHANGE or MODIFY; 0: it is about none. */
  private static int column(List<Token> action) {
    int at = 1;
    boolean said = at < action.size() && action.get(at).is("COLUMN");
    if (said) {
      at++;
    }
    if (at < action.size() && action.get(at).is("IF")) {
      at++;
      at += at < action.size() && action.get(at).is("NOT") ? 2 : 1;
    }
    boolean none =
        at >= action.size()
            || !action.get(at).isName()
            || (!said && action.get(at).isOneOf(NO_COLUMN));
    return none ? 0 : at;
  }

  /** The definitions of an ADD, one column each, its name first. */
  private static List<List<Token>> added(List<Token> action) {
    int at = column(action);
    if (at > 0) {
      return List.of(action.subList(at, action.size()));
    }
    int open = action.size() > 1 && action.get(1).is("COLUMN") ? 2 : 1;
    if (open < action.size() && action.get(open).is("IF")) {
      open += 3;
    }
    if (open >= action.size() || !action.get(open).isSign('(')) {
      return List.of();
    }
    return split(action.subList(open + 1, action.size() - 1)).stream()
        .filter(definition -> !definition.isEmpty() && definition.get(0).isName())
        .toList();
  }

  /**
   * Columns that rows get a value in which no event tells: added ones with a default, an expression
   * or a counter. In lower case.
   */
  Set<String> addedWithValues() {
    Set<String> result = new TreeSet<>();
    for (List<Token> action : actions) {
      Token first = first(action);
      if (first != null && first.is("ADD")) {
        for (List<Token> definition : added(action)) {
          if (isComputed(definition) || hasDefault(definition)) {
            result.add(lower(definition.get(0)));
          }
        }
      }
    }
    return result;
  }

  private static boolean isComputed(List<Token> definition) {
    int depth = 0;
    for (int i = 0; i + 1 < definition.size(); i++) {
      Token token = definition.get(i);
      if (token.isSign('(')) {
        depth++;
      } else if (token.isSign(')')) {
        depth--;
      } else if (depth == 0 && token.is("AS") && definition.get(i + 1).isSign('(')) {
        return true;
      }
    }
    return false;
  }

  private static boolean hasDefault(List<Token> definition) {
    for (int i = 1; i < definition.size(); i++) {
      Token token = definition.get(i);
      boolean valued =
          token.is("DEFAULT") && i + 1 < definition.size() && !definition.get(i + 1).is("NULL");
      if (valued || token.isOneOf(List.of("AUTO_INCREMENT", "SERIAL"))) {
        return true;
      }
    }
    return false;
  }
}
