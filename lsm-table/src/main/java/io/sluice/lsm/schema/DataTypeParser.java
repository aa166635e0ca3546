package io.sluice.lsm.schema;

import io.sluice.lsm.error.UnsupportedTableException;
import io.sluice.lsm.schema.DataType.DecimalType;
import io.sluice.lsm.schema.DataType.LengthType;
import io.sluice.lsm.schema.DataType.PlainType;
import io.sluice.lsm.schema.DataType.TemporalType;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** One pass over the words and numbers of a type text. Use {@link DataTypeText#parse}. */
final class DataTypeParser {

  private static final int DEFAULT_DECIMAL_PRECISION = 10;
  private static final int DEFAULT_TIMESTAMP_PRECISION = 6;

  private final String text;
  private final List<String> tokens = new ArrayList<>();
  private int next;

  DataTypeParser(String text) {
    this.text = text;
    split();
  }

  private void split() {
    int i = 0;
    while (i < text.length()) {
      char c = text.charAt(i);
      if (Character.isWhitespace(c)) {
        i++;
      } else if (c == '(' || c == ')' || c == ',' || c == '<' || c == '>') {
        tokens.add(String.valueOf(c));
        i++;
      } else {
        int start = i;
        while (i < text.length()
            && (Character.isLetterOrDigit(text.charAt(i)) || text.charAt(i) == '_')) {
          i++;
        }
        if (i == start) {
          throw wrong("the character " + c);
        }
        tokens.add(text.substring(start, i).toUpperCase(Locale.ROOT));
      }
    }
  }

  DataType parse() {
    DataType type = type();
    if (accept("NOT")) {
      expect("NULL");
      type = type.withNullable(false);
    } else {
      accept("NULL");
    }
    if (next < tokens.size()) {
      throw wrong("the word " + tokens.get(next));
    }
    return type;
  }

  private DataType type() {
    String word = word();
    return switch (word) {
      case "BOOLEAN", "TINYINT", "SMALLINT", "BIGINT", "FLOAT", "DATE", "VARIANT", "INT" ->
          new PlainType(TypeRoot.valueOf(word), true);
      case "INTEGER" -> new PlainType(TypeRoot.INT, true);
      case "DOUBLE" -> {
        accept("PRECISION");
        yield new PlainType(TypeRoot.DOUBLE, true);
      }
      case "CHAR", "VARCHAR", "BINARY", "VARBINARY" ->
          new LengthType(TypeRoot.valueOf(word), parameter(1), true);
      case "STRING" -> new LengthType(TypeRoot.VARCHAR, DataType.MAX_LENGTH, true);
      case "BYTES" -> new LengthType(TypeRoot.VARBINARY, DataType.MAX_LENGTH, true);
      case "DECIMAL", "NUMERIC", "DEC" -> decimal();
      case "TIME" -> {
        TemporalType time = new TemporalType(TypeRoot.TIME, parameter(0), true);
        if (accept("WITHOUT")) {
          expect("TIME");
          expect("ZONE");
        }
        yield time;
      }
      case "TIMESTAMP" -> timestamp();
      case "TIMESTAMP_LTZ" ->
          new TemporalType(TypeRoot.TIMESTAMP_LTZ, parameter(DEFAULT_TIMESTAMP_PRECISION), true);
      case "BLOB", "VECTOR" ->
          throw new UnsupportedTableException(
              "The type " + word + " belongs to append tables and is not supported");
      default -> throw wrong("the word " + word);
    };
  }

  private DataType decimal() {
    if (!accept("(")) {
      return new DecimalType(DEFAULT_DECIMAL_PRECISION, 0, true);
    }
    int precision = number();
    int scale = accept(",") ? number() : 0;
    expect(")");
    return checked(() -> new DecimalType(precision, scale, true));
  }

  private DataType timestamp() {
    int precision = parameter(DEFAULT_TIMESTAMP_PRECISION);
    TypeRoot root = TypeRoot.TIMESTAMP;
    if (accept("WITH")) {
      if (accept("LOCAL")) {
        root = TypeRoot.TIMESTAMP_LTZ;
      } else {
        throw wrong("TIMESTAMP WITH TIME ZONE, which is no type of a table");
      }
      expect("TIME");
      expect("ZONE");
    } else if (accept("WITHOUT")) {
      expect("TIME");
      expect("ZONE");
    }
    TypeRoot chosen = root;
    return checked(() -> new TemporalType(chosen, precision, true));
  }

  private int parameter(int byDefault) {
    if (!accept("(")) {
      return byDefault;
    }
    int result = number();
    expect(")");
    return result;
  }

  private DataType checked(java.util.function.Supplier<DataType> made) {
    try {
      return made.get();
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("Not a type: '" + text + "': " + e.getMessage(), e);
    }
  }

  private int number() {
    String word = word();
    try {
      return Integer.parseInt(word);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(
          "Not a type: '" + text + "': " + word + " is not a number", e);
    }
  }

  private String word() {
    if (next >= tokens.size()) {
      throw wrong("its end");
    }
    return tokens.get(next++);
  }

  private boolean accept(String word) {
    if (next < tokens.size() && tokens.get(next).equals(word)) {
      next++;
      return true;
    }
    return false;
  }

  private void expect(String word) {
    if (!accept(word)) {
      throw wrong("a missing " + word);
    }
  }

  private IllegalArgumentException wrong(String what) {
    return new IllegalArgumentException("Not a type: '" + text + "': stopped at " + what);
  }
}
