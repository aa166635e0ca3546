package io.sluice.lsm.expire;

import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.manifest.PartitionPaths;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.TableOptions;
import io.sluice.lsm.schema.TableSchema;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.format.DateTimeParseException;
import java.time.format.ResolverStyle;
import java.time.format.SignStyle;
import java.time.temporal.ChronoField;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Tells the time of a partition by its values, as Paimon's {@code PartitionTimeExtractor} does: the
 * text of the first column, or {@code partition.timestamp-pattern} with the text of column c in
 * place of {@code $c}, is read by {@code partition.timestamp-formatter}. Without one it is {@code
 * 2024-1-31}, perhaps with {@code 10:00:00} or {@code 10:00:00.123} behind a blank. A DATE has the
 * text of its day number, as in Paimon, which is no time. Immutable.
 */
final class PartitionTime {

  private static final DateTimeFormatter DATE =
      new DateTimeFormatterBuilder()
          .appendValue(ChronoField.YEAR, 1, 10, SignStyle.NORMAL)
          .appendLiteral('-')
          .appendValue(ChronoField.MONTH_OF_YEAR, 1, 2, SignStyle.NORMAL)
          .appendLiteral('-')
          .appendValue(ChronoField.DAY_OF_MONTH, 1, 2, SignStyle.NORMAL)
          .toFormatter(Locale.ROOT)
          .withResolverStyle(ResolverStyle.LENIENT);

  private static final DateTimeFormatter TIMESTAMP =
      new DateTimeFormatterBuilder()
          .append(DATE)
          .appendLiteral(' ')
          .appendValue(ChronoField.HOUR_OF_DAY, 1, 2, SignStyle.NORMAL)
          .appendLiteral(':')
          .appendValue(ChronoField.MINUTE_OF_HOUR, 1, 2, SignStyle.NORMAL)
          .appendLiteral(':')
          .appendValue(ChronoField.SECOND_OF_MINUTE, 1, 2, SignStyle.NORMAL)
          .optionalStart()
          .appendFraction(ChronoField.NANO_OF_SECOND, 1, 9, true)
          .optionalEnd()
          .toFormatter(Locale.ROOT)
          .withResolverStyle(ResolverStyle.LENIENT);

  private final PartitionPaths texts;
  private final List<String> columns;
  private final @Nullable String pattern;
  private final @Nullable DateTimeFormatter formatter;

  /** A value that the time hangs on is NULL. */
  static final class NullValueException extends RuntimeException {
    private static final long serialVersionUID = 1;
  }

  /**
   * @param texts tells the values of a partition
   */
  PartitionTime(TableSchema schema, PartitionPaths texts) {
    this.texts = texts;
    this.columns =
        PartitionPaths.partitionType(schema).fields().stream().map(DataField::name).toList();
    TableOptions.PartitionExpiration options = TableOptions.of(schema).partitionExpiration();
    this.pattern = options == null ? null : options.pattern();
    String format = options == null ? null : options.formatter();
    this.formatter = format == null ? null : DateTimeFormatter.ofPattern(format, Locale.ROOT);
  }

  /**
   * The wall clock time that the values say.
   *
   * @throws DateTimeParseException if they say none
   */
  LocalDateTime of(BinaryRow partition) {
    List<@Nullable String> values = texts.values(partition);
    String text = pattern;
    if (text == null) {
      text = required(values.get(0));
    } else {
      for (int i = 0; i < columns.size(); i++) {
        text = text.replace("$" + columns.get(i), required(values.get(i)));
      }
    }
    return parse(text);
  }

  private static String required(@Nullable String value) {
    if (value == null) {
      throw new NullValueException();
    }
    return value;
  }

  private LocalDateTime parse(String text) {
    DateTimeFormatter own = formatter;
    try {
      return LocalDateTime.parse(text, own == null ? TIMESTAMP : own);
    } catch (DateTimeParseException e) {
      return LocalDateTime.of(LocalDate.parse(text, own == null ? DATE : own), LocalTime.MIDNIGHT);
    }
  }
}
