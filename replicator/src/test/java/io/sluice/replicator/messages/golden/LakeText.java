package io.sluice.replicator.messages.golden;

import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.schema.DataType;
import io.sluice.lsm.schema.DataType.DecimalType;
import io.sluice.lsm.schema.DataType.TemporalType;
import io.sluice.lsm.schema.TypeRoot;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/** Values of lake rows as text. */
final class LakeText {

  private LakeText() {}

  static @Nullable String of(BinaryRow row, int column, DataType type) {
    if (row.isNullAt(column)) {
      return null;
    }
    TypeRoot root = type.root();
    return switch (root) {
      case BOOLEAN -> Boolean.toString(row.getBoolean(column));
      case TINYINT -> Byte.toString(row.getByte(column));
      case SMALLINT -> Short.toString(row.getShort(column));
      case INT -> Integer.toString(row.getInt(column));
      case BIGINT -> Long.toString(row.getLong(column));
      case FLOAT -> Float.toString(row.getFloat(column));
      case DOUBLE -> Double.toString(row.getDouble(column));
      case DECIMAL -> {
        DecimalType decimal = (DecimalType) type;
        yield row.getDecimal(column, decimal.precision(), decimal.scale()).toPlainString();
      }
      case DATE -> LocalDate.ofEpochDay(row.getInt(column)).toString();
      case TIMESTAMP, TIMESTAMP_LTZ -> {
        int precision = ((TemporalType) type).precision();
        Instant instant =
            Instant.ofEpochMilli(row.getTimestampMillis(column, precision))
                .plusNanos(row.getNanoOfMilli(column, precision));
        yield root == TypeRoot.TIMESTAMP_LTZ
            ? instant.toString()
            : LocalDateTime.ofInstant(instant, ZoneOffset.UTC).toString();
      }
      case BINARY, VARBINARY -> HexFormat.of().formatHex(row.getByteArray(column));
      default -> new String(row.getByteArray(column), StandardCharsets.UTF_8);
    };
  }
}
