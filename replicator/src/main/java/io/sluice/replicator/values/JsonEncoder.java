package io.sluice.replicator.values;

import io.sluice.lsm.binary.BinaryRowWriter;
import io.sluice.lsm.schema.DataType;
import java.nio.ByteBuffer;

/**
 * MySQL's JSON as the server prints it. A SELECT sends that text. The stream's text is made by the
 * converter named in the package's description, from the binlog's binary form; it comes as bytes,
 * so that the reader's own, lossy text (a String) is never taken for it.
 */
final class JsonEncoder extends TextRowEncoder {

  JsonEncoder(ColumnContext context) {
    super(context);
    TextEncoder.checkLakeLength(context, DataType.MAX_LENGTH);
  }

  @Override
  void encodeStream(Object value, BinaryRowWriter writer, int field) {
    if (value instanceof ByteBuffer buffer && buffer.hasArray()) {
      writer.writeBytes(
          field, buffer.array(), buffer.arrayOffset() + buffer.position(), buffer.remaining());
    } else if (value instanceof byte[] bytes) {
      writer.writeBytes(field, bytes, 0, bytes.length);
    } else {
      throw context.wrongClass(value);
    }
  }

  @Override
  void encodeText(byte[] text, BinaryRowWriter writer, int field) {
    writer.writeBytes(field, text, 0, text.length);
  }
}
