package io.sluice.replicator.values;

import io.sluice.lsm.binary.BinaryRowWriter;
import java.math.BigDecimal;
import java.math.RoundingMode;

/** DECIMAL of more than 38 digits to text: plain digits, always with the column's scale. */
final class DecimalTextEncoder extends TextRowEncoder {

  private final int scale;

  DecimalTextEncoder(ColumnContext context) {
    super(context);
    Integer declared = context.column().scale();
    this.scale = declared == null ? 0 : declared;
    // Digits, sign, point and the zero before it.
    TextEncoder.checkLakeLength(context, 68);
  }

  @Override
  void encodeStream(Object value, BinaryRowWriter writer, int field) {
    if (!(value instanceof BigDecimal decimal)) {
      throw context.wrongClass(value);
    }
    write(decimal, writer, field);
  }

  @Override
  void encodeText(byte[] text, BinaryRowWriter writer, int field) {
    write(Ascii.parseDecimal(text, context), writer, field);
  }

  private void write(BigDecimal value, BinaryRowWriter writer, int field) {
    try {
      writer.writeString(field, value.setScale(scale, RoundingMode.UNNECESSARY).toPlainString());
    } catch (ArithmeticException e) {
      throw context.unencodable("the value has more fraction digits than its column declares");
    }
  }
}
