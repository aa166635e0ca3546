package io.sluice.lsm.binary;

import io.sluice.lsm.binary.Boxed.Entries;
import io.sluice.lsm.binary.ColumnBounds.Moment;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.DataType;
import io.sluice.lsm.schema.DataType.ArrayType;
import io.sluice.lsm.schema.DataType.DecimalType;
import io.sluice.lsm.schema.DataType.LengthType;
import io.sluice.lsm.schema.DataType.MapType;
import io.sluice.lsm.schema.DataType.MultisetType;
import io.sluice.lsm.schema.DataType.NestedRowType;
import io.sluice.lsm.schema.DataType.TemporalType;
import io.sluice.lsm.schema.TypeRoot;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Values of an older schema's type as the newer one's, as Paimon's readers turn them (format
 * description sections 2.4 and 2.5). Casts whose result hangs on the time zone of the process, and
 * those out of texts, are not made.
 */
public final class Casts {

  private static final long DAY_MILLIS = 86_400_000L;
  private static final DateTimeFormatter SECONDS =
      DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss", Locale.ROOT);

  private Casts() {}

  /** Turns a value that is not null, see {@link Boxed}; null where it does not fit (DECIMAL). */
  @FunctionalInterface
  public interface Cast {
    @Nullable Object apply(Object value);
  }

  private static final Cast SAME = value -> value;

  /** The cast from one type to another; null where this engine makes none. */
  public static @Nullable Cast of(DataType from, DataType to) {
    TypeRoot source = from.root();
    TypeRoot target = to.root();
    if (source.isNested() || target.isNested()) {
      return nested(from, to);
    }
    if (target.isText()) {
      return toText(from, (LengthType) to);
    }
    return switch (target) {
      case BOOLEAN -> {
        if (source == TypeRoot.BOOLEAN) {
          yield SAME;
        }
        yield isInteger(source) ? value -> (Long) value != 0 ? 1L : 0L : null;
      }
      case TINYINT, SMALLINT, INT, BIGINT -> toInteger(from, target);
      case FLOAT, DOUBLE -> toDouble(from, target);
      case DECIMAL -> toDecimal(from, (DecimalType) to);
      case BINARY, VARBINARY -> source.isBytes() ? bytes((LengthType) to) : null;
      // Of TIMESTAMPs before 1970 Paimon 1.4 makes the day after, and times below zero: neither is
      // made here.
      case DATE -> source == TypeRoot.DATE ? SAME : null;
      case TIME -> source == TypeRoot.TIME ? SAME : null;
      case TIMESTAMP -> {
        if (source == TypeRoot.DATE) {
          yield value -> new Moment((Long) value * DAY_MILLIS, 0);
        }
        yield source == target ? precision((TemporalType) from, (TemporalType) to) : null;
      }
      case TIMESTAMP_LTZ ->
          source == target ? precision((TemporalType) from, (TemporalType) to) : null;
      case CHAR, VARCHAR, ARRAY, MAP, MULTISET, ROW, VARIANT -> null;
    };
  }

  private static boolean isInteger(TypeRoot root) {
    return root == TypeRoot.TINYINT
        || root == TypeRoot.SMALLINT
        || root == TypeRoot.INT
        || root == TypeRoot.BIGINT;
  }

  private static boolean isFloating(TypeRoot root) {
    return root == TypeRoot.FLOAT || root == TypeRoot.DOUBLE;
  }

  private static BigDecimal decimal(Object value, DecimalType type) {
    return value instanceof BigDecimal big ? big : BigDecimal.valueOf((Long) value, type.scale());
  }

  private static @Nullable Cast toInteger(DataType from, TypeRoot target) {
    TypeRoot source = from.root();
    if (isInteger(source) || source == TypeRoot.BOOLEAN) {
      return value -> wrapped((Long) value, target);
    }
    if (isFloating(source)) {
      return value ->
          target == TypeRoot.BIGINT
              ? (Object) (long) (double) (Double) value
              : (Object) wrapped((int) (double) (Double) value, target);
    }
    if (from instanceof DecimalType decimal) {
      return value ->
          wrapped(decimal(value, decimal).setScale(0, RoundingMode.DOWN).longValue(), target);
    }
    return null;
  }

