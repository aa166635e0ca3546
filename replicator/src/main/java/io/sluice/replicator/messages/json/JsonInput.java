package io.sluice.replicator.messages.json;

import io.sluice.replicator.messages.BadMessageException;
import io.sluice.replicator.messages.BadMessageException.Reason;
import io.sluice.replicator.messages.FieldRow;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Reads one JSON text (RFC 8259, strictly; a byte order mark at its start is skipped) from bytes,
 * in one pass, and is used again for the next. Not thread safe.
 *
 * <p>The cursor stands before a value: every {@code read...}, {@link #skip} and {@link #addTo}
 * takes the whole value. An object is walked so, in whatever order its members come:
 *
 * <pre>{@code
 * in.open(bytes, 0, bytes.length);
 * in.beginObject();
 * for (String name = in.nextName(); name != null; name = in.nextName()) {
 *   switch (name) {                      // names are interned: == will do
 *     case "op" -> op = in.readName();   // a short text that occurs again and again
 *     case "after" -> in.addObjectTo(row);
 *     default -> in.skip();
 *   }
 * }
 * in.end();
 * }</pre>
 *
 * <p>Whatever isn't JSON is a {@link BadMessageException} MALFORMED with the position, counted in
 * bytes from where the text begins: also bad UTF-8, NaN, comments, lone surrogates (they have no
 * UTF-8), something behind the text, more than {@value #DEPTH_MAX} levels, and a name that occurs
 * twice in an object of {@link #addObjectTo}: parsers differ in which of the two they take, so
 * neither is what the producer meant for sure.
 */
public final class JsonInput {

  /** What a value is. */
  public enum Kind {
    NULL,
    BOOLEAN,
    NUMBER,
    TEXT,
    OBJECT,
    ARRAY
  }

  /** Levels of objects and arrays inside each other. */
  public static final int DEPTH_MAX = 1_000;

  /** By byte: 0 plain, 1 ends the plain part of a string. Bytes from 0x80 on are negative. */
  private static final byte[] STOPS = new byte[128];

  static {
    Arrays.fill(STOPS, 0, 0x20, (byte) 1);
    STOPS['"'] = 1;
    STOPS['\\'] = 1;
  }

  private static final byte[] EMPTY = {};

  private final NameTable names = new NameTable();
  private NameTable.Entry last = names.start();
  private byte[] bytes = EMPTY;
  private int from;
  private int at;
  private int to;
  // Whether a comma must stand before the next member or element.
  private boolean first;
  private long objects;
  private byte[] unescaped = new byte[64];
  private final boolean[] inObject = new boolean[DEPTH_MAX];
  private int depth;

  /** Goes to the start of a text that lies in {@code json[start, end)}. */
  public void open(byte[] json, int start, int end) {
    bytes = json;
    from = start;
    at = start;
    to = end;
    depth = 0;
    first = true;
    if (end - start >= 3
        && json[start] == (byte) 0xef
        && json[start + 1] == (byte) 0xbb
        && json[start + 2] == (byte) 0xbf) {
      at += 3;
    }
  }

  /** The bytes being read. */
  public byte[] bytes() {
    return bytes;
  }

  /** Index in {@link #bytes} of what is next; behind the value, once one was read. */
  public int position() {
    return at;
  }

  /** Index in {@link #bytes} at which the value at the cursor begins. */
  public int valueStart() throws BadMessageException {
    peekByte();
    return at;
  }

  /** What the value at the cursor is, by its first byte. */
  public Kind kind() throws BadMessageException {
    return switch (peekByte()) {
      case '{' -> Kind.OBJECT;
      case '[' -> Kind.ARRAY;
      case '"' -> Kind.TEXT;
      case 't', 'f' -> Kind.BOOLEAN;
      case 'n' -> Kind.NULL;
      case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9' -> Kind.NUMBER;
      default -> throw unexpected("a value");
    };
  }

  /** Checks that nothing but white space is left. */
  public void end() throws BadMessageException {
    skipWhiteSpace();
    if (at < to) {
      throw unexpected("the end of the text");
    }
  }

  // ---------------------------------------------------------------- objects and arrays

  /** Enters the object at the cursor. */
  public void beginObject() throws BadMessageException {
    if (peekByte() != '{') {
      throw unexpected("an object");
    }
    at++;
    enter();
  }

  /**
   * Goes to the value of the next member of the object that was entered last.
   *
   * @return its name, interned; null at the object's end, which is left then
   */
  public @Nullable String nextName() throws BadMessageException {
    NameTable.Entry entry = nextEntry();
    return entry == null ? null : entry.name;
  }

  /**
   * Like {@link #nextName}, for names that aren't worth keeping: adds it to a row as a TEXT field
   * without a name of its own.
   *
   * @return false at the object's end, which is left then
   */
  public boolean addNextNameTo(FieldRow row) throws BadMessageException {
    if (!beginName()) {
      return false;
    }
    addText(row, "");
    if (peekByte() != ':') {
      throw unexpected("':'");
    }
    at++;
    return true;
  }

  /** Enters the array at the cursor. */
  public void beginArray() throws BadMessageException {
    if (peekByte() != '[') {
      throw unexpected("an array");
    }
    at++;
    enter();
  }

  /** Goes to the next element of the array that was entered last; false at its end. */
  public boolean nextElement() throws BadMessageException {
    byte next = peekByte();
    if (next == ']') {
      at++;
      leave();
      return false;
    }
    if (first) {
      first = false;
    } else {
      if (next != ',') {
        throw unexpected("',' or ']'");
      }
      at++;
      if (peekByte() == ']') {
        throw unexpected("a value");
      }
    }
    return true;
  }

  private void enter() throws BadMessageException {
    if (++depth > DEPTH_MAX) {
      throw tooDeep();
    }
    first = true;
  }

  private void leave() {
    depth--;
    first = false;
  }

  /** Goes behind the opening quote of the next name; false at the object's end. */
  private boolean beginName() throws BadMessageException {
    byte next = peekByte();
    if (next == '}') {
      at++;
      leave();
      return false;
    }
    if (first) {
      first = false;
    } else {
      if (next != ',') {
        throw unexpected("',' or '}'");
      }
      at++;
      next = peekByte();
    }
    if (next != '"') {
      throw unexpected("a member's name");
    }
    at++;
    return true;
  }

  private NameTable.@Nullable Entry nextEntry() throws BadMessageException {
    if (!beginName()) {
      return null;
    }
    NameTable.Entry entry = last.following;
    if (!takeIfNext(entry.utf8)) {
      entry = textEntry();
      last.following = entry;
    }
    last = entry;
    if (at < to && bytes[at] == ':') {
      at++;
    } else {
      if (peekByte() != ':') {
        throw unexpected("':'");
      }
      at++;
    }
    return entry;
  }

  /** Takes a string's rest with its closing quote if it is this. */
  private boolean takeIfNext(byte[] utf8) {
    int end = at + utf8.length;
    if (end >= to || bytes[end] != '"') {
      return false;
    }
    for (int i = 0; i < utf8.length; i++) {
      if (utf8[i] != bytes[at + i]) {
        return false;
      }
    }
    at = end + 1;
    return true;
  }

  /** The entry of the string whose opening quote was taken. */
  private NameTable.Entry textEntry() throws BadMessageException {
    int start = at;
    if (scanPlain()) {
      return names.entry(bytes, start, at - 1 - start);
    }
    int length = unescape(start);
    return names.entry(unescaped, 0, length);
  }

  // ---------------------------------------------------------------- into rows

  /**
   * Adds the members of the object at the cursor to a row: null, booleans, integers of 64 bits as
   * LONG, other numbers as DECIMAL with their exact text (1.0 stays 1.0, 1e5 stays 1e5), strings as
   * TEXT, objects and arrays as NESTED with their exact text.
   */
  public void addObjectTo(FieldRow row) throws BadMessageException {
    beginObject();
    long object = ++objects;
    for (NameTable.Entry entry = nextEntry(); entry != null; entry = nextEntry()) {
      if (entry.seenIn == object || !entry.kept && row.position(entry.name) >= 0) {
        throw malformed("the name \"" + shortened(entry.name) + "\" occurs twice");
      }
      entry.seenIn = object;
      addTo(row, entry.name);
    }
  }

  /** Adds the value at the cursor to a row, see {@link #addObjectTo}. */
  public void addTo(FieldRow row, String name) throws BadMessageException {
    switch (peekByte()) {
      case '"' -> {
        at++;
        addText(row, name);
      }
      case '{', '[' -> {
        int start = at;
        skip();
        row.addSlice(name, FieldRow.Kind.NESTED, bytes, start, at - start);
      }
      case 't' -> {
        expect("true");
        row.addBoolean(name, true);
      }
      case 'f' -> {
        expect("false");
        row.addBoolean(name, false);
      }
      case 'n' -> {
        expect("null");
        row.addNull(name);
      }
      default -> {
        int start = at;
        if (skipNumber()) {
          row.addLong(name, parsedLong);
        } else {
          row.addSlice(name, FieldRow.Kind.DECIMAL, bytes, start, at - start);
        }
      }
    }
  }

  private void addText(FieldRow row, String name) throws BadMessageException {
    int start = at;
    if (scanPlain()) {
      row.addSlice(name, FieldRow.Kind.TEXT, bytes, start, at - 1 - start);
    } else {
      int length = unescape(start);
      row.addSlice(name, FieldRow.Kind.TEXT, unescaped, 0, length);
    }
  }

  // ---------------------------------------------------------------- single values

  /** Takes the value at the cursor if it is null. */
  public boolean readNull() throws BadMessageException {
    if (peekByte() != 'n') {
      return false;
    }
    expect("null");
    return true;
  }

  /** Takes true or false. */
  public boolean readBoolean() throws BadMessageException {
    if (peekByte() == 't') {
      expect("true");
      return true;
    }
    if (peekByte() != 'f') {
      throw unexpected("true or false");
    }
    expect("false");
    return false;
  }

  /** Takes an integer of 64 bits. */
  public long readLong() throws BadMessageException {
    peekByte();
    int start = at;
    if (!skipNumber()) {
      at = start;
      throw unexpected("an integer of 64 bits");
    }
    return parsedLong;
  }

  /** Takes a string that isn't worth keeping. */
  public String readText() throws BadMessageException {
    openString();
    int start = at;
    if (scanPlain()) {
      return new String(bytes, start, at - 1 - start, StandardCharsets.UTF_8);
    }
    int length = unescape(start);
    return new String(unescaped, 0, length, StandardCharsets.UTF_8);
  }

  /** Takes a short string that occurs again and again, e.g. a table's name; interned. */
  public String readName() throws BadMessageException {
    openString();
    return textEntry().name;
  }

  private void openString() throws BadMessageException {
    if (peekByte() != '"') {
      throw unexpected("a string");
    }
    at++;
  }

  /**
   * Takes the value at the cursor if its text is exactly this. REQUIRES: the text of one object or
   * array, which says itself where it ends.
   */
  public boolean skipIfSame(byte[] value) throws BadMessageException {
    peekByte();
    int end = at + value.length;
    if (end > to || end < at || !Arrays.equals(bytes, at, end, value, 0, value.length)) {
      return false;
    }
    at = end;
    return true;
  }

  /** Takes the value at the cursor, whatever it is; it is checked all the same. */
  public void skip() throws BadMessageException {
    int outer = depth;
    // At each turn a value is taken, or an object or array entered; then what encloses it goes on.
    boolean value = true;
    while (true) {
      if (value) {
        byte next = peekByte();
        if (next == '{' || next == '[') {
          at++;
          if (depth == DEPTH_MAX) {
            throw tooDeep();
          }
          boolean object = next == '{';
          inObject[depth++] = object;
          if (peekByte() == (object ? '}' : ']')) {
            at++;
            depth--;
          } else {
            if (object) {
              skipName();
            }
            continue;
          }
        } else {
          skipScalar(next);
        }
        value = false;
      }
      if (depth == outer) {
        return;
      }
      boolean object = inObject[depth - 1];
      byte next = peekByte();
      if (next == ',') {
        at++;
        if (object) {
          skipName();
        }
        value = true;
      } else if (next == (object ? '}' : ']')) {
        at++;
        depth--;
      } else {
        throw unexpected(object ? "',' or '}'" : "',' or ']'");
      }
    }
  }

  private void skipName() throws BadMessageException {
    if (peekByte() != '"') {
      throw unexpected("a member's name");
    }
    at++;
    skipString();
    if (peekByte() != ':') {
      throw unexpected("':'");
    }
    at++;
  }

  private void skipScalar(byte next) throws BadMessageException {
    switch (next) {
      case '"' -> {
        at++;
        skipString();
      }
      case 't' -> expect("true");
      case 'f' -> expect("false");
      case 'n' -> expect("null");
      default -> skipNumber();
    }
  }

  // ---------------------------------------------------------------- strings

  /** Goes behind the closing quote; the opening one was taken. */
  private void skipString() throws BadMessageException {
    while (!scanPlain()) {
      // At a backslash.
      escape(null, 0);
    }
  }

  /**
   * Goes behind the closing quote and gives true, or stops at the first backslash and gives false.
   */
  private boolean scanPlain() throws BadMessageException {
    byte[] in = bytes;
    int i = at;
    int end = to;
    while (i < end) {
      byte c = in[i];
      if (c >= 0) {
        if (STOPS[c] == 0) {
          i++;
          continue;
        }
        at = i;
        if (c == '"') {
          at++;
          return true;
        }
        if (c == '\\') {
          return false;
        }
        throw malformed("a control character in a string; it must be escaped");
      }
      i += sequenceLength(i);
    }
    at = i;
    throw malformed("the text ends inside a string");
  }

  /** Length of the UTF-8 sequence of two to four bytes at a position. */
  private int sequenceLength(int i) throws BadMessageException {
    int length = Utf8.sequenceLength(bytes, i, to);
    if (length == 0) {
      at = i;
      throw malformed("bytes that are not UTF-8");
    }
    return length;
  }

  /**
   * Writes the string that began at {@code start}, and in which the cursor stands at a backslash,
   * to {@link #unescaped}; goes behind its closing quote.
   *
   * @return bytes written
   */
  private int unescape(int start) throws BadMessageException {
    int length = 0;
    int plainFrom = start;
    while (true) {
      int plain = at - plainFrom;
      // An escape makes at most four bytes.
      if (unescaped.length - length < plain + 4) {
        unescaped = Arrays.copyOf(unescaped, Math.max(2 * unescaped.length, length + plain + 4));
      }
      System.arraycopy(bytes, plainFrom, unescaped, length, plain);
      length += plain;
      length += escape(unescaped, length);
      plainFrom = at;
      if (scanPlain()) {
        plain = at - 1 - plainFrom;
        if (unescaped.length - length < plain) {
          unescaped = Arrays.copyOf(unescaped, length + plain);
        }
        System.arraycopy(bytes, plainFrom, unescaped, length, plain);
        return length + plain;
      }
    }
  }

  /**
   * Takes one escape, or the two of a surrogate pair.
   *
   * @param out null to check its form only
   * @return bytes written
   */
  private int escape(byte @Nullable [] out, int offset) throws BadMessageException {
    int start = at;
    if (to - at < 2) {
      throw malformed("the text ends inside a string");
    }
    byte c = bytes[at + 1];
    at += 2;
    int code;
    switch (c) {
      case '"', '\\', '/' -> code = c;
      case 'b' -> code = '\b';
      case 'f' -> code = '\f';
      case 'n' -> code = '\n';
      case 'r' -> code = '\r';
      case 't' -> code = '\t';
      case 'u' -> code = hex4();
      default -> {
        at = start;
        throw malformed("an escape that JSON doesn't have");
      }
    }
    if (out == null) {
      return 0;
    }
    if (code >= 0xd800 && code < 0xe000) {
      boolean pair = code < 0xdc00 && to - at >= 6 && bytes[at] == '\\' && bytes[at + 1] == 'u';
      if (pair) {
        at += 2;
        int low = hex4();
        pair = low >= 0xdc00 && low < 0xe000;
        code = 0x10000 + (code - 0xd800 << 10) + low - 0xdc00;
      }
      if (!pair) {
        at = start;
        throw malformed("half of a surrogate pair, which is no character");
      }
    }
    return Utf8.write(code, out, offset);
  }

  private int hex4() throws BadMessageException {
    if (to - at < 4) {
      throw malformed("the text ends inside a string");
    }
    int code = 0;
    for (int i = 0; i < 4; i++) {
      int digit = Character.digit(bytes[at + i], 16);
      if (digit < 0) {
        throw malformed("\\u without four hexadecimal digits");
      }
      code = code << 4 | digit;
    }
    at += 4;
    return code;
  }

  // ---------------------------------------------------------------- numbers

  /** The number that {@link #skipNumber} took, if it was an integer of 64 bits. */
  private long parsedLong;

  /**
   * Takes a number.
   *
   * @return whether its text is that of a 64-bit integer, which then is in {@link #parsedLong}
   */
  private boolean skipNumber() throws BadMessageException {
    int i = at;
    boolean negative = i < to && bytes[i] == '-';
    if (negative) {
      i++;
    }
    int digitsFrom = i;
    // Counted downwards, since the smallest long has no positive partner.
    long value = 0;
    boolean fits = true;
    while (i < to) {
      int digit = bytes[i] - '0';
      if (digit < 0 || digit > 9) {
        break;
      }
      if (i - digitsFrom >= 18) {
        if (value < Long.MIN_VALUE / 10 || value * 10 < Long.MIN_VALUE + digit) {
          fits = false;
        }
      }
      value = value * 10 - digit;
      i++;
    }
    int digits = i - digitsFrom;
    if (digits == 0) {
      if (!negative) {
        throw unexpected("a value");
      }
      at = i;
      throw unexpected("a digit");
    }
    if (digits > 1 && bytes[digitsFrom] == '0') {
      at = digitsFrom;
      throw malformed("a number that begins with 0");
    }
    boolean integer = true;
    if (i < to && bytes[i] == '.') {
      integer = false;
      i = digits(i + 1);
    }
    if (i < to && (bytes[i] == 'e' || bytes[i] == 'E')) {
      integer = false;
      i++;
      if (i < to && (bytes[i] == '+' || bytes[i] == '-')) {
        i++;
      }
      i = digits(i);
    }
    at = i;
    if (!integer || !fits || digits > 19 || negative && value == 0) {
      return false;
    }
    if (!negative && value == Long.MIN_VALUE) {
      return false;
    }
    parsedLong = negative ? value : -value;
    return true;
  }

  /** Index behind one or more digits. */
  private int digits(int start) throws BadMessageException {
    int i = start;
    while (i < to && bytes[i] >= '0' && bytes[i] <= '9') {
      i++;
    }
    if (i == start) {
      at = i;
      throw unexpected("a digit");
    }
    return i;
  }

  // ---------------------------------------------------------------- bytes

  private void expect(String literal) throws BadMessageException {
    int length = literal.length();
    for (int i = 0; i < length; i++) {
      if (at + i >= to || bytes[at + i] != literal.charAt(i)) {
        throw unexpected("a value");
      }
    }
    at += length;
  }

  /** The next byte that isn't white space, which the cursor then stands at. */
  private byte peekByte() throws BadMessageException {
    if (at < to) {
      byte c = bytes[at];
      if (c > ' ') {
        return c;
      }
    }
    skipWhiteSpace();
    if (at == to) {
      throw malformed(at == from ? "the text is empty" : "the text ends too early");
    }
    return bytes[at];
  }

  private void skipWhiteSpace() {
    while (at < to) {
      byte c = bytes[at];
      if (c != ' ' && c != '\n' && c != '\r' && c != '\t') {
        return;
      }
      at++;
    }
  }

  private BadMessageException tooDeep() {
    return malformed("more than " + DEPTH_MAX + " levels of objects and arrays");
  }

  private BadMessageException unexpected(String wanted) {
    if (at >= to) {
      return malformed("the text ends where " + wanted + " should be");
    }
    int c = bytes[at] & 0xff;
    String found = c > ' ' && c < 0x7f ? "'" + (char) c + "'" : String.format("byte 0x%02x", c);
    return malformed(found + " where " + wanted + " should be");
  }

  private BadMessageException malformed(String what) {
    return new BadMessageException(
        Reason.MALFORMED, "No JSON at byte " + (at - from) + ": " + what + ".");
  }

  private static String shortened(String text) {
    return text.length() <= 100 ? text : text.substring(0, 100) + "...";
  }
}
