package io.sluice.replicator.cli;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Prints records of named values. A value is null, a Boolean, a Number or a String.
 *
 * <p>Thread safety: none.
 */
abstract class RecordPrinter {

  /** How records are printed. */
  enum Format {
    /** Aligned columns for people. */
    TABLE,
    /** A JSON object a line; numbers as numbers. */
    JSONL,
    /** RFC 4180 with a header; null is an empty field, an empty text is {@code ""}. */
    CSV,
    /** A JSON object a line; every value is the text that the golden tables' README describes. */
    CANONICAL;

    @Override
    public String toString() {
      return name().toLowerCase(java.util.Locale.ROOT);
    }
  }

  final PrintWriter out;
  final List<String> columns;

  private RecordPrinter(PrintWriter out, List<String> columns) {
    this.out = out;
    this.columns = List.copyOf(columns);
  }

  static RecordPrinter of(Format format, PrintWriter out, List<String> columns) {
    return switch (format) {
      case TABLE -> new Table(out, columns);
      case JSONL, CANONICAL -> new JsonLines(out, columns);
      case CSV -> new Csv(out, columns);
    };
  }

  /** Prints a record, one value for each column; returns whether anybody still reads. */
  abstract boolean print(@Nullable Object... values);

  /** Prints what is kept back. Call it once, at the end. */
  void end() {
    out.flush();
  }

  private static final class JsonLines extends RecordPrinter {

    private static final JsonFactory FACTORY = new JsonFactory();
    private static final int ROWS_BETWEEN_CHECKS = 1000;

    private final JsonGenerator json;
    private long rows;

    JsonLines(PrintWriter out, List<String> columns) {
      super(out, columns);
      try {
        json = FACTORY.createGenerator(out);
        json.setRootValueSeparator(null);
      } catch (IOException e) {
        throw new java.io.UncheckedIOException(e);
      }
    }

    @Override
    boolean print(@Nullable Object... values) {
      try {
        json.writeStartObject();
        for (int i = 0; i < values.length; i++) {
          json.writeFieldName(columns.get(i));
          write(values[i]);
        }
        json.writeEndObject();
        json.writeRaw('\n');
        return ++rows % ROWS_BETWEEN_CHECKS != 0 || !stopped();
      } catch (IOException e) {
        throw new java.io.UncheckedIOException(e);
      }
    }

    private boolean stopped() throws IOException {
      json.flush();
      return out.checkError();
    }

    private void write(@Nullable Object value) throws IOException {
      if (value == null) {
        json.writeNull();
      } else if (value instanceof Boolean truth) {
        json.writeBoolean(truth);
      } else if (value instanceof Long number) {
        json.writeNumber(number);
      } else if (value instanceof Float number && Float.isFinite(number)) {
        json.writeNumber(number);
      } else if (value instanceof Double number && Double.isFinite(number)) {
        json.writeNumber(number);
      } else {
        json.writeString(value.toString());
      }
    }

    @Override
    void end() {
      try {
        json.flush();
      } catch (IOException e) {
        throw new java.io.UncheckedIOException(e);
      }
      super.end();
    }
  }

  private static final class Csv extends RecordPrinter {

    Csv(PrintWriter out, List<String> columns) {
      super(out, columns);
      print(columns.toArray());
    }

    @Override
    boolean print(@Nullable Object... values) {
      StringBuilder line = new StringBuilder();
      for (int i = 0; i < values.length; i++) {
        line.append(i == 0 ? "" : ",").append(field(values[i]));
      }
      out.print(line.append("\r\n"));
      return !out.checkError();
    }

    private static String field(@Nullable Object value) {
      if (value == null) {
        return "";
      }
      String text = value.toString();
      boolean plain =
          !text.isEmpty() && text.chars().noneMatch(c -> c == ',' || c == '"' || c < ' ');
      return plain ? text : '"' + text.replace("\"", "\"\"") + '"';
    }
  }

  private static final class Table extends RecordPrinter {

    private static final int ROWS_MEASURED = 1000;

    private final List<@Nullable Object[]> kept = new ArrayList<>();
    private int @Nullable [] widths;

    Table(PrintWriter out, List<String> columns) {
      super(out, columns);
    }

    @Override
    boolean print(@Nullable Object... values) {
      if (widths != null) {
        line(values, widths);
        return !out.checkError();
      }
      kept.add(values);
      if (kept.size() == ROWS_MEASURED) {
        release();
        return !out.checkError();
      }
      return true;
    }

    /** Widths are taken from the first rows; later ones may stand out. */
    private void release() {
      int[] measured = columns.stream().mapToInt(Table::width).toArray();
      for (Object[] values : kept) {
        for (int i = 0; i < values.length; i++) {
          measured[i] = Math.max(measured[i], width(shown(values[i])));
        }
      }
      widths = measured;
      line(columns.toArray(), measured);
      line(Arrays.stream(measured).mapToObj("-"::repeat).toArray(), measured);
      kept.forEach(values -> line(values, measured));
      kept.clear();
    }

    private void line(@Nullable Object[] values, int[] measured) {
      StringBuilder line = new StringBuilder();
      for (int i = 0; i < values.length; i++) {
        String text = shown(values[i]);
        String space = " ".repeat(Math.max(0, measured[i] - width(text)));
        line.append(i == 0 ? "" : "  ");
        line.append(values[i] instanceof Number ? space + text : text + space);
      }
      out.println(line.toString().stripTrailing());
    }

    private static String shown(@Nullable Object value) {
      if (value == null) {
        return "NULL";
      }
      String text = value.toString();
      return text.chars().noneMatch(c -> c < ' ' || c == 0x7f) ? text : escaped(text);
    }

    /** A value must not move the cursor or colour the terminal. */
    private static String escaped(String text) {
      StringBuilder result = new StringBuilder();
      for (int i = 0; i < text.length(); i++) {
        char c = text.charAt(i);
        switch (c) {
          case '\n' -> result.append("\\n");
          case '\r' -> result.append("\\r");
          case '\t' -> result.append("\\t");
          default -> {
            if (c < ' ' || c == 0x7f) {
              result.append(String.format("\\u%04x", (int) c));
            } else {
              result.append(c);
            }
          }
        }
      }
      return result.toString();
    }

    /** Columns of a terminal: wide characters take two. */
    private static int width(String text) {
      return text.codePoints().map(c -> isWide(c) ? 2 : 1).sum();
    }

    private static boolean isWide(int c) {
      return (c >= 0x1100 && c <= 0x115f)
          || (c >= 0x2e80 && c <= 0xa4cf)
          || (c >= 0xac00 && c <= 0xd7a3)
          || (c >= 0xf900 && c <= 0xfaff)
          || (c >= 0xfe30 && c <= 0xfe6f)
          || (c >= 0xff00 && c <= 0xff60)
          || (c >= 0x1f300 && c <= 0x1faff)
          || (c >= 0x20000 && c <= 0x3fffd);
    }

    @Override
    void end() {
      if (widths == null) {
        release();
      }
      super.end();
    }
  }
}
