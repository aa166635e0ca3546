package io.sluice.lsm.merge;

import io.sluice.lsm.row.BytesView;
import io.sluice.lsm.row.Row;
import io.sluice.lsm.schema.DataField;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;

/**
 * {@code listagg}: texts one after the other with a delimiter between. NULL and empty texts add
 * nothing. With {@code distinct} a part of the input that stands in the text already is left out; a
 * text that comes first is taken as it is. An empty delimiter parts at blanks, as in Paimon.
 */
final class ListAggregate extends NullSafeAggregate {

  private static final byte[] BLANK = {' '};
  private static final byte[] NOTHING = {};

  private final byte[] delimiter;
  private final byte[] separator;
  private final boolean distinct;
  private final BytesView left = new BytesView();
  private final BytesView right = new BytesView();
  private final Value value = new Value();

  ListAggregate(DataField field, int column, String delimiter, boolean distinct) {
    super(field, column);
    this.delimiter = delimiter.getBytes(StandardCharsets.UTF_8);
    this.separator = this.delimiter.length == 0 ? BLANK : this.delimiter;
    this.distinct = distinct;
  }

  /** Lets go of what the last key had. */
  @Override
  void reset() {
    value.bytes = NOTHING;
    value.length = 0;
    left.set(NOTHING, 0, 0);
    right.set(NOTHING, 0, 0);
  }

  @Override
  Row combine(Row accumulated, Row input) {
    accumulated.getBytes(column(), left);
    input.getBytes(column(), right);
    if (right.length == 0) {
      return accumulated;
    }
    if (left.length == 0) {
      return input;
    }
    Set<ByteBuffer> parts = new HashSet<>();
    if (distinct) {
      forEachPart(left, parts::add);
    }
    if (accumulated != value) {
      value.begin(left, right.array);
    }
    if (distinct) {
      forEachPart(right, part -> appendNew(part, parts));
    } else {
      value.append(delimiter, 0, delimiter.length);
      value.append(right.array, right.offset, right.length);
    }
    return value;
  }

  private void appendNew(ByteBuffer part, Set<ByteBuffer> parts) {
    if (part.hasRemaining() && parts.add(part)) {
      value.append(delimiter, 0, delimiter.length);
      value.append(part.array(), part.arrayOffset() + part.position(), part.remaining());
    }
  }

  private void forEachPart(BytesView text, Consumer<ByteBuffer> consumer) {
    int end = text.offset + text.length;
    int from = text.offset;
    for (int at = from; at <= end - separator.length; at++) {
      if (Arrays.equals(text.array, at, at + separator.length, separator, 0, separator.length)) {
        consumer.accept(ByteBuffer.wrap(text.array, from, at - from));
        from = at + separator.length;
        at = from - 1;
      }
    }
    consumer.accept(ByteBuffer.wrap(text.array, from, end - from));
  }

  /** The text built so far. Growing never changes bytes that are there already. */
  private static final class Value extends ValueRow {
    private byte[] bytes = new byte[0];
    private int length;

    /** Starts with a copy; anew where the old bytes are still needed. */
    void begin(BytesView text, byte[] needed) {
      if (bytes == needed || bytes == text.array || bytes.length < text.length) {
        bytes = new byte[2 * text.length];
      }
      System.arraycopy(text.array, text.offset, bytes, 0, text.length);
      length = text.length;
    }

    void append(byte[] more, int from, int count) {
      int end = Math.addExact(length, count);
      if (end > bytes.length) {
        bytes =
            Arrays.copyOf(
                bytes, (int) Math.min(Integer.MAX_VALUE - 8L, Math.max(2L * bytes.length, end)));
      }
      System.arraycopy(more, from, bytes, length, count);
      length = end;
    }

    @Override
    public boolean isNullAt(int column) {
      return false;
    }

    @Override
    public void getBytes(int column, BytesView into) {
      into.set(bytes, 0, length);
    }
  }
}
