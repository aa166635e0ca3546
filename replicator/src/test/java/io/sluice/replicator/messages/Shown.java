package io.sluice.replicator.messages;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Messages in, changes out as text. */
public final class Shown {

  private Shown() {}

  public static Message message(@Nullable String key, @Nullable String value) {
    return new Message(
        "shop.orders",
        3,
        1207,
        1_700_000_000_000L,
        key == null ? null : key.getBytes(StandardCharsets.UTF_8),
        value == null ? null : value.getBytes(StandardCharsets.UTF_8),
        List.of());
  }

  public static List<String> changes(MessageFormat format, Message message)
      throws BadMessageException {
    List<String> result = new ArrayList<>();
    format.read(message, change -> result.add(change(change)));
    return result;
  }

  public static String change(Change change) {
    String text = change.kind() + " " + row(change.row());
    if (change.before() != null) {
      text += " before " + row(change.before());
    }
    if (change.table() != null) {
      text += " of " + change.database() + "." + change.table();
    }
    if (!change.primaryKey().isEmpty()) {
      text += " key " + change.primaryKey();
    }
    return change.sourceTimeMicros() == 0 ? text : text + " at " + change.sourceTimeMicros();
  }

  public static String row(FieldRow row) {
    List<String> fields = new ArrayList<>();
    for (int i = 0; i < row.size(); i++) {
      fields.add(row.name(i) + "=" + value(row, i));
    }
    return fields.toString();
  }

  public static String value(FieldRow row, int i) {
    return switch (row.kind(i)) {
      case NULL -> "NULL";
      case BOOLEAN -> Boolean.toString(row.booleanValue(i));
      case LONG -> Long.toString(row.longValue(i));
      case DOUBLE -> "double " + row.doubleValue(i);
      case TEXT -> "'" + row.text(i) + "'";
      case DECIMAL -> "decimal " + row.text(i);
      case NESTED -> "nested " + row.text(i);
      case BYTES, BINARY_ARRAY ->
          "bytes "
              + HexFormat.of()
                  .formatHex(row.buffer(), row.offset(i), row.offset(i) + row.length(i));
      case DATE -> "day " + row.longValue(i);
      case TIME -> "time " + row.longValue(i);
      case TIMESTAMP -> "wall " + row.longValue(i) + "+" + row.nanosOfMilli(i);
      case INSTANT -> "instant " + row.longValue(i) + "+" + row.nanosOfMilli(i);
    };
  }
}
