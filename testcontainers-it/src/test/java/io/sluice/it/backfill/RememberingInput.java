package io.sluice.it.backfill;

import io.sluice.evolution.SourceTableId;
import io.sluice.lsm.binary.BinaryRow;
import io.sluice.sinks.BackfillInput;
import io.sluice.sinks.ChunkOutdatedException;
import io.sluice.sinks.RoutedTable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/**
 * A pipeline that keeps what it is given: rows of done chunks, progress, the newest generations.
 */
final class RememberingInput implements BackfillInput {

  /** What a test does at a chunk's n-th row, or at its end (-1). */
  interface Interference {
    void at(RoutedTable table, long chunk, long row)
        throws ChunkOutdatedException, InterruptedException;
  }

  private final Map<SourceTableId, RoutedTable> tables = new HashMap<>();
  private final Map<SourceTableId, List<BinaryRow>> rows = new HashMap<>();
  private final Map<SourceTableId, String> progress = new HashMap<>();
  private final Supplier<String> delivered;
  private final AtomicLong numbers = new AtomicLong();
  final AtomicInteger chunksDone = new AtomicInteger();
  final AtomicInteger chunksAbandoned = new AtomicInteger();
  volatile Interference interference = (table, chunk, row) -> {};

  RememberingInput(Supplier<String> delivered) {
    this.delivered = delivered;
  }

  synchronized void route(RoutedTable table) {
    tables.put(table.source().id(), table);
  }

  synchronized Optional<RoutedTable> routed(SourceTableId id) {
    return Optional.ofNullable(tables.get(id));
  }

  synchronized List<BinaryRow> rows(SourceTableId id) {
    return List.copyOf(rows.getOrDefault(id, List.of()));
  }

  synchronized Set<BinaryRow> distinct(SourceTableId id) {
    return new HashSet<>(rows(id));
  }

  synchronized void setProgress(SourceTableId id, String text) {
    progress.put(id, text);
  }

  @Override
  public Chunk openChunk(RoutedTable table) {
    return new Kept(table, numbers.incrementAndGet(), delivered.get());
  }

  @Override
  public synchronized boolean progress(RoutedTable table, String text) {
    if (!current(table)) {
      return false;
    }
    progress.put(table.source().id(), text);
    return true;
  }

  @Override
  public synchronized Map<SourceTableId, String> progress() {
    return Map.copyOf(progress);
  }

  private boolean current(RoutedTable table) {
    RoutedTable now = tables.get(table.source().id());
    return now != null && now.generation() == table.generation();
  }

  private final class Kept implements Chunk {
    private final RoutedTable table;
    private final long number;
    private final String mark;
    private final List<BinaryRow> kept = new ArrayList<>();

    Kept(RoutedTable table, long number, String mark) {
      this.table = table;
      this.number = number;
      this.mark = mark;
    }

    @Override
    public long readNumber() {
      return number;
    }

    @Override
    public String delivered() {
      return mark;
    }

    @Override
    public RoutedTable table() {
      return table;
    }

    @Override
    public void row(BinaryRow row) throws ChunkOutdatedException, InterruptedException {
      interference.at(table, number, kept.size());
      kept.add(row.copy());
    }

    @Override
    public void done(String text) throws ChunkOutdatedException, InterruptedException {
      interference.at(table, number, -1);
      synchronized (RememberingInput.this) {
        if (!current(table)) {
          throw new ChunkOutdatedException(
              ChunkOutdatedException.Cause.ALTERED, table.source().id() + " was altered");
        }
        rows.computeIfAbsent(table.source().id(), id -> new ArrayList<>()).addAll(kept);
        progress.put(table.source().id(), text);
      }
      chunksDone.incrementAndGet();
    }

    @Override
    public void abandon() {
      chunksAbandoned.incrementAndGet();
    }
  }
}
