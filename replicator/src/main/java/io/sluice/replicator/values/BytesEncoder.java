package io.sluice.replicator.values;

import io.sluice.evolution.SourceKind;
import io.sluice.lsm.binary.BinaryRowWriter;
import io.sluice.lsm.schema.DataType.LengthType;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** BINARY (padded with zeros to its length, which the binlog leaves out), VARBINARY, BLOB. */
final class BytesEncoder extends TextRowEncoder {

  private final int padTo;
  private final int lakeLength;

  BytesEncoder(ColumnContext context) {
    super(context);
    Integer declared = context.column().length();
    boolean fixed = context.kind() == SourceKind.BINARY;
    this.padTo = !fixed ? 0 : declared == null || declared < 1 ? 1 : declared;
    this.lakeLength = ((LengthType) context.field().type()).length();
  }

  @Override
  void encodeStream(Object value, BinaryRowWriter writer, int field) {
    if (value instanceof ByteBuffer buffer) {
      if (buffer.hasArray()) {
        write(
            buffer.array(),
            buffer.arrayOffset() + buffer.position(),
            buffer.remaining(),
            writer,
            field);
      } else {
        byte[] copy = new byte[buffer.remaining()];
        buffer.get(buffer.position(), copy);
        write(copy, 0, copy.length, writer, field);
      }
    } else if (value instanceof byte[] bytes) {
      write(bytes, 0, bytes.length, writer, field);
    } else {
      throw context.wrongClass(value);
    }
  }

  @Override
  void encodeText(byte[] bytes, BinaryRowWriter writer, int field) {
    write(bytes, 0, bytes.length, writer, field);
  }

  private void write(byte[] bytes, int from, int length, BinaryRowWriter writer, int field) {
    if (length < padTo) {
      byte[] padded = Arrays.copyOf(Arrays.copyOfRange(bytes, from, from + length), padTo);
      write(padded, 0, padTo, writer, field);
    } else if (length > lakeLength) {
      throw context.unencodable("the value is longer than the lake type");
    } else {
      writer.writeBytes(field, bytes, from, length);
    }
  }
}
