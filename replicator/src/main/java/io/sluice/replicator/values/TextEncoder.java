package io.sluice.replicator.values;

import io.sluice.lsm.binary.BinaryRowWriter;
import io.sluice.lsm.schema.DataType;
import io.sluice.lsm.schema.DataType.LengthType;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Set;

/**
 * Text columns to UTF-8. A SELECT's bytes are UTF-8 already (the session's results are utf8mb4) and
 * are copied as they are.
 */
final class TextEncoder extends TextRowEncoder {

  /** Charsets in which U+FFFD and lone surrogates are values of their own. */
  private static final Set<String> UNICODE =
      Set.of("utf8", "utf8mb3", "utf8mb4", "ucs2", "utf16", "utf16le", "utf32", "gb18030");

  private final int lakeLength;
  private final boolean legacyCharset;

  TextEncoder(ColumnContext context) {
    super(context);
    String charset = context.column().charset();
    this.legacyCharset = charset != null && !UNICODE.contains(charset.toLowerCase(Locale.ROOT));
    int length = ((LengthType) context.field().type()).length();
    Integer declared = context.column().length();
    boolean roomy = length == DataType.MAX_LENGTH || (declared != null && declared <= length);
    this.lakeLength = roomy ? DataType.MAX_LENGTH : length;
  }

  /** Refuses a lake column that is shorter than what will be written to it. */
  static void checkLakeLength(ColumnContext context, int length) {
    if (!ValueEncoders.lengthFits(context.field().type(), length)) {
      throw context.unencodable("the lake column is shorter than the " + length + " it must hold");
    }
  }

  @Override
  void encodeStream(Object value, BinaryRowWriter writer, int field) {
    if (!(value instanceof String text)) {
      throw context.wrongClass(value);
    }
    if (legacyCharset && text.indexOf('\uFFFD') >= 0) {
      throw context.unencodable(
          "text that the binlog reader can't decode from "
              + context.column().charset()
              + "; convert the column to utf8mb4");
    }
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    checkSurrogates(text, bytes);
    write(bytes, writer, field);
  }

  @Override
  void encodeText(byte[] text, BinaryRowWriter writer, int field) {
    write(text, writer, field);
  }

  private void write(byte[] utf8, BinaryRowWriter writer, int field) {
    if (utf8.length > lakeLength && characters(utf8) > lakeLength) {
      throw context.unencodable("the text is longer than the lake type");
    }
    writer.writeBytes(field, utf8, 0, utf8.length);
  }

  /** A lone surrogate has no UTF-8; Java would put a question mark. */
  private void checkSurrogates(String text, byte[] utf8) {
    if (utf8.length == text.length()) {
      // All ASCII, or something was replaced by one byte.
      for (int i = 0; i < utf8.length; i++) {
        if (utf8[i] == '?' && text.charAt(i) != '?') {
          throw loneSurrogate();
        }
      }
      return;
    }
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (Character.isSurrogate(c)) {
        if (Character.isLowSurrogate(c)
            || i + 1 == text.length()
            || !Character.isLowSurrogate(text.charAt(i + 1))) {
          throw loneSurrogate();
        }
        i++;
      }
    }
  }

  private UnencodableValueException loneSurrogate() {
    return context.unencodable("text with half a surrogate pair, which UTF-8 can't hold");
  }

  private static int characters(byte[] utf8) {
    int count = 0;
    for (byte b : utf8) {
      if ((b & 0xc0) != 0x80) {
        count++;
      }
    }
    return count;
  }
}
