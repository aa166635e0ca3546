package io.sluice.replicator.messages.avro;

import io.sluice.replicator.messages.BadMessageException;
import io.sluice.replicator.messages.BadMessageException.Reason;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.Base64;
import java.util.List;
import org.apache.avro.LogicalType;
import org.apache.avro.LogicalTypes;
import org.apache.avro.LogicalTypes.Decimal;
import org.apache.avro.Schema;
import org.apache.avro.Schema.Field;

/**
 * Values that no column is made for: skipped, or written as JSON text, by going along the schema.
 *
 * <p>In the text a record or map is an object, bytes are base64, decimals are numbers with all
 * their digits, dates and times are ISO 8601 (an instant with Z), and NaN and the infinities, which
 * JSON has no numbers for, are strings.
 */
final class AvroValues {

  private static final BigInteger THOUSAND = BigInteger.valueOf(1_000);

  private AvroValues() {}

  static void skip(Schema schema, AvroInput in, int depth) throws BadMessageException {
    in.requireDepth(depth);
    switch (schema.getType()) {
      case NULL -> {}
      case BOOLEAN -> in.readBoolean();
      case INT -> in.readInt();
      case ENUM -> in.readIndex(schema.getEnumSymbols().size(), schema.getFullName());
      case LONG -> in.readLong();
      case FLOAT -> in.readFloat();
      case DOUBLE -> in.readDouble();
      case BYTES -> in.readBytes();
      case STRING -> in.readText();
      case FIXED -> in.readFixed(schema.getFixedSize());
      case UNION -> skip(branch(schema, in), in, depth + 1);
      case RECORD -> {
        List<Field> fields = schema.getFields();
        for (int i = 0; i < fields.size(); i++) {
          skip(fields.get(i).schema(), in, depth + 1);
        }
      }
      case ARRAY -> {
        for (long block = in.readBlock(); block != 0; block = in.readBlock()) {
          for (long i = 0; i < block; i++) {
            int start = in.position();
            skip(schema.getElementType(), in, depth + 1);
            in.countElement(start);
          }
        }
      }
      case MAP -> {
        for (long block = in.readBlock(); block != 0; block = in.readBlock()) {
          for (long i = 0; i < block; i++) {
            in.readText();
            skip(schema.getValueType(), in, depth + 1);
          }
        }
      }
    }
  }

  private static Schema branch(Schema union, AvroInput in) throws BadMessageException {
    List<Schema> branches = union.getTypes();
    return branches.get(in.readIndex(branches.size(), "a union"));
  }

  static void writeJson(Schema schema, AvroInput in, JsonOutput out, int depth)
      throws BadMessageException {
    in.requireDepth(depth);
    switch (schema.getType()) {
      case NULL -> out.raw("null");
      case BOOLEAN -> out.raw(in.readBoolean() ? "true" : "false");
      case INT -> writeNumber(schema, in.readInt(), out);
      case LONG -> writeNumber(schema, in.readLong(), out);
      case FLOAT -> {
        float value = in.readFloat();
        String text = Float.toString(value);
        writeFloating(Float.isFinite(value), text, out);
      }
      case DOUBLE -> {
        double value = in.readDouble();
        writeFloating(Double.isFinite(value), Double.toString(value), out);
      }
      case BYTES -> writeBytes(schema, in, in.readBytes(), out);
      case FIXED -> writeBytes(schema, in, in.readFixed(schema.getFixedSize()), out);
      case STRING -> {
        int start = in.readText();
        out.string(in.bytes(), start, in.length());
      }
      case ENUM -> out.string(symbol(schema, in));
      case UNION -> writeJson(branch(schema, in), in, out, depth + 1);
      case RECORD -> {
        List<Field> fields = schema.getFields();
        out.raw('{');
        for (int i = 0; i < fields.size(); i++) {
          if (i > 0) {
            out.raw(',');
          }
          out.string(fields.get(i).name()).raw(':');
          writeJson(fields.get(i).schema(), in, out, depth + 1);
        }
        out.raw('}');
      }
      case ARRAY -> {
        out.raw('[');
        boolean first = true;
        for (long block = in.readBlock(); block != 0; block = in.readBlock()) {
          for (long i = 0; i < block; i++) {
            if (!first) {
              out.raw(',');
            }
            first = false;
            int start = in.position();
            writeJson(schema.getElementType(), in, out, depth + 1);
            in.countElement(start);
          }
        }
        out.raw(']');
      }
      case MAP -> {
        out.raw('{');
        boolean first = true;
        for (long block = in.readBlock(); block != 0; block = in.readBlock()) {
          for (long i = 0; i < block; i++) {
            if (!first) {
              out.raw(',');
            }
            first = false;
            int start = in.readText();
            out.string(in.bytes(), start, in.length()).raw(':');
            writeJson(schema.getValueType(), in, out, depth + 1);
          }
        }
        out.raw('}');
      }
    }
  }

