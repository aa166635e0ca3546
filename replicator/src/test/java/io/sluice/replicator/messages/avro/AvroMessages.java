package io.sluice.replicator.messages.avro;

import io.sluice.replicator.messages.BadMessageException;
import io.sluice.replicator.messages.Change;
import io.sluice.replicator.messages.FieldRow;
import io.sluice.replicator.messages.Message;
import io.sluice.replicator.messages.MessageColumns;
import io.sluice.replicator.messages.MessageFormat;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.StringJoiner;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.EncoderFactory;
import org.jspecify.annotations.Nullable;

/** Messages as producers write them, and what a format reads as text. */
final class AvroMessages {

  private AvroMessages() {}

  static Schema schema(String json) {
    return new Schema.Parser().parse(json.replace('\'', '"'));
  }

  /** A zero, the id, and the datum by Avro's own writer. */
  static byte[] framed(int id, Schema schema, @Nullable Object datum) {
    var out = new ByteArrayOutputStream();
    out.writeBytes(ByteBuffer.allocate(5).put((byte) 0).putInt(id).array());
    BinaryEncoder encoder = EncoderFactory.get().binaryEncoder(out, null);
    try {
      new GenericDatumWriter<>(schema).write(datum, encoder);
      encoder.flush();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    return out.toByteArray();
  }

  static Message message(byte @Nullable [] key, byte @Nullable [] value) {
    return new Message("t", 0, 0, 0, key, value, List.of());
  }

  /** What a format hands over, one text a change. */
  static List<String> read(MessageFormat format, Message message) throws BadMessageException {
    List<String> result = new ArrayList<>();
    format.read(message, change -> result.add(text(change)));
    return result;
  }

  static List<@Nullable MessageColumns> columns(MessageFormat format, Message message)
      throws BadMessageException {
    List<@Nullable MessageColumns> result = new ArrayList<>();
    format.read(message, change -> result.add(change.columns()));
    return result;
  }

  static String text(Change change) {
    FieldRow before = change.before();
    return change.kind()
        + " "
        + text(change.row())
        + (before == null ? "" : " before " + text(before));
  }

  static String text(FieldRow row) {
    StringJoiner result = new StringJoiner(", ", "{", "}");
    for (int i = 0; i < row.size(); i++) {
      result.add(row.name(i) + "=" + value(row, i));
    }
    return result.toString();
  }

  static String value(FieldRow row, int i) {
    return switch (row.kind(i)) {
      case NULL -> "NULL";
      case BOOLEAN -> "BOOLEAN " + row.booleanValue(i);
      case LONG, DATE, TIME -> row.kind(i) + " " + row.longValue(i);
      case DOUBLE -> "DOUBLE " + row.doubleValue(i);
      case DECIMAL, TEXT, NESTED -> row.kind(i) + " " + row.text(i);
      case BYTES, BINARY_ARRAY ->
          "BYTES "
              + HexFormat.of()
                  .formatHex(row.buffer(), row.offset(i), row.offset(i) + row.length(i));
      case TIMESTAMP, INSTANT ->
          row.kind(i) + " " + row.longValue(i) + "+" + row.nanosOfMilli(i) + "ns";
    };
  }
}
