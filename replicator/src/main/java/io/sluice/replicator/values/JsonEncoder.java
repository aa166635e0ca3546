package io.sluice.replicator.values;

import io.sluice.lsm.binary.BinaryRowWriter;
import io.sluice.lsm.schema.DataType;
import java.nio.ByteBuffer;

/**
 * MySQL's JSON as the server prints it. A SELECT sends that text. The stream brings the binlog's
 * binary form (by the converter named in the package's description), printed here in the same way;
 * the reader's own, lossy text (a String) is refused.
 */
final class JsonEncoder extends TextRowEncoder {

  JsonEncoder(ColumnContext context) {
    super(context);
    TextEncoder.checkLakeLength(context, DataType.MAX_LENGTH);
  }

  @Override
  void encodeStream(Object value, BinaryRowWriter writer, int field) {
    byte[] binary;
    if (value instanceof ByteBuffer buffer) {
      binary = new byte[buffer.remaining()];
      buffer.get(buffer.position(), binary);
    } else if (value instanceof byte[] bytes) {
      binary = bytes;
    } else {
      throw context.wrongClass(value);
    }
    byte[] text;
    try {
      text = MySqlJson.print(binary, 0, binary.length);
    } catch (IllegalArgumentException e) {
      throw context.unencodable("the binlog's JSON can't be read: " + e.getMessage());
    }
    writer.writeBytes(field, text, 0, text.length);
  }

  @Override
  void encodeText(byte[] text, BinaryRowWriter writer, int field) {
    writer.writeBytes(field, text, 0, text.length);
  }
}
