package io.sluice.replicator.sources.kafka;

import io.sluice.lsm.binary.BinaryRow;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Rows of one message, copied, until all of it has been read. Used again for the next. */
final class PendingRows {

  /** Beyond, the room of a large message is given back. */
  private static final int KEPT_BYTES_MAX = 4 << 20;

  private final List<TopicTable> tables = new ArrayList<>();
  private final List<BinaryRow> views = new ArrayList<>();
  private long[] micros = new long[4];
  private int[] ends = new int[4];
  private byte[] bytes = new byte[1024];
  private int end;

  /** Takes the rows in their order. */
  interface Consumer {
    /** The row is a view, good for this call. */
    void row(TopicTable table, BinaryRow row, long sourceTimeMicros);
  }

  void clear() {
    tables.clear();
    end = 0;
    if (bytes.length > KEPT_BYTES_MAX) {
      bytes = new byte[1024];
    }
  }

  boolean isEmpty() {
    return tables.isEmpty();
  }

  int size() {
    return tables.size();
  }

  void add(TopicTable table, BinaryRow row, long sourceTimeMicros) {
    int count = tables.size();
    int needed = Math.addExact(end, row.length());
    if (needed > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(needed, 2 * bytes.length));
    }
    System.arraycopy(row.array(), row.offset(), bytes, end, row.length());
    end = needed;
    if (count == ends.length) {
      micros = Arrays.copyOf(micros, 2 * count);
      ends = Arrays.copyOf(ends, 2 * count);
    }
    micros[count] = sourceTimeMicros;
    ends[count] = end;
    if (views.size() <= count || views.get(count).size() != row.size()) {
      BinaryRow view = new BinaryRow(row.size());
      if (views.size() <= count) {
        views.add(view);
      } else {
        views.set(count, view);
      }
    }
    tables.add(table);
  }

  void forEach(Consumer consumer) {
    int start = 0;
    for (int i = 0; i < tables.size(); i++) {
      BinaryRow view = views.get(i);
      view.pointTo(bytes, start, ends[i] - start);
      consumer.row(tables.get(i), view, micros[i]);
      start = ends[i];
    }
  }
}
