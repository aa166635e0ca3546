package io.sluice.it.support;

import io.sluice.replicator.demo.servers.ThrowawayServer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The rows of a source table as text in the words of {@link LakeRows}: written anew from the
 * documented mapping, so that it can disagree.
 */
public final class SourceRows {
  private SourceRows() {}

  public static TableRows read(ThrowawayServer server, String database, String table)
      throws SQLException {
    try (Connection connection = server.connect(database);
        Statement statement = connection.createStatement()) {
      statement.execute("SET time_zone = '+00:00'");
      List<String> names = new ArrayList<>();
      List<String> expressions = new ArrayList<>();
      List<String> kinds = new ArrayList<>();
      try (ResultSet columns =
          statement.executeQuery(
              "SELECT column_name, data_type, column_type FROM information_schema.columns WHERE table_schema = "
                  + text(database)
                  + " AND table_name = "
                  + text(table)
                  + " ORDER BY ordinal_position")) {
        while (columns.next()) {
          String column = "`" + columns.getString(1).replace("`", "``") + "`";
          String type = columns.getString(2).toLowerCase(Locale.ROOT);
          String kind =
              type.equals("bit") && columns.getString(3).equalsIgnoreCase("bit(1)") ? "bit1" : type;
          names.add(columns.getString(1));
          kinds.add(kind);
          expressions.add(expression(column, kind));
        }
      }
      if (names.isEmpty()) {
        throw new SQLException("there is no table " + database + "." + table);
      }
      List<List<String>> rows = new ArrayList<>();
      String query =
          "SELECT " + String.join(", ", expressions) + " FROM `" + table.replace("`", "``") + "`";
      try (ResultSet result = statement.executeQuery(query)) {
        while (result.next()) {
          List<String> row = new ArrayList<>(names.size());
          for (int i = 0; i < names.size(); i++) {
            row.add(value(result, i + 1, kinds.get(i)));
          }
          rows.add(row);
        }
      }
      return new TableRows(names, rows);
    }
  }

  private static String text(String value) {
    return "'" + value.replace("\\", "\\\\").replace("'", "''") + "'";
  }

  private static String expression(String column, String kind) {
    return switch (kind) {
      case "float", "double" -> "CAST(" + column + " AS DOUBLE)";
      case "bit", "bit1", "year" -> "CAST(" + column + " AS UNSIGNED)";
      case "date", "datetime" -> unlessZero(column, "CAST(" + column + " AS CHAR)");
      case "timestamp" -> unlessZero(column, "CONCAT(CAST(" + column + " AS CHAR), 'Z')");
      case "binary", "varbinary", "tinyblob", "blob", "mediumblob", "longblob" ->
          "LOWER(HEX(" + column + "))";
      case "time", "decimal", "json", "tinyint", "smallint", "mediumint", "int", "bigint" ->
          "CAST(" + column + " AS CHAR)";
      // Else MySQL's driver decodes wide characters by itself, and drops a first U+FEFF.
      case "char", "varchar", "tinytext", "text", "mediumtext", "longtext" ->
          "CONVERT(" + column + " USING utf8mb4)";
      default -> column;
    };
  }

  // A date without a year, month or day is no date: null by default.
  private static String unlessZero(String column, String expression) {
    return "IF(YEAR("
        + column
        + ") = 0 OR MONTH("
        + column
        + ") = 0 OR DAYOFMONTH("
        + column
        + ") = 0, NULL, "
        + expression
        + ")";
  }

  private static String value(ResultSet result, int i, String kind) throws SQLException {
    String value =
        switch (kind) {
          case "float" -> Float.toString((float) result.getDouble(i));
          case "double" -> Double.toString(result.getDouble(i));
          case "bit1" -> Boolean.toString(result.getInt(i) != 0);
          default -> result.getString(i);
        };
    return result.wasNull() ? null : value;
  }
}
