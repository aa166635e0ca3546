package io.sluice.replicator.values;

import io.sluice.lsm.binary.BinaryRowWriter;

/** DATE: days since 1970-01-01. */
final class DateEncoder extends TextRowEncoder {

  DateEncoder(ColumnContext context) {
    super(context);
  }

  @Override
  void encodeStreamNull(BinaryRowWriter writer, int field) {
    if (context.column().nullable()) {
      context.writeNull(writer, field);
    } else {
      context.writeZeroDate(writer, field);
    }
  }

  @Override
  void encodeStream(Object value, BinaryRowWriter writer, int field) {
    if (!(value instanceof Integer days)) {
      throw context.wrongClass(value);
    }
    writer.writeInt(field, days);
  }

  @Override
  void encodeText(byte[] text, BinaryRowWriter writer, int field) {
    int year = Ascii.digits(text, 0, 4);
    int month = Ascii.digits(text, 5, 2);
    int day = Ascii.digits(text, 8, 2);
    if (text.length != 10 || year < 0 || month < 0 || day < 0) {
      throw context.unencodable("the server sent text that is not a date");
    }
    if (year == 0 || month == 0 || day == 0) {
      context.writeZeroDate(writer, field);
    } else if (!CivilTime.exists(year, month, day)) {
      throw context.unencodable("a day that the calendar has not; correct the row");
    } else {
      writer.writeInt(field, CivilTime.epochDay(year, month, day));
    }
  }
}
