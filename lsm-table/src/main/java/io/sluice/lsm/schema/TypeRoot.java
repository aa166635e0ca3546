package io.sluice.lsm.schema;

/** The kinds of column types, without their parameters. Exhaustive switches go over this. */
public enum TypeRoot {
  BOOLEAN,
  TINYINT,
  SMALLINT,
  INT,
  BIGINT,
  FLOAT,
  DOUBLE,
  DECIMAL,
  CHAR,
  VARCHAR,
  BINARY,
  VARBINARY,
  DATE,
  TIME,
  TIMESTAMP,
  TIMESTAMP_LTZ,
  ARRAY,
  MAP,
  MULTISET,
  ROW,
  /** Read as text only: a table that has one is refused with its column's name. */
  VARIANT;

  /** Whether values hold other values. */
  public boolean isNested() {
    return this == ARRAY || this == MAP || this == MULTISET || this == ROW || this == VARIANT;
  }

  /** Integers, FLOAT, DOUBLE and DECIMAL. */
  public boolean isNumeric() {
    return ordinal() >= TINYINT.ordinal() && ordinal() <= DECIMAL.ordinal();
  }

  /** CHAR and VARCHAR: UTF-8 text. */
  public boolean isText() {
    return this == CHAR || this == VARCHAR;
  }

  /** BINARY and VARBINARY: bytes. */
  public boolean isBytes() {
    return this == BINARY || this == VARBINARY;
  }
}
