package io.sluice.replicator.backfill;

import io.sluice.evolution.SourceColumn;
import io.sluice.evolution.SourceTableId;
import io.sluice.replicator.backfill.BackfillProgress.State;
import io.sluice.replicator.values.ValueEncoder;
import io.sluice.replicator.values.ValueEncoders;
import io.sluice.sinks.ChunkOutdatedException;
import io.sluice.sinks.KeyStretch;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.StringJoiner;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * One table's copy: what is to do, who does it, how it is told. The key space is a list of segments
 * in the server's order; a reader cuts a chunk off the first one that nobody works at, and a done
 * chunk leaves the list. What is written down as to do is the list with neighbours joined.
 *
 * <p>Thread safety: methods hold the table's monitor, also over a short query that finds a chunk's
 * end: readers of one table cut one after another. Only {@link #done} may wait for the pipeline,
 * and does it without the monitor.
 */
final class TableCopy {

  static final int CHUNK_ROWS_MIN = 64;

  /** A stretch of keys; identity counts. */
  static final class Segment {
    final KeyRange range;
    boolean taken;

    Segment(KeyRange range) {
      this.range = range;
    }
  }

  /** A chunk to read: all that its reader needs, for one version of the table's schemas. */
  record Work(
      TableCopy copy, CopiedTable.Version version, Segment segment, RowPlan plan, ChunkSql sql) {}

  /**
   * How a SELECT's columns become fields: field i is written by encoders[i], from the next column
   * of the result, or is null.
   */
  record RowPlan(String selectList, @Nullable ValueEncoder[] encoders) {}

  private final ValueEncoders compiler;
  private final AtomicLong rows = new AtomicLong();
  private final CopiedTable copied;
  private CopiedTable.Version table;
  private State state;
  private List<String> savedKey;
  private @Nullable KeyStretch within;
  private final List<Segment> segments = new ArrayList<>();
  private long estimate;
  private int chunkRows;
  private @Nullable RowPlan plan;
  private @Nullable ChunkSql sql;
  private @Nullable ChunkCutter cutter;
  private @Nullable String trouble;
  private long notBeforeNanos = Long.MIN_VALUE;
  private int failures;
  private long version;
  private @Nullable BinlogEnd settleAt;

  /** Serialises {@link #done}: taken before the monitor, never inside it. */
  private final ReentrantLock storing = new ReentrantLock();

  TableCopy(
      ValueEncoders compiler,
      int chunkRows,
      CopiedTable copied,
      CopiedTable.Version table,
      BackfillProgress saved) {
    this.compiler = compiler;
    this.copied = copied;
    this.chunkRows = chunkRows;
    this.table = table;
    this.state = saved.state();
    this.savedKey = saved.key();
    adopt(saved);
  }

  private void adopt(BackfillProgress saved) {
    segments.clear();
    savedKey = saved.key();
    rows.set(saved.rows());
    estimate = saved.estimate();
    within = saved.within();
    switch (saved.state()) {
      case PENDING, AGAIN -> startOver(within);
      case COPYING -> {
        state = State.COPYING;
        saved.todo().forEach(range -> segments.add(new Segment(range)));
        if (segments.isEmpty()) {
          state = State.COPIED;
        }
      }
      case COPIED, CONSISTENT -> state = saved.state();
    }
  }

  private void startOver(@Nullable KeyStretch keys) {
    within = keys;
    segments.clear();
    segments.add(new Segment(keys == null ? KeyRange.ALL : KeyRange.of(keys)));
    rows.set(0);
    estimate = 0;
    savedKey = List.of();
    state = State.PENDING;
    cutter = null;
    changed();
  }

  /** What was read of the binlog's end before says nothing about what will be read now. */
  private void changed() {
    version++;
    settleAt = null;
  }

  CopiedTable copied() {
    return copied;
  }

  private SourceTableId id() {
    return copied.source();
  }

  /** The table that its rows go to, by the name that the pipeline knows it by. */
  synchronized SourceTableId into() {
    return table.target().source().id();
  }

  synchronized CopiedTable.Version version() {
    return table;
  }

  synchronized State state() {
    return state;
  }

  /**
   * The table has new schemas, or was emptied: chunks of the older are refused from now on.
   *
   * @param saved the pipeline's word: AGAIN demands all rows once more
   */
  synchronized void refresh(CopiedTable.Version now, BackfillProgress saved) {
    if (now.generation() == table.generation()) {
      return;
    }
    table = now;
    plan = null;
    sql = null;
    cutter = null;
    notBeforeNanos = Long.MIN_VALUE;
    changed();
    if (saved.state() == State.AGAIN) {
      startOver(saved.within());
    }
  }

  /**
   * Nothing is left of what was to be copied; what comes, comes by the stream. Says false, and does
   * nothing, if the table has gone on since {@code at}.
   */
  synchronized boolean emptied(CopiedTable.Version at) {
    if (at.generation() != table.generation()) {
      return false;
    }
    segments.clear();
    state = State.COPIED;
    changed();
    return true;
  }

  /** Names what all chunks being done means just now; -1 if they are not, or the end is known. */
  synchronized long unsettledVersion() {
    return state == State.COPIED && settleAt == null ? version : -1;
  }

  /** The binlog's end, read after {@link #unsettledVersion} gave {@code at}. */
  synchronized void settleAt(long at, BinlogEnd end) {
    if (at == version && state == State.COPIED) {
      settleAt = end;
    }
  }

  synchronized Optional<BinlogEnd> settleAt() {
    return state == State.COPIED ? Optional.ofNullable(settleAt) : Optional.empty();
  }

  synchronized void consistent() {
    if (state == State.COPIED) {
      state = State.CONSISTENT;
    }
  }

  /** Whether a rest that it was given is over. */
  synchronized boolean hasRested(long nowNanos) {
    return notBeforeNanos == Long.MIN_VALUE || nowNanos - notBeforeNanos >= 0;
  }

  /** Whether a reader may ask for work now; else it looks elsewhere first. */
  synchronized boolean hasWork(long nowNanos) {
    return hasRested(nowNanos) && segments.stream().anyMatch(segment -> !segment.taken);
  }

  /** Cuts the next chunk; empty if there is none to take. */
  synchronized Optional<Work> take(Connection connection) throws SQLException {
    Segment whole = segments.stream().filter(s -> !s.taken).findFirst().orElse(null);
    if (whole == null) {
      return Optional.empty();
    }
    RowPlan rowPlan = plan;
    ChunkSql chunkSql = sql;
    ChunkCutter cut = cutter;
    if (rowPlan == null || chunkSql == null || cut == null) {
      List<SourceColumn> live = LiveTable.columns(connection, id());
      Optional<String> difference =
          LiveTable.difference(compiler.flavor(), table.definition(), live);
      if (difference.isPresent()) {
        throw new TableAheadException(difference.get());
      }
      rowPlan = planRow();
      chunkSql = new ChunkSql(id(), keyColumns(live));
      cut = ChunkCutter.survey(connection, chunkSql);
      if (estimate == 0 && within == null) {
        estimate = cut.estimate();
      }
      plan = rowPlan;
      sql = chunkSql;
      cutter = cut;
      checkSavedKey(chunkSql);
      whole = segments.stream().filter(s -> !s.taken).findFirst().orElse(whole);
    }
    Segment chunk = whole;
    List<String> boundary = cut.boundary(connection, whole.range, chunkRows);
    if (boundary != null) {
      chunk = new Segment(new KeyRange(whole.range.from(), boundary));
      int at = segments.indexOf(whole);
      segments.set(at, chunk);
      segments.add(at + 1, new Segment(new KeyRange(boundary, whole.range.to())));
    }
    chunk.taken = true;
    if (state == State.PENDING || state == State.AGAIN) {
      state = State.COPYING;
    }
    return Optional.of(new Work(this, table, chunk, rowPlan, chunkSql));
  }

  /** Bounds of another key (it was changed while we were away) mean nothing: begin anew. */
  private void checkSavedKey(ChunkSql chunkSql) {
    List<String> names = chunkSql.keys().stream().map(KeyColumn::name).toList();
    boolean bounded =
        segments.stream().anyMatch(s -> s.range.from() != null || s.range.to() != null);
    KeyStretch keys = within;
    // A stretch that no chunk was cut off yet has no other key's bounds.
    boolean known =
        savedKey.isEmpty() && keys != null ? begins(names, keys) : savedKey.equals(names);
    if (bounded && !known && segments.stream().noneMatch(s -> s.taken)) {
      ChunkCutter keep = cutter;
      startOver(keys != null && begins(names, keys) ? keys : null);
      cutter = keep;
    }
    savedKey = names;
  }

  private static boolean begins(List<String> key, KeyStretch keys) {
    return !key.isEmpty() && key.get(0).equals(keys.column());
  }

  private List<KeyColumn> keyColumns(List<SourceColumn> live) {
    List<KeyColumn> keys = new ArrayList<>();
    for (String name : table.definition().primaryKey()) {
      live.stream()
          .filter(column -> column.name().equalsIgnoreCase(name))
          .findFirst()
          .ifPresent(column -> keys.add(KeyColumn.of(column)));
    }
    return keys;
  }

  private RowPlan planRow() {
    @Nullable ValueEncoder[] encoders = new ValueEncoder[table.fillers().size()];
    StringJoiner list = new StringJoiner(", ");
    for (int i = 0; i < encoders.length; i++) {
      SourceColumn column = table.fillers().get(i);
      if (column != null) {
        encoders[i] = compiler.compile(id(), column, table.field(i));
        list.add(compiler.selectExpression(column));
      }
    }
    return new RowPlan(list.toString(), encoders);
  }

  /** Puts a chunk back that was not read to its end. */
  synchronized void giveBack(Segment segment) {
    segment.taken = false;
  }

  /** Lets the table rest; says why. Returns how often that was in a row. */
  synchronized int rest(String why, long notBefore) {
    trouble = why;
    notBeforeNanos = notBefore;
    return failures;
  }

  /** One failure more, in a row since the last chunk that was done. */
  synchronized int failed() {
    return ++failures;
  }

  /** Chunks are to be smaller from now on; false if they can't be. */
  synchronized boolean shrink() {
    if (chunkRows <= CHUNK_ROWS_MIN) {
      return false;
    }
    chunkRows = Math.max(CHUNK_ROWS_MIN, chunkRows / 2);
    return true;
  }

  /**
   * Hands the progress with this chunk done to {@code store}, and takes the chunk for done if that
   * returns. One after another, so that each progress holds those before it.
   */
  void done(Segment segment, long chunkRowCount, ProgressStore store)
      throws ChunkOutdatedException, InterruptedException {
    storing.lockInterruptibly();
    try {
      BackfillProgress progress;
      synchronized (this) {
        // Not there: the copy began anew meanwhile; the rows do no harm, and count for nothing.
        progress =
            segments.contains(segment)
                ? progressWithout(segment, chunkRowCount)
                : progressWithout(null, 0);
      }
      store.store(progress);
      synchronized (this) {
        if (segments.remove(segment)) {
          rows.addAndGet(chunkRowCount);
        }
        trouble = null;
        failures = 0;
        if (segments.isEmpty() && state == State.COPYING) {
          state = State.COPIED;
        }
      }
    } finally {
      storing.unlock();
    }
  }

  /** Takes a progress; throws if it was not taken. */
  interface ProgressStore {
    void store(BackfillProgress progress) throws ChunkOutdatedException, InterruptedException;
  }

  synchronized BackfillProgress progress() {
    return progressWithout(null, 0);
  }

  private BackfillProgress progressWithout(@Nullable Segment done, long more) {
    List<KeyRange> todo = new ArrayList<>();
    for (Segment segment : segments) {
      if (segment == done) {
        continue;
      }
      KeyRange last = todo.isEmpty() ? null : todo.get(todo.size() - 1);
      List<String> from = segment.range.from();
      if (last != null && from != null && from.equals(last.to())) {
        todo.set(todo.size() - 1, new KeyRange(last.from(), segment.range.to()));
      } else {
        todo.add(segment.range);
      }
    }
    State told = state;
    if (state == State.COPYING && todo.isEmpty()) {
      told = State.COPIED;
    }
    return new BackfillProgress(told, savedKey, todo, rows.get() + more, estimate, within);
  }

  /** The keys that are copied; null: all. */
  synchronized @Nullable KeyStretch within() {
    return within;
  }

  synchronized Optional<String> trouble() {
    return Optional.ofNullable(trouble);
  }
}
