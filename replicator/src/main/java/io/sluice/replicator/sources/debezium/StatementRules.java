package io.sluice.replicator.sources.debezium;

import io.sluice.evolution.SourceTableId;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What the text of a statement in the binlog tells beyond the schema change that Debezium makes of
 * it. Pure.
 */
final class StatementRules {

  private static final Pattern BLOCK_COMMENT =
      Pattern.compile("/\\*(?![!M]).*?\\*/", Pattern.DOTALL);
  private static final Pattern CONDITIONAL_COMMENT =
      Pattern.compile("/\\*(?:M?!)\\d*(.*?)\\*/", Pattern.DOTALL);
  private static final Pattern SET_STATEMENT =
      Pattern.compile(
          "^SET\\s+STATEMENT\\s+.*?\\s+FOR\\s+", Pattern.CASE_INSENSITIVE | Pattern.DOTALL);
  private static final Pattern DML =
      Pattern.compile(
          "^(?:INSERT|UPDATE|DELETE|REPLACE|LOAD\\s+(?:DATA|XML)|WITH|CALL|DO|IMPORT\\s+TABLE)\\b.*",
          Pattern.CASE_INSENSITIVE | Pattern.DOTALL);
  private static final Pattern DML_ON_SYSTEM_TABLE =
      Pattern.compile(
          "^(?:INSERT(?:\\s+IGNORE)?\\s+INTO|REPLACE\\s+INTO|DELETE\\s+FROM|UPDATE)\\s+`?mysql`?\\s*\\..*",
          Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

  private static final String IDENTIFIER = "(`(?:[^`]|``)+`|\"(?:[^\"]|\"\")+\"|[^\\s.`\"(,;]+)";
  private static final String QUALIFIED = IDENTIFIER + "(?:\\s*\\.\\s*" + IDENTIFIER + ")?";
  private static final Pattern CREATE_OR_REPLACE =
      Pattern.compile(
          "^CREATE\\s+OR\\s+REPLACE\\s+TABLE\\s+" + QUALIFIED + ".*",
          Pattern.CASE_INSENSITIVE | Pattern.DOTALL);
  private static final Pattern OR_REPLACE =
      Pattern.compile("\\bCREATE\\s+OR\\s+REPLACE\\s+TABLE\\b", Pattern.CASE_INSENSITIVE);
  private static final Pattern ALTER_TABLE =
      Pattern.compile(
          "^ALTER\\s+(?:ONLINE\\s+|IGNORE\\s+)*TABLE\\s+(?:IF\\s+EXISTS\\s+)?" + QUALIFIED + "(.*)",
          Pattern.CASE_INSENSITIVE | Pattern.DOTALL);
  private static final Pattern DROP_DATABASE =
      Pattern.compile(
          "^DROP\\s+(?:DATABASE|SCHEMA)\\s+(?:IF\\s+EXISTS\\s+)?" + IDENTIFIER + ".*",
          Pattern.CASE_INSENSITIVE | Pattern.DOTALL);
  private static final Pattern ROWS_UNSEEN =
      Pattern.compile(
          "\\b(?:TRUNCATE\\s+PARTITION|DROP\\s+PARTITION|EXCHANGE\\s+PARTITION|CONVERT\\s+PARTITION"
              + "|CONVERT\\s+TABLE|DISCARD\\s+(?:PARTITION\\b.*\\s)?TABLESPACE"
              + "|IMPORT\\s+(?:PARTITION\\b.*\\s)?TABLESPACE)\\b",
          Pattern.CASE_INSENSITIVE | Pattern.DOTALL);
  private static final Pattern SYSTEM_VERSIONING =
      Pattern.compile("\\b(?:WITH|ADD)\\s+SYSTEM\\s+VERSIONING\\b", Pattern.CASE_INSENSITIVE);

  /** Harmless on a server that writes such changes to its binlog. */
  static final String CASCADES =
      "its foreign key changes rows by cascade, which this server does not write to its binlog";

  private StatementRules() {}

  /** What is done to a table that {@link #effects} names. */
  record Effect(SourceTableId table, String problem) {}

  /**
   * Why the stream can't be followed past this QUERY event; null if it can.
   *
   * @param database the session's default database
   */
  static @Nullable String unsupportedInBinlog(@Nullable String database, String sql) {
    if (isCommonStatement(sql)) {
      return null;
    }
    String text = bare(sql);
    if (text.regionMatches(true, 0, "ROLLBACK", 0, 8)) {
      return "The source's binlog has a rolled back transaction (\""
          + excerpt(text)
          + "\"), which happens when one transaction changes tables with and without"
          + " transactions. Its rows can't be told from kept ones. Use InnoDB for all tables that"
          + " are changed together, then copy the tables again.";
    }
    if (!DML.matcher(text).matches()
        || "mysql".equalsIgnoreCase(database)
        || DML_ON_SYSTEM_TABLE.matcher(text).matches()) {
      return null;
    }
    return "The source logged a change as a statement (\""
        + excerpt(text)
        + "\", database "
        + database
        + "): some session has binlog_format STATEMENT or MIXED, and its changes don't come as"
        + " rows. Set binlog_format=ROW globally and in all sessions, then copy the changed tables"
        + " again.";
  }

  /** The three that come for each transaction, without looking at patterns. */
  private static boolean isCommonStatement(String sql) {
    return sql.length() <= 6 && (sql.equals("BEGIN") || sql.equals("COMMIT"));
  }

  /**
   * What a statement does to rows or columns of tables without Debezium saying so; empty if
   * nothing.
   */
  static List<Effect> effects(@Nullable String database, String sql) {
    var result = new ArrayList<Effect>();
    String text = bare(sql);
    Matcher replaced = CREATE_OR_REPLACE.matcher(text);
    if (replaced.matches()) {
      result.add(
          new Effect(
              table(replaced, database),
              "CREATE OR REPLACE TABLE replaces its rows and columns unseen"));
    }
    Matcher altered = ALTER_TABLE.matcher(text);
    if (altered.matches()) {
      String action = altered.group(3);
      if (ROWS_UNSEEN.matcher(action).find()) {
        result.add(
            new Effect(
                table(altered, database), "the statement takes rows away or puts them in unseen"));
      }
      if (SYSTEM_VERSIONING.matcher(action).find()) {
        result.add(
            new Effect(
                table(altered, database),
                "deletes in a system-versioned table are logged as updates"));
      }
    }
    TableStatement statement = TableStatement.parse(database, sql);
    if (statement != null) {
      result.addAll(statement.effects());
    }
    return result;
  }

  /**
   * A table that is replaced.
   *
   * @param sql the same as two statements that Debezium understands: it drops and creates the table
   */
  record Replacement(SourceTableId table, String sql) {}

  /**
   * What a CREATE OR REPLACE TABLE does; null for any other statement.
   *
   * @param database the session's default database
   */
  static @Nullable Replacement replacement(@Nullable String database, String sql) {
    if (isCommonStatement(sql)) {
      return null;
    }
    String text = bare(sql);
    Matcher replaced = CREATE_OR_REPLACE.matcher(text);
    if (!replaced.matches()) {
      return null;
    }
    // Comments may stand inside of a column's quoted comment, so the original text is taken.
    Matcher original = OR_REPLACE.matcher(sql);
    String create =
        original.find() ? sql.substring(original.end()) : text.substring(replaced.start(1));
    SourceTableId table = table(replaced, database);
    return new Replacement(
        table,
        "DROP TABLE IF EXISTS "
            + quoted(table.database())
            + "."
            + quoted(table.table())
            + "; CREATE TABLE "
            + create.strip());
  }

  private static String quoted(String identifier) {
    return "`" + identifier.replace("`", "``") + "`";
  }

  /** The database that a DROP DATABASE drops; null for other statements. */
  static @Nullable String droppedDatabase(String sql) {
    Matcher matcher = DROP_DATABASE.matcher(bare(sql));
    return matcher.matches() ? unquoted(matcher.group(1)) : null;
  }

  /** Whether a CREATE TABLE makes a system-versioned table (MariaDB). */
  static boolean makesSystemVersioned(String sql) {
    String text = bare(sql);
    return text.regionMatches(true, 0, "CREATE", 0, 6) && SYSTEM_VERSIONING.matcher(text).find();
  }

  private static SourceTableId table(Matcher matcher, @Nullable String database) {
    String first = unquoted(matcher.group(1));
    String second = matcher.group(2);
    return second == null
        ? new SourceTableId(database == null ? "" : database, first)
        : new SourceTableId(first, unquoted(second));
  }

  private static String unquoted(String identifier) {
    char quote = identifier.charAt(0);
    if (quote != '`' && quote != '"') {
      return identifier;
    }
    String inner = identifier.substring(1, identifier.length() - 1);
    return inner.replace("" + quote + quote, "" + quote);
  }

  /** Without comments and MariaDB's SET STATEMENT; what servers run of comments stays. */
  private static String bare(String sql) {
    String text = sql;
    if (text.contains("/*")) {
      text = BLOCK_COMMENT.matcher(text).replaceAll(" ");
      text = CONDITIONAL_COMMENT.matcher(text).replaceAll(" $1 ");
    }
    text = text.strip();
    while (text.startsWith("--") || text.startsWith("#")) {
      int end = text.indexOf('\n');
      text = end < 0 ? "" : text.substring(end + 1).strip();
    }
    return SET_STATEMENT.matcher(text).replaceFirst("").strip();
  }

  /** The statement's beginning: its verb and target, hardly any data. */
  static String excerpt(String sql) {
    String line = sql.strip().replaceAll("\\s+", " ");
    return line.length() <= 80 ? line : line.substring(0, 80) + "...";
  }
}