  /** What Java's narrowing leaves. */
  private static Long wrapped(long value, TypeRoot target) {
    return switch (target) {
      case TINYINT -> (long) (byte) value;
      case SMALLINT -> (long) (short) value;
      case INT -> (long) (int) value;
      default -> value;
    };
  }

  private static @Nullable Cast toDouble(DataType from, TypeRoot target) {
    TypeRoot source = from.root();
    boolean toFloat = target == TypeRoot.FLOAT;
    if (isInteger(source) || source == TypeRoot.BOOLEAN) {
      return value -> toFloat ? (double) (float) (long) (Long) value : (double) (long) (Long) value;
    }
    if (isFloating(source)) {
      return value -> toFloat ? (double) (float) (double) (Double) value : value;
    }
    if (from instanceof DecimalType decimal) {
      double divisor = Math.pow(10, decimal.scale());
      return value -> {
        // Up to 18 digits Paimon divides, and a division rounds otherwise than the nearest double.
        double number =
            value instanceof Long unscaled
                ? unscaled / divisor
                : decimal(value, decimal).doubleValue();
        return toFloat ? (double) (float) number : number;
      };
    }
    return null;
  }

  private static @Nullable Cast toDecimal(DataType from, DecimalType to) {
    TypeRoot source = from.root();
    if (isInteger(source) || source == TypeRoot.BOOLEAN) {
      return value -> fitted(BigDecimal.valueOf((Long) value), to);
    }
    if (isFloating(source)) {
      return value -> {
        double number = (Double) value;
        if (!Double.isFinite(number)) {
          throw new ArithmeticException(number + " has no DECIMAL");
        }
        return fitted(BigDecimal.valueOf(number), to);
      };
    }
    if (from instanceof DecimalType decimal) {
      return value -> fitted(decimal(value, decimal), to);
    }
    return null;
  }

  private static @Nullable Object fitted(BigDecimal value, DecimalType to) {
    BigDecimal scaled = value.setScale(to.scale(), RoundingMode.HALF_UP);
    if (scaled.precision() > to.precision()) {
      return null;
    }
    return to.compact() ? (Object) scaled.unscaledValue().longValueExact() : scaled;
  }

  private static @Nullable Cast toText(DataType from, LengthType to) {
    Cast text =
        switch (from.root()) {
          case CHAR, VARCHAR -> SAME;
          case BOOLEAN -> value -> utf8((Long) value != 0 ? "true" : "false");
          case TINYINT, SMALLINT, INT, BIGINT -> value -> utf8(Long.toString((Long) value));
          case FLOAT -> value -> utf8(Float.toString(((Double) value).floatValue()));
          case DOUBLE -> value -> utf8(Double.toString((Double) value));
          case DECIMAL -> value -> utf8(decimal(value, (DecimalType) from).toPlainString());
          case DATE -> value -> utf8(LocalDate.ofEpochDay((Long) value).toString());
          case TIMESTAMP -> value -> utf8(text((Moment) value, ((TemporalType) from).precision()));
          default -> null;
        };
    if (text == null || text == SAME && !shortens(from, to)) {
      return text;
    }
    if (to.root() == TypeRoot.VARCHAR && to.length() == DataType.MAX_LENGTH) {
      return text;
    }
    if (from.root() == TypeRoot.DATE || from.root() == TypeRoot.TIMESTAMP) {
      // Only to STRING.
      return null;
    }
    return value -> {
      Object made = text.apply(value);
      return made == null ? null : sized((byte[]) made, to);
    };
  }

  private static boolean shortens(DataType from, LengthType to) {
    return to.root() == TypeRoot.CHAR && !from.withNullable(true).equals(to.withNullable(true))
        || to.length() < ((LengthType) from).length();
  }

