package io.sluice.lsm.row;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;

/**
 * Read access to one row by column position, whatever holds it (a binary row, a place in a columnar
 * batch). A caller knows the type of each column and calls the method of that type, after {@link
 * #isNullAt}; anything else gives garbage, as in C. A row may be a view that its owner moves on:
 * whoever keeps one copies it.
 */
public interface Row {

  int size();

  /** +I where the holder has no kind. */
  RowKind kind();

  boolean isNullAt(int column);

  boolean getBoolean(int column);

  byte getByte(int column);

  short getShort(int column);

  /** INT; DATE as days since 1970-01-01; TIME as milliseconds of the day. */
  int getInt(int column);

  long getLong(int column);

  float getFloat(int column);

  double getDouble(int column);

  /** CHAR, VARCHAR (UTF-8), BINARY, VARBINARY: points {@code into} at the bytes without a copy. */
  void getBytes(int column, BytesView into);

  /** DECIMAL of at most 18 digits: the unscaled value. */
  long getDecimalUnscaled(int column);

  /** DECIMAL of any precision, with the column's scale. */
  BigDecimal getDecimal(int column, int precision, int scale);

  /** TIMESTAMP, TIMESTAMP_LTZ: epoch milliseconds (of the wall clock; of the instant). */
  long getTimestampMillis(int column, int precision);

  /** TIMESTAMP, TIMESTAMP_LTZ: 0 to 999,999 nanoseconds within the millisecond. */
  int getNanoOfMilli(int column, int precision);

  /** CHAR, VARCHAR as a String; convenience, not for hot paths. */
  default String getString(int column) {
    BytesView view = new BytesView();
    getBytes(column, view);
    return new String(view.array, view.offset, view.length, StandardCharsets.UTF_8);
  }

  /** BINARY, VARBINARY as a fresh array; convenience, not for hot paths. */
  default byte[] getByteArray(int column) {
    BytesView view = new BytesView();
    getBytes(column, view);
    return view.toByteArray();
  }
}
