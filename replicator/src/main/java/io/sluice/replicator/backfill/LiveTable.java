package io.sluice.replicator.backfill;

import io.sluice.evolution.SourceColumn;
import io.sluice.evolution.SourceKind;
import io.sluice.evolution.SourceTable;
import io.sluice.evolution.SourceTableId;
import io.sluice.replicator.values.EnumLabels;
import io.sluice.replicator.values.MySqlFlavor;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A table's columns as the server has them at this moment. */
final class LiveTable {

  private static final String COLUMNS =
      "SELECT COLUMN_NAME, DATA_TYPE, COLUMN_TYPE, CHARACTER_MAXIMUM_LENGTH, NUMERIC_PRECISION,"
          + " NUMERIC_SCALE, DATETIME_PRECISION, IS_NULLABLE, CHARACTER_SET_NAME"
          + " FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ?"
          + " ORDER BY ORDINAL_POSITION";

  private static final int UTF8_BYTES_MAX = 4;
  private static final int SMALL_VALUE_BYTES = 32;

  private LiveTable() {}

  /** Columns in their order, invisible ones too; none if there is no such table. */
  static List<SourceColumn> columns(Connection connection, SourceTableId table)
      throws SQLException {
    List<SourceColumn> result = new ArrayList<>();
    try (PreparedStatement statement = connection.prepareStatement(COLUMNS)) {
      statement.setString(1, table.database());
      statement.setString(2, table.table());
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          result.add(column(rows));
        }
      }
    }
    return result;
  }

  private static SourceColumn column(ResultSet row) throws SQLException {
    String dataType = row.getString(2).toUpperCase(Locale.ROOT);
    String columnType = row.getString(3);
    String lower = columnType.toLowerCase(Locale.ROOT);
    String typeName = lower.contains(" unsigned") ? dataType + " UNSIGNED" : dataType;
    Integer scale = null;
    Integer length = null;
    List<String> labels = List.of();
    switch (dataType) {
      case "DECIMAL" -> {
        length = row.getInt(5);
        scale = row.getInt(6);
      }
      case "TINYINT", "BIT" -> length = inParentheses(lower);
      case "DATETIME", "TIMESTAMP", "TIME" -> length = row.getInt(7);
      case "ENUM", "SET" -> labels = labels(columnType);
      default -> {
        long characters = row.getLong(4);
        length = row.wasNull() ? null : (int) Math.min(characters, Integer.MAX_VALUE);
      }
    }
    return new SourceColumn(
        row.getString(1),
        typeName,
        length,
        scale,
        "YES".equals(row.getString(8)),
        row.getString(9),
        labels,
        null);
  }

  /** Bytes that a row of these columns may take on its way, at most; small values by guess. */
  static long rowBytesMax(List<SourceColumn> columns) {
    long bytes = 0;
    for (SourceColumn column : columns) {
      Integer length = column.length();
      long unit = column.charset() == null ? 1 : UTF8_BYTES_MAX;
      bytes += length == null ? SMALL_VALUE_BYTES : Math.max(SMALL_VALUE_BYTES, length * unit);
    }
    return bytes;
  }

  private static @Nullable Integer inParentheses(String type) {
    int open = type.indexOf('(');
    int close = type.indexOf(')');
    return open < 0 || close < open ? null : Integer.valueOf(type.substring(open + 1, close));
  }

  /** The labels between the parentheses, quoted as in DDL. */
  static List<String> labels(String columnType) {
    List<String> result = new ArrayList<>();
    int from = columnType.indexOf('(') + 1;
    int end = columnType.lastIndexOf(')');
    int start = -1;
    for (int i = from; i < end; i++) {
      if (columnType.charAt(i) == '\\' && start >= 0) {
        i++;
        continue;
      }
      if (columnType.charAt(i) != '\'') {
        continue;
      }
      if (start < 0) {
        start = i;
      } else if (i + 1 < end && columnType.charAt(i + 1) == '\'') {
        i++;
      } else {
        result.add(EnumLabels.unquote(columnType.substring(start, i + 1)));
        start = -1;
      }
    }
    return result;
  }

  /**
   * What keeps rows of the live table from being read as {@code known} describes them: a DDL that
   * the stream hasn't come to yet. Empty if nothing does; columns that only the live table has
   * don't matter.
   */
  static Optional<String> difference(
      MySqlFlavor flavor, SourceTable known, List<SourceColumn> live) {
    if (live.isEmpty()) {
      return Optional.of("there is no such table at the source");
    }
    for (SourceColumn column : known.columns()) {
      Optional<SourceColumn> now =
          live.stream().filter(c -> c.name().equalsIgnoreCase(column.name())).findFirst();
      if (now.isEmpty()) {
        return Optional.of("the source has no column " + column.name());
      }
      if (!alike(flavor, column, now.get())) {
        return Optional.of(
            "column " + column.name() + " is known as " + column + ", the source has " + now.get());
      }
    }
    return Optional.empty();
  }

  private static boolean alike(MySqlFlavor flavor, SourceColumn known, SourceColumn live) {
    SourceKind kind = kind(flavor, known);
    if (kind != kind(flavor, live)) {
      return false;
    }
    return switch (kind) {
      case DECIMAL ->
          Objects.requireNonNullElse(known.scale(), 0)
                  .equals(Objects.requireNonNullElse(live.scale(), 0))
              && Objects.requireNonNullElse(known.length(), 10)
                  .equals(Objects.requireNonNullElse(live.length(), 10));
      case DATETIME, TIMESTAMP, TIME ->
          Objects.requireNonNullElse(known.length(), 0)
              .equals(Objects.requireNonNullElse(live.length(), 0));
      default -> true;
    };
  }

  /** JSON is a name for LONGTEXT in MariaDB. */
  private static SourceKind kind(MySqlFlavor flavor, SourceColumn column) {
    SourceKind kind = SourceKind.of(column);
    boolean text =
        kind == SourceKind.CHAR || (kind == SourceKind.JSON && flavor == MySqlFlavor.MARIADB);
    return text ? SourceKind.TEXT : kind == SourceKind.TINYINT_ONE ? SourceKind.TINYINT : kind;
  }
}
