package io.sluice.replicator.demo;

import io.sluice.lsm.scan.RowReader;
import io.sluice.lsm.scan.TableScan;
import java.io.IOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Every row of every table of the shop: at the source, and as a scan of the lake gives it. */
public final class Comparison {
  private static final int SHOWN = 5;

  private Comparison() {}

  /**
   * What one table's comparison found.
   *
   * @param differences a few of the rows that differ; empty when there are none
   */
  public record Result(
      String table, long sourceRows, long lakeRows, long differing, List<String> differences) {
    public Result {
      differences = List.copyOf(differences);
    }
  }

  /** Compares all tables. REQUIRES: the source is quiet. */
  public static List<Result> compare(Connector connector, Lake lake)
      throws SQLException, IOException {
    List<Result> results = new ArrayList<>();
    for (Shop.Table table : Shop.TABLES) {
      results.add(compare(connector, lake, table));
    }
    return results;
  }

  private static Result compare(Connector connector, Lake lake, Shop.Table table)
      throws SQLException, IOException {
    Map<List<@Nullable String>, List<@Nullable String>> source = sourceRows(connector, table);
    long sourceRows = source.size();
    Optional<TableScan> scan = lake.scan(table.name());
    if (scan.isEmpty()) {
      return new Result(
          table.name(),
          sourceRows,
          0,
          sourceRows,
          List.of("the lake has no table " + table.name()));
    }
    List<String> shown = new ArrayList<>();
    long lakeRows = 0;
    long differing = 0;
    try (RowReader reader = scan.get().columns(table.columnNames()).open()) {
      while (reader.advance()) {
        lakeRows++;
        List<@Nullable String> row = RowText.of(reader.row(), reader.rowType());
        List<@Nullable String> expected = source.remove(row.subList(0, table.keyColumns()));
        if (!row.equals(expected)) {
          differing++;
          add(
              shown,
              "source " + (expected == null ? "has no such row" : expected) + ", lake " + row);
        }
      }
    }
    for (List<@Nullable String> row : source.values()) {
      differing++;
      add(shown, "source " + row + ", lake has no such row");
    }
    return new Result(table.name(), sourceRows, lakeRows, differing, shown);
  }

  private static void add(List<String> shown, String line) {
    if (shown.size() < SHOWN) {
      shown.add(line);
    }
  }

  private static Map<List<@Nullable String>, List<@Nullable String>> sourceRows(
      Connector connector, Shop.Table table) throws SQLException {
    List<String> selected =
        table.columns().stream()
            .map(column -> column.expression().isEmpty() ? column.name() : column.expression())
            .toList();
    Map<List<@Nullable String>, List<@Nullable String>> rows = new HashMap<>();
    try (Connection connection = connector.connect(Shop.DATABASE);
        Statement statement = connection.createStatement()) {
      statement.execute("SET time_zone = '+00:00'");
      try (ResultSet result =
          statement.executeQuery(
              "SELECT " + String.join(", ", selected) + " FROM " + table.name())) {
        while (result.next()) {
          List<@Nullable String> row = new ArrayList<>(selected.size());
          for (int i = 0; i < selected.size(); i++) {
            boolean isDouble = table.columns().get(i).expression().isEmpty();
            String value =
                isDouble ? Double.toString(result.getDouble(i + 1)) : result.getString(i + 1);
            row.add(result.wasNull() ? null : value);
          }
          rows.put(row.subList(0, table.keyColumns()), row);
        }
      }
    }
    return rows;
  }
}
