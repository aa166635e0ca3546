package io.sluice.replicator.values;

import io.sluice.lsm.binary.BinaryRowWriter;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * Writes one column's value into one field of the row being built: exactly one write or null a
 * call. Holds no state between calls; may be used by many threads, each with a writer of its own.
 */
public interface ValueEncoder {

  /**
   * A value of the stream.
   *
   * @param streamValue as {@code Struct.getWithoutDefault} gives it; null for SQL NULL
   * @throws UnencodableValueException it does not fit the lake column
   */
  void encode(@Nullable Object streamValue, BinaryRowWriter writer, int field);

  /**
   * A value of a SELECT of {@link ValueEncoders#selectExpression}.
   *
   * @param index from 1
   * @throws UnencodableValueException it does not fit the lake column
   */
  void encode(ResultSet row, int index, BinaryRowWriter writer, int field) throws SQLException;
}