  static String symbol(Schema schema, AvroInput in) throws BadMessageException {
    List<String> symbols = schema.getEnumSymbols();
    return symbols.get(in.readIndex(symbols.size(), schema.getFullName()));
  }

  private static void writeFloating(boolean finite, String text, JsonOutput out) {
    if (finite) {
      out.raw(text);
    } else {
      out.string(text);
    }
  }

  private static void writeNumber(Schema schema, long value, JsonOutput out)
      throws BadMessageException {
    LogicalType logical = schema.getLogicalType();
    try {
      if (logical == null) {
        out.raw(Long.toString(value));
      } else if (logical instanceof LogicalTypes.Date) {
        out.string(LocalDate.ofEpochDay(value).toString());
      } else if (logical instanceof LogicalTypes.TimeMillis) {
        out.string(LocalTime.ofNanoOfDay(Math.multiplyExact(value, 1_000_000L)).toString());
      } else if (logical instanceof LogicalTypes.TimeMicros) {
        out.string(LocalTime.ofNanoOfDay(Math.multiplyExact(value, 1_000L)).toString());
      } else if (logical instanceof LogicalTypes.TimestampMillis) {
        out.string(Instant.ofEpochMilli(value).toString());
      } else if (logical instanceof LogicalTypes.TimestampMicros) {
        out.string(instant(value, 6).toString());
      } else if (logical instanceof LogicalTypes.TimestampNanos) {
        out.string(instant(value, 9).toString());
      } else if (logical instanceof LogicalTypes.LocalTimestampMillis) {
        out.string(wallClock(value, 3).toString());
      } else if (logical instanceof LogicalTypes.LocalTimestampMicros) {
        out.string(wallClock(value, 6).toString());
      } else if (logical instanceof LogicalTypes.LocalTimestampNanos) {
        out.string(wallClock(value, 9).toString());
      } else {
        out.raw(Long.toString(value));
      }
    } catch (DateTimeException | ArithmeticException e) {
      throw new BadMessageException(
          Reason.VALUE, value + " is no " + logical.getName() + " that there is.", e);
    }
  }

  private static Instant instant(long value, int digits) {
    long unit = THOUSAND.pow(digits / 3).longValueExact();
    return Instant.ofEpochSecond(
        Math.floorDiv(value, unit), Math.floorMod(value, unit) * (1_000_000_000L / unit));
  }

  private static LocalDateTime wallClock(long value, int digits) {
    return LocalDateTime.ofInstant(instant(value, digits), ZoneOffset.UTC);
  }

  private static void writeBytes(Schema schema, AvroInput in, int start, JsonOutput out)
      throws BadMessageException {
    int length = in.length();
    if (schema.getLogicalType() instanceof Decimal decimal) {
      if (length == 0 || length > 512) {
        throw new BadMessageException(
            Reason.VALUE, "a decimal of " + length + " bytes can't be read.");
      }
      BigInteger unscaled = new BigInteger(in.bytes(), start, length);
      out.raw(new BigDecimal(unscaled, decimal.getScale()).toPlainString());
      return;
    }
    byte[] copy = java.util.Arrays.copyOfRange(in.bytes(), start, start + length);
    out.raw('"').raw(Base64.getEncoder().encodeToString(copy)).raw('"');
  }
}
