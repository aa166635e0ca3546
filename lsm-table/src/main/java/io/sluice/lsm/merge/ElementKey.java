package io.sluice.lsm.merge;

import io.sluice.lsm.binary.Boxed;
import io.sluice.lsm.binary.BucketHash;
import io.sluice.lsm.binary.ColumnBounds.Moment;
import io.sluice.lsm.schema.DataType;
import io.sluice.lsm.schema.DataType.DecimalType;
import java.math.BigDecimal;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * An element of an array or a key of a map, as {@link Boxed} has it, that equals others by value
 * and hashes as Paimon's object for it does: distinct elements stand in the order of a hash set
 * there. Not for bytes and nested values.
 */
record ElementKey(@Nullable Object value, int hash) {

  static ElementKey of(@Nullable Object value, DataType type) {
    return new ElementKey(value, value == null ? 0 : hash(value, type));
  }

  private static int hash(Object value, DataType type) {
    return switch (type.root()) {
      case BOOLEAN -> Boolean.hashCode((Long) value != 0);
      case TINYINT, SMALLINT, INT, DATE, TIME -> ((Long) value).intValue();
      case BIGINT -> Long.hashCode((Long) value);
      case FLOAT -> Float.hashCode(((Double) value).floatValue());
      case DOUBLE -> Double.hashCode((Double) value);
      case DECIMAL ->
          value instanceof Long unscaled
              ? BigDecimal.valueOf(unscaled, ((DecimalType) type).scale()).hashCode()
              : value.hashCode();
      case CHAR, VARCHAR -> {
        byte[] bytes = (byte[]) value;
        yield BucketHash.hash(bytes, 0, bytes.length);
      }
      case TIMESTAMP, TIMESTAMP_LTZ -> {
        Moment moment = (Moment) value;
        yield 31 * Long.hashCode(moment.millis()) + moment.nanoOfMilli();
      }
      case BINARY, VARBINARY, ARRAY, MAP, MULTISET, ROW, VARIANT -> throw new AssertionError(type);
    };
  }

  @Override
  public int hashCode() {
    return hash;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    if (!(other instanceof ElementKey that)) {
      return false;
    }
    return value instanceof byte[] bytes
        ? that.value instanceof byte[] others && Arrays.equals(bytes, others)
        : Objects.equals(value, that.value);
  }
}
