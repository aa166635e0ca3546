package io.sluice.replicator.messages.csv;

import io.sluice.replicator.messages.BadMessageException;
import io.sluice.replicator.messages.BadMessageException.Reason;
import io.sluice.replicator.messages.Change;
import io.sluice.replicator.messages.FieldRow;
import io.sluice.replicator.messages.Message;
import io.sluice.replicator.messages.MessageFormat;
import io.sluice.replicator.messages.json.Utf8;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;

/**
 * Separated values as RFC 4180 has them: one record a line, fields in quotes where they hold the
 * delimiter, a quote (written twice) or an end of line. Lines end with LF or CRLF, the last one
 * perhaps with nothing; empty lines are no records. A message may hold several. There is no header
 * line. All values are texts; the columns' types say what they mean.
 */
public final class CsvFormat implements MessageFormat {

  /**
   * How it is written.
   *
   * @param columns names of the fields, in their order
   * @param delimiter between fields
   * @param quote around fields; empty: none, a quote is a character like others
   * @param escape before a character that is meant as it is, also in quotes; empty: none
   * @param nullText a field that isn't in quotes and has this text is NULL
   */
  public record Options(
      List<String> columns, char delimiter, String quote, String escape, String nullText) {
    public Options {
      columns = columns.stream().map(String::intern).toList();
      if (new HashSet<>(columns).size() < columns.size()) {
        throw new IllegalArgumentException("a column is named twice in " + columns);
      }
      if (quote.equals(String.valueOf(delimiter)) || escape.equals(String.valueOf(delimiter))) {
        throw new IllegalArgumentException(
            "the delimiter " + delimiter + " can't be the quote or the escape, too");
      }
    }
  }

  private static final int NONE = -1;

  private final String[] columns;
  private final byte delimiter;
  private final int quote;
  private final int escape;
  private final byte[] nullText;
  private final Change change = new Change();

  // Of the message being read.
  private byte[] in = {};
  private int at;

  public CsvFormat(Options options) {
    this.columns = options.columns().toArray(String[]::new);
    this.delimiter = (byte) options.delimiter();
    this.quote = options.quote().isEmpty() ? NONE : options.quote().charAt(0);
    boolean escapes = !options.escape().isEmpty() && !options.escape().equals(options.quote());
    this.escape = escapes ? options.escape().charAt(0) : NONE;
    this.nullText = options.nullText().getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public void read(Message message, Changes changes) throws BadMessageException {
    byte[] value = message.value();
    if (value == null) {
      return;
    }
    int invalid = Utf8.firstInvalid(value, 0, value.length);
    if (invalid >= 0) {
      throw malformed(invalid, "bytes that are not UTF-8");
    }
    in = value;
    at = 0;
    while (at < value.length) {
      if (endOfLine()) {
        continue;
      }
      readRecord();
      changes.change(change);
    }
  }

  /** Takes an end of line, if the cursor stands at one. */
  private boolean endOfLine() {
    if (in[at] == '\n') {
      at++;
      return true;
    }
    if (in[at] == '\r' && at + 1 < in.length && in[at + 1] == '\n') {
      at += 2;
      return true;
    }
    return false;
  }

  private void readRecord() throws BadMessageException {
    change.reset(Change.Kind.UPSERT);
    FieldRow row = change.row();
    int start = at;
    int field = 0;
    while (true) {
      if (field == columns.length) {
        throw malformed(at, "more fields than the " + columns.length + " columns");
      }
      readField(row, columns[field++]);
      if (at == in.length || endOfLine()) {
        break;
      }
      // A delimiter: another field follows, be it an empty one at the very end.
      at++;
    }
    if (field < columns.length) {
      throw malformed(
          start,
          String.format(
              Locale.ROOT, "%d fields, where there are %d columns", field, columns.length));
    }
  }

  /** Takes a field; the cursor then stands at a delimiter, an end of line or the end. */
  private void readField(FieldRow row, String name) throws BadMessageException {
    boolean quoted = quote != NONE && at < in.length && in[at] == quote;
    int from = at;
    if (quoted) {
      at++;
    }
    int length = quoted ? quotedLength() : plainLength();
    int start = row.reserve(length);
    byte[] out = row.buffer();
    int end = at;
    int written = start;
    for (int i = quoted ? from + 1 : from; i < (quoted ? end - 1 : end); i++) {
      if (in[i] == escape || quoted && in[i] == quote) {
        i++;
      }
      out[written++] = in[i];
    }
    boolean isNull = !quoted && Arrays.equals(in, from, end, nullText, 0, nullText.length);
    if (isNull) {
      row.addNull(name);
    } else {
      row.addReserved(name, FieldRow.Kind.TEXT, start, written - start);
    }
  }

  /** Goes to the end of a field without quotes. */
  private int plainLength() throws BadMessageException {
    int from = at;
    while (at < in.length && in[at] != delimiter) {
      if (in[at] == '\n' || in[at] == '\r' && at + 1 < in.length && in[at + 1] == '\n') {
        break;
      }
      if (in[at] == escape) {
        if (++at == in.length) {
          throw malformed(at, "an escape at the end");
        }
      } else if (quote != NONE && in[at] == quote) {
        throw malformed(at, "a quote inside a field that has none at its beginning");
      }
      at++;
    }
    return at - from;
  }

  /** Goes behind the closing quote. */
  private int quotedLength() throws BadMessageException {
    int from = at;
    while (at < in.length) {
      if (in[at] == escape && escape != quote) {
        at += 2;
      } else if (in[at] == quote) {
        if (at + 1 < in.length && in[at + 1] == quote) {
          at += 2;
          continue;
        }
        at++;
        boolean ends =
            at == in.length
                || in[at] == delimiter
                || in[at] == '\n'
                || in[at] == '\r' && at + 1 < in.length && in[at + 1] == '\n';
        if (!ends) {
          throw malformed(at, "text behind a closing quote");
        }
        return at - from;
      } else {
        at++;
      }
    }
    throw malformed(from - 1, "a quote that isn't closed");
  }

  private static BadMessageException malformed(int position, String what) {
    return new BadMessageException(
        Reason.MALFORMED, "No record at byte " + position + ": " + what + ".");
  }
}
