package io.sluice.replicator.values;

import io.sluice.evolution.SourceColumn;
import java.util.Locale;

/** What a declared type is, whatever synonym the DDL used for it. */
enum SourceKind {
  TINYINT,
  SMALLINT,
  MEDIUMINT,
  INT,
  BIGINT,
  BIGINT_UNSIGNED,
  DECIMAL,
  FLOAT,
  DOUBLE,
  BIT,
  DATE,
  DATETIME,
  TIMESTAMP,
  TIME,
  YEAR,
  TEXT,
  ENUM,
  SET,
  JSON,
  BINARY,
  VARBINARY,
  /** Known to be unsafe (spatial, VECTOR, MariaDB's UUID and INET), or not known. */
  UNSUPPORTED;

  static SourceKind of(MySqlFlavor flavor, SourceColumn column) {
    String type = column.typeName().toUpperCase(Locale.ROOT).trim();
    int parenthesis = type.indexOf('(');
    if (parenthesis >= 0) {
      int close = type.indexOf(')', parenthesis);
      type = type.substring(0, parenthesis) + (close < 0 ? "" : type.substring(close + 1));
    }
    boolean unsigned = type.contains(" UNSIGNED") || type.contains(" ZEROFILL");
    String base =
        type.replace(" UNSIGNED", "")
            .replace(" SIGNED", "")
            .replace(" ZEROFILL", "")
            .replace(" PRECISION", "")
            .replaceAll("\\s+", " ")
            .trim();
    return switch (base) {
      case "TINYINT", "INT1", "BOOL", "BOOLEAN" -> TINYINT;
      case "SMALLINT", "INT2" -> SMALLINT;
      case "MEDIUMINT", "INT3", "MIDDLEINT" -> MEDIUMINT;
      case "INT", "INTEGER", "INT4" -> INT;
      case "BIGINT", "INT8" -> unsigned ? BIGINT_UNSIGNED : BIGINT;
      case "SERIAL" -> BIGINT_UNSIGNED;
      case "DECIMAL", "DEC", "NUMERIC", "FIXED" -> DECIMAL;
      case "FLOAT", "FLOAT4" -> isDoubleByLength(column) ? DOUBLE : FLOAT;
      case "DOUBLE", "REAL", "FLOAT8" -> DOUBLE;
      case "BIT" -> BIT;
      case "DATE" -> DATE;
      case "DATETIME" -> DATETIME;
      case "TIMESTAMP" -> TIMESTAMP;
      case "TIME" -> TIME;
      case "YEAR" -> YEAR;
      case "CHAR",
          "CHARACTER",
          "NCHAR",
          "NATIONAL CHAR",
          "NATIONAL CHARACTER",
          "VARCHAR",
          "VARCHARACTER",
          "CHARACTER VARYING",
          "CHAR VARYING",
          "NVARCHAR",
          "NATIONAL VARCHAR",
          "NATIONAL CHAR VARYING",
          "NATIONAL CHARACTER VARYING",
          "NCHAR VARCHAR",
          "NCHAR VARYING",
          "NATIONAL VARCHARACTER",
          "NCHAR VARCHARACTER",
          "TINYTEXT",
          "TEXT",
          "MEDIUMTEXT",
          "LONGTEXT",
          "LONG",
          "LONG VARCHAR",
          "LONG CHAR VARYING",
          "LONG CHARACTER VARYING",
          "LONG VARCHARACTER" ->
          isBinaryCharset(column) ? UNSUPPORTED : TEXT;
      case "ENUM" -> ENUM;
      case "SET" -> SET;
      case "JSON" -> JSON;
      case "BINARY", "CHAR BYTE" -> BINARY;
      case "VARBINARY", "TINYBLOB", "BLOB", "MEDIUMBLOB", "LONGBLOB", "LONG VARBINARY" -> VARBINARY;
      default -> UNSUPPORTED;
    };
  }

  /** FLOAT(25) to FLOAT(53) without a scale are doubles. */
  private static boolean isDoubleByLength(SourceColumn column) {
    return column.scale() == null && column.length() != null && column.length() > 24;
  }

  /** CHARACTER SET binary makes a text column a bytes column, which the stream doesn't know. */
  private static boolean isBinaryCharset(SourceColumn column) {
    return column.charset() != null && column.charset().equalsIgnoreCase("binary");
  }
}
