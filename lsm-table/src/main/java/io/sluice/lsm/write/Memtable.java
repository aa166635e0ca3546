package io.sluice.lsm.write;

import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.datafile.KeyValueReader;
import io.sluice.lsm.merge.MergeFunction;
import io.sluice.lsm.merge.MergeRules;
import io.sluice.lsm.row.KeyValue;
import io.sluice.lsm.row.Row;
import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.schema.RowType;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Records of one bucket that wait for a flush.
 *
 * <pre>
 * page:   | sequence number 8 | row length 4 | row bytes | next record ...
 * index:  key prefix 8 | page number and offset 8      (arrays, by order of arrival)
 * </pre>
 *
 * Pages start small and double, so that a bucket with few rows costs little; a row larger than a
 * page gets a page of its own. Records are sorted only when they are read. What is taken from the
 * {@link MemoryPool} is given back by {@link #clear}. One thread.
 */
final class Memtable {

  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

  private static final int HEADER_BYTES = 12;
  private static final int PAGE_BYTES_MIN = 8 << 10;

  /** Well below half of G1's smallest region: larger arrays take whole regions for themselves. */
  private static final int PAGE_BYTES_MAX = 256 << 10;

  private static final int INDEX_MIN = 64;
  private static final int INDEX_BYTES = 2 * Long.BYTES;
  private static final int REUSED_VIEWS = 64;
  private static final int TOUCH_AHEAD = 32;
  private static final int CACHE_LINE = 64;

  private final int columnCount;
  private final MergeRules.Engine engine;
  private final MemoryPool memory;

  private final List<byte[]> pages = new ArrayList<>();
  private int pageEnd;
  private long[] prefixes = new long[0];
  private long[] addresses = new long[0];
  private int count;
  private long bytes;

  Memtable(RowType rowType, MergeRules rules, MemoryPool memory) {
    this.columnCount = rowType.size();
    this.engine = rules.engine(rowType);
    this.memory = memory;
  }

  /** Records held, several of one key counted each. */
  int count() {
    return count;
  }

  /** Bytes of pages and index. */
  long bytes() {
    return bytes;
  }

  void add(BinaryRow row, long sequenceNumber) {
    int length = row.length();
    byte[] page = pageFor(HEADER_BYTES + length);
    int at = pageEnd;
    LONG.set(page, at, sequenceNumber);
    INT.set(page, at + Long.BYTES, length);
    System.arraycopy(row.array(), row.offset(), page, at + HEADER_BYTES, length);
    pageEnd = at + HEADER_BYTES + length;
    if (count == prefixes.length) {
      growIndex();
    }
    prefixes[count] = engine.prefix().of(row);
    addresses[count] = (long) (pages.size() - 1) << 32 | at;
    count++;
  }

  private byte[] pageFor(int recordBytes) {
    if (!pages.isEmpty()) {
      byte[] last = pages.get(pages.size() - 1);
      if (last.length - pageEnd >= recordBytes) {
        return last;
      }
    }
    int doubled = (int) Math.max(PAGE_BYTES_MIN, Math.min(PAGE_BYTES_MAX, bytes));
    byte[] page = new byte[Math.max(doubled, recordBytes)];
    pages.add(page);
    pageEnd = 0;
    take(page.length);
    return page;
  }

  private void growIndex() {
    int capacity = Math.max(INDEX_MIN, prefixes.length + (prefixes.length >> 1));
    take((long) (capacity - prefixes.length) * INDEX_BYTES);
    prefixes = Arrays.copyOf(prefixes, capacity);
    addresses = Arrays.copyOf(addresses, capacity);
  }

  private void take(long more) {
    bytes += more;
    memory.reserve(more);
  }

  /** Forgets all records and gives their memory back. */
  void clear() {
    pages.clear();
    // It may still point to the records of the last key, and so to pages that are given back.
    engine.function().reset();
    pageEnd = 0;
    prefixes = new long[0];
    addresses = new long[0];
    count = 0;
    memory.release(bytes);
    bytes = 0;
  }

  /** Whether the values of {@link #sorted} are those of its records, none is computed. */
  boolean keepsValues() {
    return engine.function().keepsValues();
  }

  /** The records sorted and merged per key; good until the next {@link #add}. */
  KeyValueReader sorted() {
    long[] sortedPrefixes = Arrays.copyOf(prefixes, count);
    Record left = new Record();
    Record right = new Record();
    int[] order =
        KeySort.sort(
            sortedPrefixes,
            count,
            (a, b) -> {
              left.moveTo(addresses[a]);
              right.moveTo(addresses[b]);
              if (!engine.prefix().decisive()) {
                int byKey = engine.keys().compare(left.row, right.row);
                if (byKey != 0) {
                  return byKey;
                }
              }
              int byAge = engine.order().compare(left, right);
              return byAge != 0 ? byAge : Integer.compare(a, b);
            });
    return new Reader(sortedPrefixes, inOrder(order));
  }

  private long[] inOrder(int[] order) {
    long[] sorted = new long[order.length];
    for (int i = 0; i < order.length; i++) {
      sorted[i] = addresses[order[i]];
    }
    return sorted;
  }

  /** A movable view of one record. */
  private final class Record implements KeyValue {

    private final BinaryRow row = new BinaryRow(columnCount);
    private long sequenceNumber;

    void moveTo(long address) {
      byte[] page = pages.get((int) (address >>> 32));
      int at = (int) address;
      sequenceNumber = (long) LONG.get(page, at);
      row.pointTo(page, at + HEADER_BYTES, (int) INT.get(page, at + Long.BYTES));
    }

    @Override
    public long sequenceNumber() {
      return sequenceNumber;
    }

    @Override
    public RowKind kind() {
      return row.kind();
    }

    @Override
    public Row row() {
      return row;
    }
  }

  /** Walks the sorted records, merging those of one key. */
  private final class Reader implements KeyValueReader {

    private final long[] sortedPrefixes;
    private final long[] sortedAddresses;
    private final byte[][] pageArray = pages.toArray(new byte[0][]);
    private final Record single = new Record();
    private final Record probe = new Record();
    private final @Nullable Record[] views = new Record[REUSED_VIEWS];
    private int next;
    private int touched;
    private int touchedBytes;
    private final boolean newestStands = engine.function().newestStands();
    private @Nullable KeyValue current;

    Reader(long[] sortedPrefixes, long[] sortedAddresses) {
      this.sortedPrefixes = sortedPrefixes;
      this.sortedAddresses = sortedAddresses;
    }

    /**
     * Looks at the records to come, many at once: sorted records lie all over the pages, and a
     * processor waits for several cache misses together as long as for one.
     */
    private void touchAhead() {
      int end = Math.min(sortedAddresses.length, next + TOUCH_AHEAD);
      int sum = 0;
      for (int i = next; i < end; i++) {
        byte[] page = pageArray[(int) (sortedAddresses[i] >>> 32)];
        int at = (int) sortedAddresses[i];
        int last = page.length - 1;
        sum += page[at];
        sum += page[Math.min(at + CACHE_LINE, last)];
        sum += page[Math.min(at + 2 * CACHE_LINE, last)];
      }
      touchedBytes += sum;
      touched = end;
    }

    @Override
    public boolean advance() {
      current = null;
      while (current == null && next < sortedAddresses.length) {
        if (next >= touched) {
          touchAhead();
        }
        int from = next;
        next = endOfKey(from);
        if (next - from == 1 || newestStands) {
          single.moveTo(sortedAddresses[next - 1]);
          current = single;
        } else {
          current = merge(from, next);
        }
      }
      return current != null;
    }

    private int endOfKey(int from) {
      int end = from + 1;
      if (end == sortedAddresses.length || sortedPrefixes[end] != sortedPrefixes[from]) {
        return end;
      }
      boolean decisive = engine.prefix().decisive();
      single.moveTo(sortedAddresses[from]);
      while (end < sortedAddresses.length && sortedPrefixes[end] == sortedPrefixes[from]) {
        if (!decisive) {
          probe.moveTo(sortedAddresses[end]);
          if (engine.keys().compare(single.row, probe.row) != 0) {
            break;
          }
        }
        end++;
      }
      return end;
    }

    /**
     * Merges the records of one key. The views of the first ones are used again for the next key;
     * of a key with a million records there are as many short-lived views.
     */
    private @Nullable KeyValue merge(int from, int to) {
      MergeFunction function = engine.function();
      function.reset();
      for (int i = from; i < to; i++) {
        Record record = i - from < views.length ? view(i - from) : new Record();
        record.moveTo(sortedAddresses[i]);
        function.add(record);
      }
      return function.result();
    }

    private Record view(int index) {
      Record record = views[index];
      if (record == null) {
        record = new Record();
        views[index] = record;
      }
      return record;
    }

    private KeyValue current() {
      if (current == null) {
        throw new IllegalStateException("There is no current record");
      }
      return current;
    }

    @Override
    public long sequenceNumber() {
      return current().sequenceNumber();
    }

    @Override
    public RowKind kind() {
      return current().kind();
    }

    @Override
    public Row row() {
      return current().row();
    }

    @Override
    public void close() {}
  }
}
