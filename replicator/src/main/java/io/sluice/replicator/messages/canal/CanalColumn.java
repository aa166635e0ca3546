package io.sluice.replicator.messages.canal;

import io.sluice.evolution.MappedType;
import io.sluice.evolution.SourceColumn;
import io.sluice.evolution.SourceKind;
import io.sluice.evolution.TypeMapping;
import io.sluice.lsm.schema.DataType;
import io.sluice.lsm.schema.DataTypes;
import io.sluice.replicator.messages.BadMessageException;
import io.sluice.replicator.messages.BadMessageException.Reason;
import io.sluice.replicator.messages.FieldReader;
import io.sluice.replicator.messages.FieldReader.Meaning;
import io.sluice.replicator.messages.FieldRow;
import io.sluice.replicator.messages.FieldRow.Kind;
import io.sluice.replicator.messages.MessageColumn;
import io.sluice.replicator.messages.canal.CanalOptions.ZeroDates;
import io.sluice.replicator.messages.rows.TimeText;
import io.sluice.replicator.values.ColumnTypeText;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * One column by its {@code mysqlType}, and how Canal's texts of it are read. Immutable.
 *
 * <pre>
 * integers, YEAR, DECIMAL, FLOAT, DOUBLE  digits
 * BIT                                     the number, signed where all 64 bits are used
 * DATE, DATETIME, TIME                    2026-01-31, 2026-01-31 10:00:00[.f], [-]10:00:00[.f]
 * TIMESTAMP                               like DATETIME, in the zone of Canal's process
 * ENUM, SET                               the label's index from 1, the labels' bits; or labels
 * BINARY, BLOB, spatial types             bytes, one character each (ISO 8859-1)
 * texts, JSON                             themselves
 * </pre>
 */
final class CanalColumn {

  private final MessageColumn column;
  private final SourceKind kind;
  private final List<String> labels;
  private final int length;
  private final CanalOptions options;
  private final FieldReader json;

  private CanalColumn(
      MessageColumn column,
      SourceKind kind,
      List<String> labels,
      int length,
      CanalOptions options) {
    this.column = column;
    this.kind = kind;
    this.labels = labels;
    this.length = length;
    this.options = options;
    this.json = new FieldReader(column, Meaning.MYSQL_JSON, 0);
  }

  /**
   * @param mysqlType as in a CREATE TABLE, e.g. {@code decimal(10,2) unsigned}
   */
  static CanalColumn of(String name, String mysqlType, CanalOptions options) {
    ColumnTypeText type = ColumnTypeText.parse(mysqlType);
    SourceColumn source =
        new SourceColumn(
            name, type.typeName(), type.length(), type.scale(), true, null, type.labels(), null);
    SourceKind kind = SourceKind.of(source);
    MappedType mapped = new TypeMapping(false).map(source);
    MessageColumn column =
        mapped instanceof MappedType.Lake lake
            ? new MessageColumn(name, lake.type(), true, source)
            : new MessageColumn(name, unmapped(kind), true, null);
    int declared = type.length() == null ? kind == SourceKind.BINARY ? 1 : 0 : type.length();
    return new CanalColumn(column, kind, type.labels(), declared, options);
  }

  private static DataType unmapped(SourceKind kind) {
    return kind == SourceKind.GEOMETRY || kind == SourceKind.VECTOR
        ? DataTypes.BYTES
        : DataTypes.STRING;
  }

  MessageColumn column() {
    return column;
  }

  /**
   * Adds to another row what Canal's text stands for. What isn't text (other programs write numbers
   * in this format) stays as it is.
   */
  void convert(FieldRow row, int field, FieldRow to) throws BadMessageException {
    if (row.kind(field) != Kind.TEXT) {
      to.addFrom(row, field);
      return;
    }
    switch (kind) {
      case TINYINT_ONE,
          TINYINT,
          TINYINT_UNSIGNED,
          SMALLINT,
          SMALLINT_UNSIGNED,
          MEDIUMINT,
          MEDIUMINT_UNSIGNED,
          INT,
          INT_UNSIGNED,
          BIGINT,
          BIGINT_UNSIGNED,
          YEAR ->
          integer(row, field, to);
      case BIT_ONE, BITS -> bits(row, field, to);
      case DECIMAL -> {
        Kind as = column.type().root().isText() ? Kind.TEXT : Kind.DECIMAL;
        to.addSlice(name(), as, row.buffer(), row.offset(field), row.length(field));
      }
      case FLOAT, DOUBLE, CHAR, TEXT, UUID, INET, UNKNOWN -> to.addFrom(row, field);
      case DATE -> date(row, field, to);
      case DATETIME, TIMESTAMP -> dateTime(row, field, to);
      case TIME -> time(row, field, to);
      case BINARY, BLOB, GEOMETRY, VECTOR -> bytes(row, field, to);
      case ENUM -> enumLabel(row, field, to);
      case SET -> setLabels(row, field, to);
      case JSON -> json.addText(to, row.buffer(), row.offset(field), row.length(field));
    }
  }

