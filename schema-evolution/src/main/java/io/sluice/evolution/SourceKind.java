package io.sluice.evolution;

import java.util.EnumSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * What a MySQL or MariaDB column holds, whatever name its type was declared by. Converters of
 * values switch over this.
 */
public enum SourceKind {
  /** TINYINT(1) signed, BOOL, BOOLEAN: -128 to 127, mostly used as a truth value. */
  TINYINT_ONE,
  TINYINT,
  TINYINT_UNSIGNED,
  SMALLINT,
  SMALLINT_UNSIGNED,
  MEDIUMINT,
  MEDIUMINT_UNSIGNED,
  INT,
  INT_UNSIGNED,
  BIGINT,
  BIGINT_UNSIGNED,
  /** 1901 to 2155, or 0. */
  YEAR,
  /** BIT(1). */
  BIT_ONE,
  /** BIT(2) to BIT(64): an unsigned number. */
  BITS,
  FLOAT,
  DOUBLE,
  /** Up to 65 digits, 30 of them after the point. */
  DECIMAL,
  DATE,
  /** Wall clock, 0 to 6 fraction digits. */
  DATETIME,
  /** An instant, 0 to 6 fraction digits. */
  TIMESTAMP,
  /** -838:59:59 to 838:59:59, 0 to 6 fraction digits: a duration rather than a time of day. */
  TIME,
  CHAR,
  /** VARCHAR and the TEXT types. */
  TEXT,
  BINARY,
  /** VARBINARY and the BLOB types. */
  BLOB,
  ENUM,
  SET,
  /** MySQL's JSON; MariaDB's is a LONGTEXT. */
  JSON,
  GEOMETRY,
  VECTOR,
  /** MariaDB's UUID. */
  UUID,
  /** MariaDB's INET4 and INET6. */
  INET,
  /** A type that this version has never heard of. */
  UNKNOWN;

  private static final int FLOAT_DIGITS_MAX = 24;

  private static final Set<SourceKind> INTEGERS = EnumSet.range(TINYINT_ONE, BIGINT_UNSIGNED);

