package io.sluice.replicator.messages.rows;

import io.sluice.lsm.binary.BinaryArrayWriter;
import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.binary.BinaryRowWriter;
import io.sluice.lsm.binary.BinaryWriter;
import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.DataType;
import io.sluice.lsm.schema.DataType.ArrayType;
import io.sluice.lsm.schema.DataType.DecimalType;
import io.sluice.lsm.schema.DataType.LengthType;
import io.sluice.lsm.schema.DataType.MapType;
import io.sluice.lsm.schema.DataType.NestedRowType;
import io.sluice.lsm.schema.DataType.TemporalType;
import io.sluice.lsm.schema.TypeRoot;
import io.sluice.replicator.messages.BadMessageException;
import io.sluice.replicator.messages.Base64Text;
import io.sluice.replicator.messages.FieldRow;
import io.sluice.replicator.messages.FieldRow.Kind;
import io.sluice.replicator.messages.json.JsonInput;
import io.sluice.replicator.messages.rows.RowColumns.NumbersAsTimes;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Writes values of one lake type, exactly or not at all. Holds buffers of its own: one thread.
 *
 * <p>What fits where ("plain" is a number as one writes it, so that text to number to text is the
 * same again: {@code 012} isn't):
 *
 * <pre>
 * BOOLEAN          booleans, 0 and 1, the texts true, false, 0, 1
 * TINYINT..BIGINT  whole numbers in range (also 1.0, 1e3), booleans as 0 and 1, plain texts of such
 * FLOAT, DOUBLE    numbers whose nearest one says the same number again; texts of such, NaN, Infinity, -Infinity
 * DECIMAL(p, s)    numbers with all their digits; zeros behind the scale don't count; plain texts of such
 * STRING           texts, numbers and nested values as they stand in the message, true and false, dates and times in ISO form
 * BYTES            bytes, texts in base64
 * DATE             dates, texts 2026-01-31, days since 1970 as a whole number
 * TIMESTAMP(p)     wall clocks, dates, texts without a zone, numbers as {@link NumbersAsTimes} says: no digit beyond p but 0
 * TIMESTAMP_LTZ(p) instants, texts with a zone, numbers as above
 * TIME(p)          times of a day, texts of such, numbers as above; in whole milliseconds
 * ROW, ARRAY, MAP  objects and arrays, and texts that hold one; members that a ROW doesn't have are a misfit
 * </pre>
 */
final class ValueWriter {

  private static final byte[] TRUE = {'t', 'r', 'u', 'e'};
  private static final byte[] FALSE = {'f', 'a', 'l', 's', 'e'};
  private static final long DAY_MILLIS = 86_400_000L;

  private final DataType type;
  private final TypeRoot root;
  private final NumbersAsTimes numbersAsTimes;
  // Of DECIMAL, the temporal types; length of texts and bytes.
  private final int precision;
  private final int scale;
  private final IsoTime iso = new IsoTime();
  private byte[] scratch = new byte[32];
  private final @Nullable Nested nested;

  /** What only nested types need. */
  private static final class Nested {
    final JsonInput input = new JsonInput();
    final FieldRow values = new FieldRow();
    final FieldRow keys = new FieldRow();
    final Map<String, Integer> positions = new HashMap<>();
    ValueWriter[] writers = {};
    int[] fields = {};
    @Nullable BinaryRowWriter row;
    @Nullable BinaryArrayWriter first;
    @Nullable BinaryArrayWriter second;
  }

  /** Throws IllegalArgumentException on a type that no message can fill: MULTISET, VARIANT. */
  ValueWriter(DataType type, NumbersAsTimes numbersAsTimes) {
    this.type = type;
    this.root = type.root();
    this.numbersAsTimes = numbersAsTimes;
    int digits = 0;
    int fraction = 0;
    if (type instanceof DecimalType decimal) {
      digits = decimal.precision();
      fraction = decimal.scale();
    } else if (type instanceof TemporalType temporal) {
      digits = temporal.precision();
    } else if (type instanceof LengthType length) {
      digits = length.length();
    }
    this.precision = digits;
    this.scale = fraction;
    this.nested = root.isNested() ? nestedOf(type, numbersAsTimes) : null;
  }

  private static Nested nestedOf(DataType type, NumbersAsTimes numbers) {
    Nested nested = new Nested();
    if (type instanceof ArrayType array) {
      nested.first = new BinaryArrayWriter(array.element());
      nested.writers = new ValueWriter[] {new ValueWriter(array.element(), numbers)};
    } else if (type instanceof MapType map) {
      nested.first = new BinaryArrayWriter(map.key());
      nested.second = new BinaryArrayWriter(map.value());
      nested.writers =
          new ValueWriter[] {
            new ValueWriter(map.key(), numbers), new ValueWriter(map.value(), numbers)
          };
    } else if (type instanceof NestedRowType row) {
      List<DataField> fields = row.fields();
      nested.row = new BinaryRowWriter(fields.size());
      nested.writers = new ValueWriter[fields.size()];
      nested.fields = new int[fields.size()];
      for (int i = 0; i < fields.size(); i++) {
        nested.positions.put(fields.get(i).name(), i);
        nested.writers[i] = new ValueWriter(fields.get(i).type(), numbers);
      }
    } else {
      throw new IllegalArgumentException("No message can fill a column of type " + type.root());
    }
    return nested;
  }

  DataType type() {
    return type;
  }

  void writeNull(BinaryWriter out, int at) {
    switch (root) {
      case DECIMAL -> out.setNullDecimal(at, precision);
      case TIMESTAMP, TIMESTAMP_LTZ -> out.setNullTimestamp(at, precision);
      default -> out.setNull(at);
    }
  }

  /**
   * Writes a value that isn't NULL.
   *
   * @return whether it fits; if not, nothing was written
   */
  boolean write(BinaryWriter out, int at, FieldRow row, int field) {
    return switch (root) {
      case BOOLEAN -> bool(out, at, row, field);
      case TINYINT, SMALLINT, INT, BIGINT -> integer(out, at, row, field);
      case FLOAT -> real4(out, at, row, field);
      case DOUBLE -> real8(out, at, row, field);
      case DECIMAL -> decimal(out, at, row, field);
      case CHAR, VARCHAR -> text(out, at, row, field);
      case BINARY, VARBINARY -> bytes(out, at, row, field);
      case DATE -> date(out, at, row, field);
      case TIME -> time(out, at, row, field);
      case TIMESTAMP, TIMESTAMP_LTZ -> timestamp(out, at, row, field);
      case ARRAY, MAP, ROW -> nested(out, at, row, field);
      case MULTISET, VARIANT -> throw new IllegalStateException(type.toString());
    };
  }

  // ---------------------------------------------------------------- numbers

  private boolean bool(BinaryWriter out, int at, FieldRow row, int field) {
    boolean value;
    switch (row.kind(field)) {
      case BOOLEAN -> value = row.booleanValue(field);
      case LONG -> {
        long number = row.longValue(field);
        if (number != 0 && number != 1) {
          return false;
        }
        value = number == 1;
      }
      case TEXT -> {
        if (is(row, field, TRUE) || is(row, field, (byte) '1')) {
          value = true;
        } else if (is(row, field, FALSE) || is(row, field, (byte) '0')) {
          value = false;
        } else {
          return false;
        }
      }
      default -> {
        return false;
      }
    }
    out.writeBoolean(at, value);
    return true;
  }

  private static boolean is(FieldRow row, int field, byte... text) {
    int offset = row.offset(field);
    return Arrays.equals(row.buffer(), offset, offset + row.length(field), text, 0, text.length);
  }

  private boolean integer(BinaryWriter out, int at, FieldRow row, int field) {
    long value;
    switch (row.kind(field)) {
      case LONG -> value = row.longValue(field);
      case BOOLEAN -> value = row.booleanValue(field) ? 1 : 0;
      case DECIMAL, TEXT -> {
        byte[] buffer = row.buffer();
        int offset = row.offset(field);
        int length = row.length(field);
        if (row.kind(field) == Kind.TEXT && !Numbers.isPlain(buffer, offset, length)) {
          return false;
        }
        value = Numbers.unscaled(buffer, offset, length, 0);
        if (value == Numbers.NONE) {
          BigDecimal exact = Numbers.decimal(buffer, offset, length);
          Long whole = exact == null ? null : Numbers.integer(exact);
          if (whole == null) {
            return false;
          }
          value = whole;
        }
      }
      case DOUBLE -> {
        double number = row.doubleValue(field);
        value = (long) number;
        if ((double) value != number || value == Long.MAX_VALUE || number == 0 && 1 / number < 0) {
          return false;
        }
      }
      default -> {
        return false;
      }
    }
    switch (root) {
      case TINYINT -> {
        if (value != (byte) value) {
          return false;
        }
        out.writeByte(at, (byte) value);
      }
      case SMALLINT -> {
        if (value != (short) value) {
          return false;
        }
        out.writeShort(at, (short) value);
      }
      case INT -> {
        if (value != (int) value) {
          return false;
        }
        out.writeInt(at, (int) value);
      }
      default -> out.writeLong(at, value);
    }
    return true;
  }

  private boolean real8(BinaryWriter out, int at, FieldRow row, int field) {
    double value;
    switch (row.kind(field)) {
      case DOUBLE -> value = row.doubleValue(field);
      case LONG -> {
        long number = row.longValue(field);
        value = number;
        if ((long) value != number || number == Long.MAX_VALUE) {
          return false;
        }
      }
      case DECIMAL, TEXT -> {
        Double read = real(row, field);
        if (read == null) {
          return false;
        }
        value = read;
        if (!Double.isInfinite(value)
            && !Double.isNaN(value)
            && !Numbers.standsFor(value, row.buffer(), row.offset(field), row.length(field))) {
          return false;
        }
      }
      default -> {
        return false;
      }
    }
    out.writeDouble(at, value);
    return true;
  }

  private boolean real4(BinaryWriter out, int at, FieldRow row, int field) {
    float value;
    switch (row.kind(field)) {
      case DOUBLE -> {
        double number = row.doubleValue(field);
        value = (float) number;
        if (Double.compare((double) value, number) != 0 && !Double.isNaN(number)) {
          return false;
        }
      }
      case LONG -> {
        long number = row.longValue(field);
        value = number;
        if ((long) value != number || number == Long.MAX_VALUE) {
          return false;
        }
      }
      case DECIMAL, TEXT -> {
        Double read = real(row, field);
        if (read == null) {
          return false;
        }
        // By way of the double the nearest float may be missed by a hair.
        value =
            Double.isInfinite(read) || Double.isNaN(read)
                ? (float) (double) read
                : Float.parseFloat(row.text(field));
        if (!Float.isNaN(value)
            && (Float.isInfinite(value)
                ? !Double.isInfinite(read)
                : !Numbers.standsFor(value, row.buffer(), row.offset(field), row.length(field)))) {
          return false;
        }
      }
      default -> {
        return false;
      }
    }
    out.writeFloat(at, value);
    return true;
  }

  /** A number, NaN or an infinity that the text names; null if it is none of them. */
  private static @Nullable Double real(FieldRow row, int field) {
    int length = row.length(field);
    if (length == 0 || length > 1_000) {
      return null;
    }
    byte[] buffer = row.buffer();
    int offset = row.offset(field);
    if (row.kind(field) == Kind.TEXT && !Numbers.isPlain(buffer, offset, length)) {
      String text = row.text(field);
      return switch (text) {
        case "NaN" -> Double.NaN;
        case "Infinity" -> Double.POSITIVE_INFINITY;
        case "-Infinity" -> Double.NEGATIVE_INFINITY;
        default -> text.matches("-?\\d\\.\\d+E-?\\d{1,3}") ? finite(text) : null;
      };
    }
    double value = Numbers.doubleOf(buffer, offset, length);
    return Double.isInfinite(value) ? null : value;
  }

  private static @Nullable Double finite(String text) {
    double value = Double.parseDouble(text);
    return Double.isInfinite(value) ? null : value;
  }

  private boolean decimal(BinaryWriter out, int at, FieldRow row, int field) {
    BigDecimal exact;
    switch (row.kind(field)) {
      case LONG -> {
        long value = row.longValue(field);
        if (precision <= 18) {
          long room = Numbers.POWERS[precision - scale];
          if (value >= room || value <= -room) {
            return false;
          }
          out.writeDecimalUnscaled(at, value * Numbers.POWERS[scale]);
          return true;
        }
        exact = BigDecimal.valueOf(value);
      }
      case DECIMAL, TEXT -> {
        byte[] buffer = row.buffer();
        int offset = row.offset(field);
        int length = row.length(field);
        if (row.kind(field) == Kind.TEXT && !Numbers.isPlain(buffer, offset, length)) {
          return false;
        }
        if (scale <= 18) {
          long unscaled = Numbers.unscaled(buffer, offset, length, scale);
          if (unscaled != Numbers.NONE) {
            if (precision > 18) {
              out.writeDecimal(at, BigDecimal.valueOf(unscaled, scale), precision);
              return true;
            }
            if (Math.abs(unscaled) >= Numbers.POWERS[precision]) {
              return false;
            }
            out.writeDecimalUnscaled(at, unscaled);
            return true;
          }
        }
        BigDecimal read = Numbers.decimal(buffer, offset, length);
        if (read == null) {
          return false;
        }
        exact = read;
      }
      case DOUBLE -> {
        double value = row.doubleValue(field);
        if (Double.isInfinite(value) || Double.isNaN(value)) {
          return false;
        }
        exact = BigDecimal.valueOf(value);
      }
      default -> {
        return false;
      }
    }
    BigDecimal scaled = Numbers.scaled(exact, precision, scale);
    if (scaled == null) {
      return false;
    }
    out.writeDecimal(at, scaled, precision);
    return true;
  }

  // ---------------------------------------------------------------- texts and bytes

  private boolean text(BinaryWriter out, int at, FieldRow row, int field) {
    switch (row.kind(field)) {
      case TEXT, DECIMAL, NESTED -> {
        int offset = row.offset(field);
        int length = row.length(field);
        if (length > precision && characters(row.buffer(), offset, length) > precision) {
          return false;
        }
        out.writeBytes(at, row.buffer(), offset, length);
        return true;
      }
      case BYTES, BINARY_ARRAY, NULL -> {
        return false;
      }
      case LONG -> {
        int from = digits(row.longValue(field));
        if (scratch.length - from > precision) {
          return false;
        }
        out.writeBytes(at, scratch, from, scratch.length - from);
        return true;
      }
      default -> {
        byte[] text = printed(row, field).getBytes(StandardCharsets.UTF_8);
        if (text.length > precision) {
          return false;
        }
        out.writeBytes(at, text, 0, text.length);
        return true;
      }
    }
  }

  /** Writes a number at the end of {@link #scratch}; returns where it begins. */
  private int digits(long value) {
    int at = scratch.length;
    long rest = value;
    do {
      scratch[--at] = (byte) ('0' + Math.abs((int) (rest % 10)));
      rest /= 10;
    } while (rest != 0);
    if (value < 0) {
      scratch[--at] = '-';
    }
    return at;
  }

  private static String printed(FieldRow row, int field) {
    return switch (row.kind(field)) {
      case BOOLEAN -> Boolean.toString(row.booleanValue(field));
      case DOUBLE -> Double.toString(row.doubleValue(field));
      case DATE -> java.time.LocalDate.ofEpochDay(row.longValue(field)).toString();
      case TIME -> TimeText.print(row.longValue(field));
      case TIMESTAMP -> TimeText.timestamp(row.longValue(field), row.nanosOfMilli(field));
      case INSTANT -> TimeText.timestamp(row.longValue(field), row.nanosOfMilli(field)) + "Z";
      default -> throw new IllegalStateException(row.kind(field).toString());
    };
  }

  private static int characters(byte[] utf8, int offset, int length) {
    int count = 0;
    for (int i = offset; i < offset + length; i++) {
      if ((utf8[i] & 0xc0) != 0x80) {
        count++;
      }
    }
    return count;
  }

  private boolean bytes(BinaryWriter out, int at, FieldRow row, int field) {
    byte[] buffer = row.buffer();
    int offset = row.offset(field);
    int length = row.length(field);
    if (row.kind(field) == Kind.TEXT) {
      if (scratch.length < length) {
        scratch = new byte[Math.max(length, 2 * scratch.length)];
      }
      System.arraycopy(buffer, offset, scratch, 0, length);
      length = Base64Text.decodeInPlace(scratch, 0, length);
      buffer = scratch;
      offset = 0;
    } else if (row.kind(field) != Kind.BYTES) {
      return false;
    }
    if (length < 0 || length > precision) {
      return false;
    }
    out.writeBytes(at, buffer, offset, length);
    return true;
  }

  // ---------------------------------------------------------------- times

  private boolean date(BinaryWriter out, int at, FieldRow row, int field) {
    switch (row.kind(field)) {
      case DATE, LONG -> {
        long days = row.longValue(field);
        if (days != (int) days) {
          return false;
        }
        out.writeInt(at, (int) days);
      }
      case TEXT -> {
        Integer days = IsoTime.date(row.buffer(), row.offset(field), row.length(field));
        if (days == null) {
          return false;
        }
        out.writeInt(at, days);
      }
      default -> {
        return false;
      }
    }
    return true;
  }

  private boolean time(BinaryWriter out, int at, FieldRow row, int field) {
    long nanos;
    switch (row.kind(field)) {
      case TIME -> {
        long micros = row.longValue(field);
        if (micros < 0 || micros >= DAY_MILLIS * 1_000) {
          return false;
        }
        nanos = micros * 1_000;
      }
      case TEXT -> {
        int end = row.offset(field) + row.length(field);
        if (iso.clock(row.buffer(), row.offset(field), end) != end) {
          return false;
        }
        nanos = iso.nanosOfDay;
      }
      case LONG -> {
        long unit = nanosOfUnit();
        long value = row.longValue(field);
        if (unit == 0 || value < 0 || value >= DAY_MILLIS * 1_000_000 / unit) {
          return false;
        }
        nanos = value * unit;
      }
      default -> {
        return false;
      }
    }
    if (nanos % Numbers.POWERS[9 - Math.min(precision, 3)] != 0) {
      return false;
    }
    out.writeInt(at, (int) (nanos / 1_000_000));
    return true;
  }

  /** Nanoseconds that a number 1 means; 0: numbers mean nothing. */
  private long nanosOfUnit() {
    return switch (numbersAsTimes) {
      case REFUSED -> 0;
      case BY_PRECISION -> precision <= 3 ? 1_000_000 : precision <= 6 ? 1_000 : 1;
      case SECONDS -> 1_000_000_000;
      case MILLIS -> 1_000_000;
      case MICROS -> 1_000;
      case NANOS -> 1;
    };
  }

  private boolean timestamp(BinaryWriter out, int at, FieldRow row, int field) {
    boolean instant = root == TypeRoot.TIMESTAMP_LTZ;
    long millis;
    int nanos;
    switch (row.kind(field)) {
      case TIMESTAMP -> {
        if (instant) {
          return false;
        }
        millis = row.longValue(field);
        nanos = row.nanosOfMilli(field);
      }
      case INSTANT -> {
        if (!instant) {
          return false;
        }
        millis = row.longValue(field);
        nanos = row.nanosOfMilli(field);
      }
      case DATE -> {
        if (instant) {
          return false;
        }
        millis = Math.multiplyExact(row.longValue(field), DAY_MILLIS);
        nanos = 0;
      }
      case TEXT -> {
        if (!iso.parse(row.buffer(), row.offset(field), row.length(field))
            || iso.zoned != instant) {
          return false;
        }
        millis = iso.epochMillis;
        nanos = iso.nanosOfMilli;
      }
      case LONG -> {
        long unit = nanosOfUnit();
        long value = row.longValue(field);
        if (unit == 0) {
          return false;
        }
        if (unit >= 1_000_000) {
          long factor = unit / 1_000_000;
          if (factor > 1 && Math.abs(value) > Long.MAX_VALUE / factor) {
            return false;
          }
          millis = value * factor;
          nanos = 0;
        } else {
          long perMilli = 1_000_000 / unit;
          millis = Math.floorDiv(value, perMilli);
          nanos = (int) ((value - millis * perMilli) * unit);
        }
      }
      default -> {
        return false;
      }
    }
    if (precision < 3 && Math.floorMod(millis, Numbers.POWERS[3 - precision]) != 0
        || precision <= 3 && nanos != 0
        || precision > 3 && nanos % Numbers.POWERS[9 - precision] != 0) {
      return false;
    }
    out.writeTimestamp(at, millis, nanos, precision);
    return true;
  }

  // ---------------------------------------------------------------- nested

  private boolean nested(BinaryWriter out, int at, FieldRow row, int field) {
    if (row.kind(field) == Kind.BINARY_ARRAY && root == TypeRoot.ARRAY) {
      out.writeNested(at, row.buffer(), row.offset(field), row.length(field));
      return true;
    }
    if (row.kind(field) != Kind.NESTED && row.kind(field) != Kind.TEXT) {
      return false;
    }
    int offset = row.offset(field);
    JsonInput input = Objects.requireNonNull(nested).input;
    input.open(row.buffer(), offset, offset + row.length(field));
    try {
      boolean fits =
          switch (root) {
            case ARRAY -> array(out, at, input, nested);
            case MAP -> map(out, at, input, nested);
            default -> object(out, at, input, nested);
          };
      return fits;
    } catch (BadMessageException e) {
      // A text that isn't JSON.
      return false;
    }
  }

  private static boolean array(BinaryWriter out, int at, JsonInput input, Nested nested)
      throws BadMessageException {
    FieldRow values = nested.values;
    values.clear();
    if (input.kind() != JsonInput.Kind.ARRAY) {
      return false;
    }
    input.beginArray();
    while (input.nextElement()) {
      input.addTo(values, "");
    }
    input.end();
    BinaryArrayWriter writer = Objects.requireNonNull(nested.first);
    if (!elements(writer, nested.writers[0], values)) {
      return false;
    }
    byte[] made = writer.finish().toByteArray();
    out.writeNested(at, made, 0, made.length);
    return true;
  }

  private static boolean elements(BinaryArrayWriter writer, ValueWriter element, FieldRow values) {
    writer.reset(values.size());
    for (int i = 0; i < values.size(); i++) {
      if (!element.writeOrNull(writer, i, values, i)) {
        return false;
      }
    }
    return true;
  }

  private boolean writeOrNull(BinaryWriter out, int at, FieldRow values, int i) {
    if (values.kind(i) != Kind.NULL) {
      return write(out, at, values, i);
    }
    if (!type.nullable()) {
      return false;
    }
    writeNull(out, at);
    return true;
  }

  private static boolean map(BinaryWriter out, int at, JsonInput input, Nested nested)
      throws BadMessageException {
    FieldRow keys = nested.keys;
    FieldRow values = nested.values;
    keys.clear();
    values.clear();
    if (input.kind() != JsonInput.Kind.OBJECT) {
      return false;
    }
    Set<String> seen = new HashSet<>();
    input.beginObject();
    while (input.addNextNameTo(keys)) {
      if (!seen.add(keys.text(keys.size() - 1))) {
        return false;
      }
      input.addTo(values, "");
    }
    input.end();
    BinaryArrayWriter first = Objects.requireNonNull(nested.first);
    BinaryArrayWriter second = Objects.requireNonNull(nested.second);
    if (!elements(first, nested.writers[0], keys) || !elements(second, nested.writers[1], values)) {
      return false;
    }
    byte[] keyBytes = first.finish().toByteArray();
    byte[] valueBytes = second.finish().toByteArray();
    byte[] made = new byte[Math.addExact(Math.addExact(4, keyBytes.length), valueBytes.length)];
    for (int i = 0; i < 4; i++) {
      made[i] = (byte) (keyBytes.length >>> 8 * i);
    }
    System.arraycopy(keyBytes, 0, made, 4, keyBytes.length);
    System.arraycopy(valueBytes, 0, made, 4 + keyBytes.length, valueBytes.length);
    out.writeNested(at, made, 0, made.length);
    return true;
  }

  private static boolean object(BinaryWriter out, int at, JsonInput input, Nested nested)
      throws BadMessageException {
    FieldRow values = nested.values;
    values.clear();
    if (input.kind() != JsonInput.Kind.OBJECT) {
      return false;
    }
    input.addObjectTo(values);
    input.end();
    Arrays.fill(nested.fields, -1);
    for (int i = 0; i < values.size(); i++) {
      Integer position = nested.positions.get(values.name(i));
      if (position != null) {
        nested.fields[position] = i;
      } else if (values.kind(i) != Kind.NULL) {
        return false;
      }
    }
    BinaryRowWriter writer = Objects.requireNonNull(nested.row);
    writer.reset();
    for (int i = 0; i < nested.fields.length; i++) {
      ValueWriter member = nested.writers[i];
      if (nested.fields[i] < 0) {
        if (!member.type.nullable()) {
          return false;
        }
        member.writeNull(writer, i);
      } else if (!member.writeOrNull(writer, i, values, nested.fields[i])) {
        return false;
      }
    }
    BinaryRow made = writer.finish(RowKind.INSERT);
    byte[] bytes = made.toByteArray();
    out.writeNested(at, bytes, 0, bytes.length);
    return true;
  }
}