  /** At least the precision's digits, and as many as the value has. */
  private static String text(Moment moment, int precision) {
    LocalDateTime time =
        LocalDateTime.ofEpochSecond(
            Math.floorDiv(moment.millis(), 1000L),
            (int) Math.floorMod(moment.millis(), 1000L) * 1_000_000 + moment.nanoOfMilli(),
            ZoneOffset.UTC);
    StringBuilder fraction = new StringBuilder(String.format(Locale.ROOT, "%09d", time.getNano()));
    while (fraction.length() > precision && fraction.charAt(fraction.length() - 1) == '0') {
      fraction.setLength(fraction.length() - 1);
    }
    String seconds = time.format(SECONDS);
    return fraction.length() == 0 ? seconds : seconds + "." + fraction;
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** Cut to the type's length; CHAR padded to it. */
  private static byte[] sized(byte[] text, LengthType to) {
    String string = new String(text, StandardCharsets.UTF_8);
    int count = string.codePointCount(0, string.length());
    if (count > to.length()) {
      return utf8(string.substring(0, string.offsetByCodePoints(0, to.length())));
    }
    if (to.root() == TypeRoot.CHAR && count < to.length()) {
      return utf8(string + " ".repeat(to.length() - count));
    }
    return text;
  }

  private static Cast bytes(LengthType to) {
    return value -> {
      byte[] bytes = (byte[]) value;
      boolean padded = to.root() == TypeRoot.BINARY && bytes.length < to.length();
      return bytes.length > to.length() || padded
          ? java.util.Arrays.copyOf(bytes, to.length())
          : bytes;
    };
  }

  private static Cast precision(TemporalType from, TemporalType to) {
    if (to.precision() >= from.precision()) {
      return SAME;
    }
    int precision = to.precision();
    return value -> {
      Moment moment = (Moment) value;
      if (precision <= 3) {
        long unit = BigDecimal.TEN.pow(3 - precision).longValueExact();
        return new Moment(moment.millis() / unit * unit, 0);
      }
      int unit = BigDecimal.TEN.pow(9 - precision).intValueExact();
      return new Moment(moment.millis(), moment.nanoOfMilli() / unit * unit);
    };
  }

  // ---------------------------------------------------------------- nested

  private static @Nullable Cast nested(DataType from, DataType to) {
    if (from.withNullable(true).equals(to.withNullable(true))) {
      return from.root() == TypeRoot.VARIANT ? null : SAME;
    }
    if (from instanceof ArrayType source && to instanceof ArrayType target) {
      Cast elements = of(source.element(), target.element());
      return elements == null ? null : value -> all(Boxed.list(value), elements);
    }
    if (from instanceof MapType source && to instanceof MapType target) {
      return entries(of(source.key(), target.key()), of(source.value(), target.value()));
    }
    if (from instanceof MultisetType source && to instanceof MultisetType target) {
      return entries(of(source.element(), target.element()), SAME);
    }
    if (from instanceof NestedRowType source && to instanceof NestedRowType target) {
      return row(source, target);
    }
    return null;
  }

  private static @Nullable Cast entries(@Nullable Cast keys, @Nullable Cast values) {
    if (keys == null || values == null) {
      return null;
    }
    return value -> {
      Entries entries = (Entries) value;
      return new Entries(all(entries.keys(), keys), all(entries.values(), values));
    };
  }

  private static List<@Nullable Object> all(List<@Nullable Object> values, Cast cast) {
    List<@Nullable Object> result = new ArrayList<>(values.size());
    for (Object value : values) {
      result.add(value == null ? null : cast.apply(value));
    }
    return result;
  }

  /** Fields are matched by id; a row of which nothing is left is NULL. */
  private static @Nullable Cast row(NestedRowType from, NestedRowType to) {
    int width = to.fields().size();
    int[] sources = new int[width];
    Cast[] casts = new Cast[width];
    boolean any = false;
    for (int i = 0; i < width; i++) {
      DataField wanted = to.fields().get(i);
      sources[i] = -1;
      casts[i] = SAME;
      for (int j = 0; j < from.fields().size(); j++) {
        if (from.fields().get(j).id() == wanted.id()) {
          Cast cast = of(from.fields().get(j).type(), wanted.type());
          if (cast == null) {
            return null;
          }
          sources[i] = j;
          casts[i] = cast;
          any = true;
        }
      }
    }
    if (!any) {
      return value -> null;
    }
    return value -> {
      List<@Nullable Object> fields = Boxed.list(value);
      List<@Nullable Object> result = new ArrayList<>(width);
      for (int i = 0; i < width; i++) {
        Object field = sources[i] < 0 ? null : fields.get(sources[i]);
        result.add(field == null ? null : casts[i].apply(field));
      }
      return result;
    };
  }
}