  private static final Map<String, SourceKind> BY_NAME =
      Map.ofEntries(
          Map.entry("BOOL", TINYINT_ONE),
          Map.entry("BOOLEAN", TINYINT_ONE),
          Map.entry("TINYINT", TINYINT),
          Map.entry("INT1", TINYINT),
          Map.entry("SMALLINT", SMALLINT),
          Map.entry("INT2", SMALLINT),
          Map.entry("MEDIUMINT", MEDIUMINT),
          Map.entry("MIDDLEINT", MEDIUMINT),
          Map.entry("INT3", MEDIUMINT),
          Map.entry("INT", INT),
          Map.entry("INTEGER", INT),
          Map.entry("INT4", INT),
          Map.entry("BIGINT", BIGINT),
          Map.entry("INT8", BIGINT),
          Map.entry("SERIAL", BIGINT_UNSIGNED),
          Map.entry("YEAR", YEAR),
          Map.entry("BIT", BITS),
          Map.entry("FLOAT", FLOAT),
          Map.entry("FLOAT4", FLOAT),
          Map.entry("DOUBLE", DOUBLE),
          Map.entry("DOUBLE PRECISION", DOUBLE),
          Map.entry("FLOAT8", DOUBLE),
          Map.entry("REAL", DOUBLE),
          Map.entry("DECIMAL", DECIMAL),
          Map.entry("DEC", DECIMAL),
          Map.entry("NUMERIC", DECIMAL),
          Map.entry("FIXED", DECIMAL),
          Map.entry("DATE", DATE),
          Map.entry("DATETIME", DATETIME),
          Map.entry("TIMESTAMP", TIMESTAMP),
          Map.entry("TIME", TIME),
          Map.entry("CHAR", CHAR),
          Map.entry("CHARACTER", CHAR),
          Map.entry("NCHAR", CHAR),
          Map.entry("NATIONAL CHAR", CHAR),
          Map.entry("NATIONAL CHARACTER", CHAR),
          Map.entry("VARCHAR", TEXT),
          Map.entry("CHARACTER VARYING", TEXT),
          Map.entry("CHAR VARYING", TEXT),
          Map.entry("VARCHARACTER", TEXT),
          Map.entry("NVARCHAR", TEXT),
          Map.entry("NCHAR VARCHAR", TEXT),
          Map.entry("NCHAR VARYING", TEXT),
          Map.entry("NATIONAL VARCHAR", TEXT),
          Map.entry("NATIONAL CHAR VARYING", TEXT),
          Map.entry("NATIONAL CHARACTER VARYING", TEXT),
          Map.entry("TINYTEXT", TEXT),
          Map.entry("TEXT", TEXT),
          Map.entry("MEDIUMTEXT", TEXT),
          Map.entry("LONGTEXT", TEXT),
          Map.entry("LONG", TEXT),
          Map.entry("LONG VARCHAR", TEXT),
          Map.entry("LONG CHAR VARYING", TEXT),
          Map.entry("LONG CHARACTER VARYING", TEXT),
          Map.entry("BINARY", BINARY),
          Map.entry("CHAR BYTE", BINARY),
          Map.entry("VARBINARY", BLOB),
          Map.entry("TINYBLOB", BLOB),
          Map.entry("BLOB", BLOB),
          Map.entry("MEDIUMBLOB", BLOB),
          Map.entry("LONGBLOB", BLOB),
          Map.entry("LONG VARBINARY", BLOB),
          Map.entry("ENUM", ENUM),
          Map.entry("SET", SET),
          Map.entry("JSON", JSON),
          Map.entry("GEOMETRY", GEOMETRY),
          Map.entry("POINT", GEOMETRY),
          Map.entry("LINESTRING", GEOMETRY),
          Map.entry("POLYGON", GEOMETRY),
          Map.entry("MULTIPOINT", GEOMETRY),
          Map.entry("MULTILINESTRING", GEOMETRY),
          Map.entry("MULTIPOLYGON", GEOMETRY),
          Map.entry("GEOMETRYCOLLECTION", GEOMETRY),
          Map.entry("GEOMCOLLECTION", GEOMETRY),
          Map.entry("VECTOR", VECTOR),
          Map.entry("UUID", UUID),
          Map.entry("INET4", INET),
          Map.entry("INET6", INET));

  /** The kind of a column; {@link #UNKNOWN} if its type's name is none of MySQL's or MariaDB's. */
  public static SourceKind of(SourceColumn column) {
    String name = column.typeName().toUpperCase(Locale.ROOT).strip().replaceAll("\\s+", " ");
    boolean unsigned = name.contains(" UNSIGNED") || name.contains(" ZEROFILL");
    name = name.replace(" UNSIGNED", "").replace(" ZEROFILL", "").replace(" SIGNED", "");
    SourceKind kind = BY_NAME.getOrDefault(name, UNKNOWN);
    Integer length = column.length();
    return switch (kind) {
      case TINYINT ->
          unsigned ? TINYINT_UNSIGNED : length != null && length == 1 ? TINYINT_ONE : TINYINT;
      case SMALLINT -> unsigned ? SMALLINT_UNSIGNED : SMALLINT;
      case MEDIUMINT -> unsigned ? MEDIUMINT_UNSIGNED : MEDIUMINT;
      case INT -> unsigned ? INT_UNSIGNED : INT;
      case BIGINT -> unsigned ? BIGINT_UNSIGNED : BIGINT;
      case BITS -> length == null || length == 1 ? BIT_ONE : BITS;
      case FLOAT ->
          length != null && column.scale() == null && length > FLOAT_DIGITS_MAX ? DOUBLE : FLOAT;
      default -> kind;
    };
  }

  /** TINYINT to BIGINT, signed or not. */
  public boolean isInteger() {
    return INTEGERS.contains(this);
  }
}