  private void integer(FieldRow row, int field, FieldRow to) throws BadMessageException {
    String text = row.text(field);
    try {
      to.addLong(name(), Long.parseLong(text));
    } catch (NumberFormatException e) {
      if (kind != SourceKind.BIGINT_UNSIGNED || !text.matches("\\d{1,20}")) {
        throw not(row, field, "an integer");
      }
      to.addSlice(name(), Kind.DECIMAL, row.buffer(), row.offset(field), row.length(field));
    }
  }

  private void bits(FieldRow row, int field, FieldRow to) throws BadMessageException {
    long bits;
    try {
      String text = row.text(field);
      bits = text.startsWith("-") ? Long.parseLong(text) : Long.parseUnsignedLong(text);
    } catch (NumberFormatException e) {
      throw not(row, field, "a number of at most 64 bits");
    }
    int width = Math.max(length, 1);
    if (width < 64 && bits >>> width != 0) {
      throw not(row, field, "a number of at most " + width + " bits");
    }
    if (bits >= 0) {
      to.addLong(name(), bits);
    } else {
      to.addText(name(), Kind.DECIMAL, Long.toUnsignedString(bits));
    }
  }

  private void date(FieldRow row, int field, FieldRow to) throws BadMessageException {
    String text = row.text(field);
    if (!text.matches("\\d{4}-\\d\\d-\\d\\d")) {
      throw not(row, field, "a date");
    }
    if (!isZero(row, field, text, to)) {
      to.addDate(name(), day(row, field, text).toEpochDay());
    }
  }

  /** Whether it is a zero or partial date, which then is NULL. */
  private boolean isZero(FieldRow row, int field, String text, FieldRow to)
      throws BadMessageException {
    boolean zero = text.startsWith("0000") || text.startsWith("00", 5) || text.startsWith("00", 8);
    if (zero) {
      if (options.zeroDates() == ZeroDates.FAIL) {
        throw not(row, field, "a date that there is (zero-dates = null makes it NULL)");
      }
      to.addNull(name());
    }
    return zero;
  }

  private LocalDate day(FieldRow row, int field, String text) throws BadMessageException {
    try {
      return LocalDate.parse(text.substring(0, 10));
    } catch (DateTimeException e) {
      throw not(row, field, "a date that there is");
    }
  }

  private void dateTime(FieldRow row, int field, FieldRow to) throws BadMessageException {
    String text = row.text(field);
    if (!text.matches("\\d{4}-\\d\\d-\\d\\d[ T]\\d\\d:\\d\\d:\\d\\d(\\.\\d{1,9})?")) {
      throw not(row, field, "a date with time");
    }
    if (isZero(row, field, text, to)) {
      return;
    }
    day(row, field, text);
    LocalDateTime wall;
    try {
      wall = LocalDateTime.parse(text.replace(' ', 'T'));
    } catch (DateTimeException e) {
      throw not(row, field, "a time of a day");
    }
    ZoneOffset offset = kind == SourceKind.TIMESTAMP ? offset(row, field, wall) : ZoneOffset.UTC;
    long millis = wall.toEpochSecond(offset) * 1_000 + wall.getNano() / 1_000_000;
    int nanos = wall.getNano() % 1_000_000;
    if (kind == SourceKind.TIMESTAMP) {
      to.addInstant(name(), millis, nanos);
    } else {
      to.addTimestamp(name(), millis, nanos);
    }
  }

  private ZoneOffset offset(FieldRow row, int field, LocalDateTime wall)
      throws BadMessageException {
    ZoneId zone = options.zone();
    if (zone == null) {
      throw not(
          row,
          field,
          "an instant: Canal writes TIMESTAMP columns in its own process's time zone. Set the"
              + " format's option time-zone to that");
    }
    List<ZoneOffset> offsets = zone.getRules().getValidOffsets(wall);
    if (offsets.size() != 1) {
      throw not(
          row,
          field,
          offsets.isEmpty()
              ? "a time that clocks in " + zone + " showed"
              : "one instant: clocks in " + zone + " showed it twice");
    }
    return offsets.get(0);
  }

