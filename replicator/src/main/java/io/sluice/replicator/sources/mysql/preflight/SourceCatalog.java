package io.sluice.replicator.sources.mysql.preflight;

import io.sluice.config.SourceSize;
import io.sluice.config.TableRouting;
import io.sluice.evolution.SourceColumn;
import io.sluice.evolution.SourceTable;
import io.sluice.evolution.SourceTableId;
import io.sluice.replicator.values.ColumnTypeText;
import io.sluice.replicator.values.ValueEncoders;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads the server's catalog: the captured tables that the user can see. */
final class SourceCatalog {

  private static final String TABLES =
      "SELECT TABLE_NAME, TABLE_TYPE, ENGINE, TABLE_ROWS, DATA_LENGTH FROM information_schema.TABLES"
          + " WHERE TABLE_SCHEMA = ? ORDER BY TABLE_NAME";
  private static final String COLUMNS =
      "SELECT TABLE_NAME, COLUMN_NAME, COLUMN_TYPE, IS_NULLABLE, CHARACTER_SET_NAME,"
          + " COLUMN_DEFAULT, GENERATION_EXPRESSION FROM information_schema.COLUMNS"
          + " WHERE TABLE_SCHEMA = ? ORDER BY TABLE_NAME, ORDINAL_POSITION";
  private static final String KEYS =
      "SELECT TABLE_NAME, COLUMN_NAME FROM information_schema.STATISTICS"
          + " WHERE TABLE_SCHEMA = ? AND INDEX_NAME = 'PRIMARY'"
          + " ORDER BY TABLE_NAME, SEQ_IN_INDEX";
  private static final Pattern CASCADE =
      Pattern.compile(
          "CONSTRAINT (\\S+) FOREIGN KEY [^,]*? ON (?:DELETE|UPDATE) (?:CASCADE|SET NULL|SET DEFAULT)");

  private static final Pattern QUOTED = Pattern.compile("`(?:[^`]|``)*`");
  private static final Pattern TEXT = Pattern.compile("'(?:[^']|'')*'");

  private final Connection connection;
  private final TableRouting routing;

  SourceCatalog(Connection connection, TableRouting routing) {
    this.connection = connection;
    this.routing = routing;
  }

  /** The captured tables, by database and name; views and sequences are none. */
  List<CatalogTable> capturedTables() throws SQLException {
    List<CatalogTable> result = new ArrayList<>();
    for (String database : databases()) {
      if (routing.mayCapture(database)) {
        result.addAll(ofDatabase(database));
      }
    }
    return result;
  }

  /** All databases that the user can see. */
  List<String> databases() throws SQLException {
    List<String> result = new ArrayList<>();
    try (Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery(
                "SELECT SCHEMA_NAME FROM information_schema.SCHEMATA ORDER BY SCHEMA_NAME")) {
      while (rows.next()) {
        result.add(rows.getString(1));
      }
    }
    return result;
  }

  private List<CatalogTable> ofDatabase(String database) throws SQLException {
    Map<String, List<SourceColumn>> columns = columns(database);
    Map<String, List<String>> keys = names(KEYS, database);
    List<CatalogTable> result = new ArrayList<>();
    try (PreparedStatement statement = connection.prepareStatement(TABLES)) {
      statement.setString(1, database);
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          String name = rows.getString(1);
          String kind = rows.getString(2);
          if (!routing.captures(database, name)
              || kind.endsWith("VIEW")
              || kind.equals("SEQUENCE")) {
            continue;
          }
          SourceTable definition =
              new SourceTable(
                  new SourceTableId(database, name),
                  columns.getOrDefault(name, List.of()),
                  keys.getOrDefault(name, List.of()));
          String engine = rows.getString(3);
          result.add(
              new CatalogTable(
                  definition,
                  kind,
                  engine == null ? "" : engine,
                  new SourceSize(rows.getLong(4), rows.getLong(5)),
                  cascades(database, name)));
        }
      }
    }
    return result;
  }

  private Map<String, List<SourceColumn>> columns(String database) throws SQLException {
    Map<String, List<SourceColumn>> result = new LinkedHashMap<>();
    try (PreparedStatement statement = connection.prepareStatement(COLUMNS)) {
      statement.setString(1, database);
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          ColumnTypeText type = ColumnTypeText.parse(rows.getString(3));
          result
              .computeIfAbsent(rows.getString(1), name -> new ArrayList<>())
              .add(
                  new SourceColumn(
                      rows.getString(2),
                      type.typeName(),
                      type.length(),
                      type.scale(),
                      rows.getString(4).equals("YES"),
                      rows.getString(5),
                      type.labels(),
                      defaultOf(rows.getString(6), rows.getString(7))));
        }
      }
    }
    return result;
  }

  /** MariaDB spells the absence of a default NULL. */
  private static @Nullable String defaultOf(@Nullable String value, @Nullable String generated) {
    if (generated != null && !generated.isEmpty()) {
      return generated;
    }
    return value == null || value.equalsIgnoreCase("NULL") ? null : value;
  }

  private Map<String, List<String>> names(String sql, String database) throws SQLException {
    Map<String, List<String>> result = new LinkedHashMap<>();
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setString(1, database);
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          result
              .computeIfAbsent(rows.getString(1), name -> new ArrayList<>())
              .add(rows.getString(2));
        }
      }
    }
    return result;
  }

  /**
   * From the table's own text: the catalog shows constraints only to users who may do more than
   * read.
   */
  private List<String> cascades(String database, String table) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery(
                "SHOW CREATE TABLE "
                    + ValueEncoders.quote(database)
                    + "."
                    + ValueEncoders.quote(table))) {
      return rows.next() ? cascades(rows.getString(2)) : List.of();
    }
  }

  static List<String> cascades(String createTable) {
    List<String> result = new ArrayList<>();
    for (String line : createTable.lines().toList()) {
      Matcher matcher = CASCADE.matcher(withoutNames(line));
      if (matcher.find()) {
        Matcher name = QUOTED.matcher(line);
        result.add(name.find() ? name.group().replace("`", "") : "?");
      }
    }
    return result;
  }

  /** Names may hold anything, also the words that are looked for. */
  private static String withoutNames(String line) {
    return TEXT.matcher(QUOTED.matcher(line).replaceAll("n")).replaceAll("t").replace(", ", " ");
  }
}
