package io.sluice.replicator.values;

import io.sluice.lsm.binary.BinaryRowWriter;

/**
 * TIME to text: {@code [-]HH[H]:MM:SS[.f]} with the column's fraction digits. It is a span of up to
 * 838 hours, not a time of day.
 */
final class TimeTextEncoder extends TextRowEncoder {

  private static final long MICROS_MAX = (838L * 3600 + 59 * 60 + 59) * 1_000_000L + 999_999;

  private final int digits;

  TimeTextEncoder(ColumnContext context) {
    super(context);
    this.digits = context.fractionDigits();
    if (digits > 6) {
      throw context.unencodable("more than 6 fraction digits");
    }
    TextEncoder.checkLakeLength(context, digits == 0 ? 10 : 11 + digits);
  }

  @Override
  void encodeStream(Object value, BinaryRowWriter writer, int field) {
    if (!(value instanceof Long micros)) {
      throw context.wrongClass(value);
    }
    write(micros, writer, field);
  }

  @Override
  void encodeText(byte[] text, BinaryRowWriter writer, int field) {
    int from = text.length > 0 && text[0] == '-' ? 1 : 0;
    int colon = from;
    while (colon < text.length && text[colon] != ':') {
      colon++;
    }
    int hours = Ascii.digits(text, from, colon - from);
    int minutes = Ascii.digits(text, colon + 1, 2);
    int seconds = Ascii.digits(text, colon + 4, 2);
    if (colon == from || colon - from > 3 || (hours | minutes | seconds) < 0) {
      throw notATime();
    }
    int fraction = 0;
    int end = colon + 6;
    if (text.length > end) {
      int sent = text.length - end - 1;
      if (text[end] != '.' || sent < 1 || sent > 6) {
        throw notATime();
      }
      fraction = Ascii.digits(text, end + 1, sent);
      for (int i = sent; i < 6; i++) {
        fraction *= 10;
      }
      if (fraction < 0) {
        throw notATime();
      }
    }
    long micros = (hours * 3600L + minutes * 60L + seconds) * 1_000_000L + fraction;
    write(from == 1 ? -micros : micros, writer, field);
  }

  private void write(long micros, BinaryRowWriter writer, int field) {
    if (micros < -MICROS_MAX || micros > MICROS_MAX) {
      throw context.unencodable("a TIME outside -838:59:59 to 838:59:59");
    }
    byte[] out = new byte[17];
    int at = 0;
    if (micros < 0) {
      out[at++] = '-';
    }
    long rest = Math.abs(micros);
    int fraction = (int) (rest % 1_000_000);
    int seconds = (int) (rest / 1_000_000);
    int hours = seconds / 3600;
    if (hours > 99) {
      out[at++] = (byte) ('0' + hours / 100);
    }
    at = twoDigits(out, at, hours % 100);
    out[at++] = ':';
    at = twoDigits(out, at, seconds / 60 % 60);
    out[at++] = ':';
    at = twoDigits(out, at, seconds % 60);
    if (digits > 0) {
      out[at++] = '.';
    }
    int unit = 100_000;
    for (int i = 0; i < digits; i++) {
      out[at++] = (byte) ('0' + fraction / unit % 10);
      unit /= 10;
    }
    if (unit > 0 && fraction % (unit * 10) != 0) {
      throw context.unencodable("the value has more fraction digits than its column declares");
    }
    writer.writeBytes(field, out, 0, at);
  }

  private static int twoDigits(byte[] out, int at, int value) {
    out[at] = (byte) ('0' + value / 10);
    out[at + 1] = (byte) ('0' + value % 10);
    return at + 2;
  }

  private UnencodableValueException notATime() {
    return context.unencodable("the server sent text that is not a TIME");
  }
}