  private void time(FieldRow row, int field, FieldRow to) throws BadMessageException {
    String text = row.text(field);
    if (!text.matches("-?\\d{2,3}:[0-5]\\d:[0-5]\\d(\\.\\d{1,6})?")) {
      throw not(row, field, "a TIME");
    }
    boolean negative = text.startsWith("-");
    String[] parts = text.substring(negative ? 1 : 0).split("[:.]");
    long micros =
        (Long.parseLong(parts[0]) * 3_600
                + Long.parseLong(parts[1]) * 60
                + Long.parseLong(parts[2]))
            * 1_000_000;
    if (parts.length == 4) {
      micros += Long.parseLong((parts[3] + "00000").substring(0, 6));
    }
    String printed = TimeText.print(negative ? -micros : micros, length);
    if (printed == null) {
      throw not(row, field, "a TIME of " + length + " fraction digits");
    }
    to.addText(name(), Kind.TEXT, printed);
  }

  /** One byte a character; BINARY(n) has its n bytes, though the binlog leaves zeros out. */
  private void bytes(FieldRow row, int field, FieldRow to) throws BadMessageException {
    byte[] in = row.buffer();
    int from = row.offset(field);
    int end = from + row.length(field);
    int start = to.reserve(Math.max(row.length(field), kind == SourceKind.BINARY ? length : 0));
    byte[] out = to.buffer();
    int at = start;
    for (int i = from; i < end; i++) {
      byte b = in[i];
      if (b < 0) {
        // Two bytes of UTF-8 for U+0080 to U+00FF, more for what is no byte.
        if (b != (byte) 0xc2 && b != (byte) 0xc3) {
          throw not(row, field, "bytes in ISO 8859-1");
        }
        b = (byte) ((b & 3) << 6 | in[++i] & 0x3f);
      }
      out[at++] = b;
    }
    if (kind == SourceKind.BINARY && at - start < length) {
      Arrays.fill(out, at, start + length, (byte) 0);
      at = start + length;
    }
    to.addReserved(name(), Kind.BYTES, start, at - start);
  }

  private void enumLabel(FieldRow row, int field, FieldRow to) throws BadMessageException {
    String text = row.text(field);
    boolean isLabel = text.isEmpty() || labels.contains(text);
    int index = text.matches("\\d{1,5}") ? Integer.parseInt(text) : -1;
    if (isLabel && index < 0) {
      to.addFrom(row, field);
      return;
    }
    if (index < 0 || index > labels.size()) {
      throw not(row, field, "one of its column's labels, nor the index of one");
    }
    // 0 stands for a value that none of the labels was.
    String label = index == 0 ? "" : labels.get(index - 1);
    if (isLabel && !label.equals(text)) {
      throw not(row, field, "clearly a label or an index: it is both");
    }
    to.addText(name(), Kind.TEXT, label);
  }

  private void setLabels(FieldRow row, int field, FieldRow to) throws BadMessageException {
    String text = row.text(field);
    if (text.isEmpty()) {
      to.addFrom(row, field);
      return;
    }
    boolean areLabels = labels.containsAll(Arrays.asList(text.split(",", -1)));
    if (!text.matches("-?\\d{1,20}")) {
      if (!areLabels) {
        throw not(row, field, "made of its column's labels");
      }
      to.addFrom(row, field);
      return;
    }
    long bits;
    try {
      bits = text.startsWith("-") ? Long.parseLong(text) : Long.parseUnsignedLong(text);
    } catch (NumberFormatException e) {
      throw not(row, field, "bits of its column's labels");
    }
    if (labels.size() < 64 && bits >>> labels.size() != 0) {
      throw not(row, field, "bits of its column's labels");
    }
    List<String> chosen = new ArrayList<>();
    for (int i = 0; i < labels.size(); i++) {
      if ((bits >>> i & 1) == 1) {
        chosen.add(labels.get(i));
      }
    }
    String joined = String.join(",", chosen);
    if (areLabels && !joined.equals(text)) {
      throw not(row, field, "clearly labels or their bits: it is both");
    }
    to.addText(name(), Kind.TEXT, joined);
  }

  private String name() {
    return column.name();
  }

  private BadMessageException not(FieldRow row, int field, String what) {
    String text = row.text(field);
    return new BadMessageException(
        Reason.VALUE,
        "Field "
            + column.name()
            + ": \""
            + (text.length() > 100 ? text.substring(0, 100) + "..." : text)
            + "\" is not "
            + what
            + ".");
  }
}
