package io.sluice.replicator.values;

import io.sluice.evolution.SourceKind;
import io.sluice.lsm.binary.BinaryRowWriter;
import io.sluice.lsm.schema.DataType.DecimalType;
import java.math.BigDecimal;
import java.math.RoundingMode;

/** DECIMAL and integers to DECIMAL, digit for digit. */
final class DecimalEncoder extends TextRowEncoder {

  private static final long[] POWERS = new long[19];

  static {
    POWERS[0] = 1;
    for (int i = 1; i < POWERS.length; i++) {
      POWERS[i] = POWERS[i - 1] * 10;
    }
  }

  private final int precision;
  private final int scale;
  private final boolean year;

  DecimalEncoder(ColumnContext context) {
    super(context);
    DecimalType type = (DecimalType) context.field().type();
    this.precision = type.precision();
    this.scale = type.scale();
    this.year = context.kind() == SourceKind.YEAR;
  }

  @Override
  void encodeStream(Object value, BinaryRowWriter writer, int field) {
    if (value instanceof BigDecimal decimal) {
      write(decimal, writer, field);
    } else if (value instanceof Integer
        || value instanceof Long
        || value instanceof Short
        || value instanceof Byte) {
      long number = ((Number) value).longValue();
      write(BigDecimal.valueOf(year && number == 1900 ? 0 : number), writer, field);
    } else {
      throw context.wrongClass(value);
    }
  }

  @Override
  void encodeText(byte[] text, BinaryRowWriter writer, int field) {
    if (precision <= 18) {
      long unscaled = Ascii.parseUnscaled(text, scale);
      if (unscaled != Long.MIN_VALUE && Math.abs(unscaled) < POWERS[precision]) {
        writer.writeDecimalUnscaled(field, unscaled);
        return;
      }
    }
    write(Ascii.parseDecimal(text, context), writer, field);
  }

  private void write(BigDecimal value, BinaryRowWriter writer, int field) {
    BigDecimal scaled;
    try {
      scaled = value.setScale(scale, RoundingMode.UNNECESSARY);
    } catch (ArithmeticException e) {
      throw context.unencodable("the value has more fraction digits than the lake type");
    }
    if (scaled.precision() > precision) {
      throw context.unencodable("the value has more digits than the lake type");
    }
    writer.writeDecimal(field, scaled, precision);
  }
}
