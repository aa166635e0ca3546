package io.sluice.lsm.row;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;

/**
 * Read access to values by position: the columns of a row, the elements of an array. A caller knows
 * the type at each position and calls the method of that type, after {@link #isNullAt}; anything
 * else gives garbage, as in C. May be a view that its owner moves on: whoever keeps one copies it.
 */
public interface Values {

  int size();

  boolean isNullAt(int position);

  boolean getBoolean(int position);

  byte getByte(int position);

  short getShort(int position);

  /** INT; DATE as days since 1970-01-01; TIME as milliseconds of the day. */
  int getInt(int position);

  long getLong(int position);

  float getFloat(int position);

  double getDouble(int position);

  /** CHAR, VARCHAR (UTF-8), BINARY, VARBINARY: points {@code into} at the bytes without a copy. */
  void getBytes(int position, BytesView into);

  /** DECIMAL of at most 18 digits: the unscaled value. */
  long getDecimalUnscaled(int position);

  /** DECIMAL of any precision, with the type's scale. */
  BigDecimal getDecimal(int position, int precision, int scale);

  /** TIMESTAMP, TIMESTAMP_LTZ: epoch milliseconds (of the wall clock; of the instant). */
  long getTimestampMillis(int position, int precision);

  /** TIMESTAMP, TIMESTAMP_LTZ: 0 to 999,999 nanoseconds within the millisecond. */
  int getNanoOfMilli(int position, int precision);

  /** ARRAY: its elements. */
  Values getArray(int position);

  /** MAP; MULTISET as a map from elements to their counts, INT. */
  MapValues getMap(int position);

  /**
   * A nested ROW.
   *
   * @param fields how many fields its type has
   */
  Row getRow(int position, int fields);

  /** CHAR, VARCHAR as a String; convenience, not for hot paths. */
  default String getString(int position) {
    BytesView view = new BytesView();
    getBytes(position, view);
    return new String(view.array, view.offset, view.length, StandardCharsets.UTF_8);
  }

  /** BINARY, VARBINARY as a fresh array; convenience, not for hot paths. */
  default byte[] getByteArray(int position) {
    BytesView view = new BytesView();
    getBytes(position, view);
    return view.toByteArray();
  }
}
