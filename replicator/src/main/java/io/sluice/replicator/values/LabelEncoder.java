package io.sluice.replicator.values;

import io.sluice.evolution.SourceKind;
import io.sluice.lsm.binary.BinaryRowWriter;
import io.sluice.lsm.schema.DataType;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * ENUM and SET as their labels; a SET's are joined by commas in the order of definition, an invalid
 * ENUM value is the empty text. The binlog reader takes labels from the DDL's text and leaves its
 * escapes in: {@code \,} for a comma, {@code \\} for a backslash.
 */
final class LabelEncoder extends TextRowEncoder {

  private final boolean set;
  private final Map<String, byte[]> labels = new HashMap<>();

  LabelEncoder(ColumnContext context) {
    super(context);
    this.set = context.kind() == SourceKind.SET;
    List<String> declared = context.column().labels();
    long longest = 0;
    for (String label : declared) {
      for (String spelling : spellings(label)) {
        byte[] utf8 = label.getBytes(StandardCharsets.UTF_8);
        byte[] before = labels.putIfAbsent(spelling, utf8);
        if (before != null && !label.equals(new String(before, StandardCharsets.UTF_8))) {
          throw context.unencodable(
              "two of its labels can't be told apart in the binlog; rename the one with a backslash");
        }
      }
      longest = set ? longest + label.length() + 1 : Math.max(longest, label.length());
    }
    if (!ValueEncoders.lengthFits(context.field().type(), Math.max(longest, 1))
        && !ValueEncoders.lengthFits(context.field().type(), DataType.MAX_LENGTH)) {
      throw context.unencodable("the lake column is shorter than its labels");
    }
  }

  private static List<String> spellings(String label) {
    List<String> result = new ArrayList<>();
    result.add(label);
    String commas = label.replace(",", "\\,");
    result.add(commas);
    result.add(label.replace("\\", "\\\\").replace(",", "\\,"));
    return result;
  }

  @Override
  void encodeStream(Object value, BinaryRowWriter writer, int field) {
    if (!(value instanceof String text)) {
      throw context.wrongClass(value);
    }
    byte[] utf8 = labels.get(text);
    if (utf8 == null) {
      utf8 = text.isEmpty() ? new byte[0] : set ? joined(text) : null;
    }
    if (utf8 == null) {
      throw unknown();
    }
    writer.writeBytes(field, utf8, 0, utf8.length);
  }

  /** No label of a SET has a comma. */
  private byte[] joined(String text) {
    ByteArrayOutputStream result = new ByteArrayOutputStream(text.length());
    boolean first = true;
    for (String part : text.split(",", -1)) {
      byte[] utf8 = labels.get(part);
      if (utf8 == null) {
        throw unknown();
      }
      if (!first) {
        result.write(',');
      }
      first = false;
      result.writeBytes(utf8);
    }
    return result.toByteArray();
  }

  private UnencodableValueException unknown() {
    return context.unencodable("the stream gave a label that the column does not declare");
  }

  @Override
  void encodeText(byte[] text, BinaryRowWriter writer, int field) {
    writer.writeBytes(field, text, 0, text.length);
  }
}
