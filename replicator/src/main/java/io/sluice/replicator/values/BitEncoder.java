package io.sluice.replicator.values;

import io.sluice.lsm.binary.BinaryRowWriter;
import io.sluice.lsm.schema.DataType;
import io.sluice.lsm.schema.DataType.DecimalType;
import io.sluice.lsm.schema.TypeRoot;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;

/** BIT(n): a number of n bits. */
final class BitEncoder extends TextRowEncoder {

  private final DataType lake;
  private final int width;
  private final int bytes;

  BitEncoder(ColumnContext context) {
    super(context);
    this.lake = context.field().type();
    this.width = width(context);
    this.bytes = (width + 7) / 8;
  }

  static boolean fits(ColumnContext context) {
    DataType lake = context.field().type();
    int width = width(context);
    return switch (lake.root()) {
      case BOOLEAN -> width == 1;
      case BIGINT -> width < 64;
      case DECIMAL -> ((DecimalType) lake).scale() == 0 && ((DecimalType) lake).precision() >= 20;
      case BINARY -> ValueEncoders.lengthFits(lake, (width + 7) / 8);
      case VARBINARY -> ValueEncoders.lengthFits(lake, (width + 7) / 8);
      default -> false;
    };
  }

  private static int width(ColumnContext context) {
    Integer length = context.column().length();
    return length == null || length < 1 ? 1 : length;
  }

  @Override
  void encodeStream(Object value, BinaryRowWriter writer, int field) {
    if (value instanceof Boolean bit) {
      write(bit ? 1 : 0, writer, field);
      return;
    }
    byte[] littleEndian;
    if (value instanceof byte[] array) {
      littleEndian = array;
    } else if (value instanceof ByteBuffer buffer) {
      littleEndian = new byte[buffer.remaining()];
      buffer.get(buffer.position(), littleEndian);
    } else {
      throw context.wrongClass(value);
    }
    long bits = 0;
    for (int i = littleEndian.length - 1; i >= 0; i--) {
      if (i >= 8 && littleEndian[i] != 0) {
        throw context.unencodable("the value has more than 64 bits");
      }
      bits = i >= 8 ? bits : bits << 8 | littleEndian[i] & 0xff;
    }
    write(bits, writer, field);
  }

  @Override
  void encodeText(byte[] bigEndian, BinaryRowWriter writer, int field) {
    if (bigEndian.length > 8) {
      throw context.unencodable("the value has more than 64 bits");
    }
    long bits = 0;
    for (byte b : bigEndian) {
      bits = bits << 8 | b & 0xff;
    }
    write(bits, writer, field);
  }

  private void write(long bits, BinaryRowWriter writer, int field) {
    if (width < 64 && bits >>> width != 0) {
      throw context.unencodable("the value has more than " + width + " bits");
    }
    TypeRoot root = lake.root();
    if (root == TypeRoot.BOOLEAN) {
      writer.writeBoolean(field, bits == 1);
    } else if (root == TypeRoot.BIGINT) {
      writer.writeLong(field, bits);
    } else if (lake instanceof DecimalType decimal) {
      BigInteger unsigned = new BigInteger(Long.toUnsignedString(bits));
      writer.writeDecimal(field, new BigDecimal(unsigned), decimal.precision());
    } else {
      byte[] out = new byte[bytes];
      for (int i = 0; i < bytes; i++) {
        out[i] = (byte) (bits >>> 8 * (bytes - 1 - i));
      }
      writer.writeBytes(field, out, 0, bytes);
    }
  }
}
