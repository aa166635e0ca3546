package io.sluice.replicator.sources.debezium;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.evolution.SourceTableId;
import io.sluice.sinks.PipelineStoppedException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What one run of the engine shares with the classes that Debezium makes by name ({@link
 * RecoveredOffsetStore}, {@link EpochSchemaHistory} and the tasks). They find it by the property
 * {@link #PROPERTY}; this table of running engines is the one piece of static state, and {@link
 * #close} takes the entry out.
 *
 * <p>Thread safe: the binlog client's thread writes, the consumer's thread reads.
 */
final class EngineSession implements AutoCloseable {

  /** Engine property that holds {@link #id}. */
  static final String PROPERTY = "sluice.session";

  private static final Map<String, EngineSession> RUNNING = new ConcurrentHashMap<>();
  private static final AtomicLong NEXT = new AtomicLong();

  private final String id = "session-" + NEXT.incrementAndGet();
  private final @Nullable Map<String, Object> offset;
  private final List<String> history;
  private final Queue<JsonNode> storedRecords = new ConcurrentLinkedQueue<>();
  private final Set<String> standaloneGtids = ConcurrentHashMap.newKeySet();
  private final AtomicReference<@Nullable PipelineStoppedException> fault = new AtomicReference<>();
  private final AtomicLong binlogEvents = new AtomicLong();
  private final AtomicLong storedCount = new AtomicLong();
  private volatile @Nullable BinlogPoint serverIdleAt;
  private final Consumer<BinlogPoint> idleListener;
  private final Runnable eachPoll;
  private final Tables tables;

  /** By table; guarded by itself. */
  private final Map<SourceTableId, LostRows> lost = new LinkedHashMap<>();

  private volatile boolean anyLost;
  private volatile boolean connected;
  private volatile boolean closed;

  /** What the run's pipeline makes of tables. Asked by any thread. */
  interface Tables {
    /** Whether the table's changes count, when it isn't parked. */
    boolean isCaptured(SourceTableId table);

    boolean isParked(SourceTableId table);

    /** Whether a table that can't go on is left behind; else all stop. */
    boolean areParked();
  }

  /**
   * @param offset where to start; null: a new pipeline
   * @param history records to rebuild the schema from, exactly up to the offset
   * @param idleListener on the task thread, between two batches: everything in the binlog before
   *     this point has been consumed, and the point lies between transactions
   * @param eachPoll on the task thread, many times a second
   */
  private EngineSession(
      @Nullable Map<String, Object> offset,
      List<String> history,
      Consumer<BinlogPoint> idleListener,
      Runnable eachPoll,
      Tables tables) {
    this.offset = offset;
    this.history = List.copyOf(history);
    this.idleListener = idleListener;
    this.eachPoll = eachPoll;
    this.tables = tables;
  }

  static EngineSession open(
      @Nullable Map<String, Object> offset,
      List<String> history,
      Consumer<BinlogPoint> idleListener,
      Runnable eachPoll,
      Tables tables) {
    var session = new EngineSession(offset, history, idleListener, eachPoll, tables);
    RUNNING.put(session.id, session);
    return session;
  }

  static EngineSession of(@Nullable String id) {
    EngineSession session = id == null ? null : RUNNING.get(id);
    if (session == null) {
      throw new IllegalStateException(
          "No running source has the session '"
              + id
              + "'. Sluice's Debezium classes work only inside its own engine.");
    }
    return session;
  }

  String id() {
    return id;
  }

  @Nullable Map<String, Object> offset() {
    return offset;
  }

  /** Whether the first transaction that comes was committed before, and is passed over. */
  boolean repeatsATransaction() {
    return offset != null && offset.containsKey(BinlogPosition.EVENT);
  }

  List<String> history() {
    return history;
  }

  boolean isCaptured(SourceTableId table) {
    return tables.isCaptured(table);
  }

  boolean isParked(SourceTableId table) {
    return tables.isParked(table);
  }

  boolean parksTables() {
    return tables.areParked();
  }

  /**
   * Binlog thread, before anything behind these rows reaches the queue: the consumer looks before
   * each cut, so that nothing of the table behind them is ever committed.
   */
  void lost(LostRows rows) {
    synchronized (lost) {
      lost.merge(rows.table(), rows, LostRows::and);
      anyLost = true;
    }
  }

  /** Consumer: what was lost since the last call, one entry a table. */
  List<LostRows> takeLost() {
    if (!anyLost) {
      return List.of();
    }
    synchronized (lost) {
      List<LostRows> taken = List.copyOf(lost.values());
      lost.clear();
      anyLost = false;
      return taken;
    }
  }

  /** Binlog thread: Debezium has stored one more history record. */
  void historyStored(JsonNode record) {
    storedRecords.add(record);
    storedCount.incrementAndGet();
  }

  long storedCount() {
    return storedCount.get();
  }

  /** Consumer: the oldest stored record that has not been taken; null if there is none. */
  @Nullable JsonNode takeStored() {
    return storedRecords.poll();
  }

  /** Binlog thread: this MariaDB transaction is one statement without a commit event. */
  void standalone(String gtid) {
    standaloneGtids.add(gtid);
  }

  /** Consumer, once for each transaction. */
  boolean takeStandalone(String gtid) {
    return standaloneGtids.remove(gtid);
  }

  /** Binlog thread: the server has sent everything before this point. */
  void serverIdleAt(BinlogPoint point) {
    serverIdleAt = point;
  }

  /** Binlog thread, before anything behind the last idle point is queued. */
  void serverBusy() {
    serverIdleAt = null;
  }

  /**
   * Task thread, before it polls: all records polled earlier have been consumed. Tells the consumer
   * how far the stream has come if nothing waits in the queue either.
   */
  void beforePoll(BooleanSupplier queueIsEmpty) {
    eachPoll.run();
    // In this order: what the binlog thread queues after the point was noted doesn't matter.
    BinlogPoint point = serverIdleAt;
    if (point != null && queueIsEmpty.getAsBoolean()) {
      idleListener.accept(point);
    }
  }

  void eventSeen() {
    binlogEvents.incrementAndGet();
  }

  long eventsSeen() {
    return binlogEvents.get();
  }

  /**
   * Notes the first fault. It is set before anything behind it reaches the queue, and the consumer
   * looks at it before each cut: nothing behind a fault is ever committed.
   */
  void fail(PipelineStoppedException why) {
    fault.compareAndSet(null, why);
  }

  @Nullable PipelineStoppedException fault() {
    return fault.get();
  }

  void connected() {
    connected = true;
  }

  /** Whether the binlog connection was made: from then on events must come. */
  boolean isConnected() {
    return connected;
  }

  /** From now on a lost connection is what was asked for. */
  void markClosing() {
    closed = true;
  }

  boolean closed() {
    return closed;
  }

  @Override
  public void close() {
    markClosing();
    RUNNING.remove(id);
  }
}
