package io.sluice.replicator.daemon;

import io.sluice.evolution.SourceTable;
import io.sluice.evolution.SourceTableId;
import io.sluice.lsm.binary.BinaryRow;
import io.sluice.sinks.ChangeInput;
import io.sluice.sinks.DeadLetter;
import io.sluice.sinks.Parked;
import io.sluice.sinks.PartCopy;
import io.sluice.sinks.RoutedTable;
import io.sluice.sinks.SourcePosition;
import io.sluice.sinks.TablePlace;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Hands everything on, and tells of captured tables and of the first place to cut at. */
final class ObservedInput implements ChangeInput {

  private final ChangeInput input;
  private final Consumer<RoutedTable> tableSeen;
  private final Runnable firstCut;
  private boolean cut;
  private volatile long newestChangeMicros;

  /**
   * @param tableSeen each captured table, when it is first known and after each change of it
   * @param firstCut once, when the definitions of all tables are known
   */
  ObservedInput(ChangeInput input, Consumer<RoutedTable> tableSeen, Runnable firstCut) {
    this.input = input;
    this.tableSeen = tableSeen;
    this.firstCut = firstCut;
  }

  /** Commit time at the source of the newest change, epoch microseconds; 0 if there was none. */
  long newestChangeMicros() {
    return newestChangeMicros;
  }

  @Override
  public Optional<RoutedTable> restoreTable(SourceTable definition) {
    Optional<RoutedTable> table = input.restoreTable(definition);
    table.ifPresent(tableSeen);
    return table;
  }

  @Override
  public Optional<RoutedTable> tableChanged(
      SourceTable definition, @Nullable String historyRecord) {
    Optional<RoutedTable> table = input.tableChanged(definition, historyRecord);
    table.ifPresent(tableSeen);
    return table;
  }

  @Override
  public void history(String historyRecord) {
    input.history(historyRecord);
  }

  @Override
  public void row(RoutedTable table, BinaryRow row, long sourceTimeMicros) {
    input.row(table, row, sourceTimeMicros);
  }

  @Override
  public long nextNumber() {
    return input.nextNumber();
  }

  @Override
  public void deadLetter(DeadLetter letter) {
    input.deadLetter(letter);
  }

  @Override
  public void deadLetterNow(DeadLetter letter, DeadLetter.State state, long sequence) {
    input.deadLetterNow(letter, state, sequence);
  }

  @Override
  public void replayedRow(RoutedTable table, BinaryRow row, long sourceTimeMicros, long sequence) {
    input.replayedRow(table, row, sourceTimeMicros, sequence);
  }

  @Override
  public RoutedTable truncate(RoutedTable table, long sourceTimeMicros) {
    return input.truncate(table, sourceTimeMicros);
  }

  @Override
  public void cutPoint(SourcePosition position, long sourceTimeMicros) {
    cutPoint(position, sourceTimeMicros, null);
  }

  @Override
  public void cutPoint(
      SourcePosition position, long sourceTimeMicros, @Nullable Long watermarkMillis) {
    input.cutPoint(position, sourceTimeMicros, watermarkMillis);
    newestChangeMicros = sourceTimeMicros;
    if (!cut) {
      cut = true;
      firstCut.run();
    }
  }

  @Override
  public boolean park(SourceTableId table, String reason) {
    return input.park(table, reason);
  }

  @Override
  public boolean parksTables() {
    return input.parksTables();
  }

  @Override
  public RoutedTable resync(SourceTable definition, @Nullable PartCopy part) {
    RoutedTable table = input.resync(definition, part);
    tableSeen.accept(table);
    return table;
  }

  @Override
  public Map<SourceTableId, Parked> parked() {
    return input.parked();
  }

  @Override
  public TablePlace place(SourceTableId table) {
    return input.place(table);
  }

  @Override
  public Optional<RoutedTable> catchUp(
      SourceTableId id, @Nullable SourceTable definition, TablePlace from) {
    Optional<RoutedTable> table = input.catchUp(id, definition, from);
    table.ifPresent(tableSeen);
    return table;
  }

  @Override
  public void caughtUpTo(SourceTableId table, SourcePosition position) {
    input.caughtUpTo(table, position);
  }

  @Override
  public void restate(SourceTableId table, SourcePosition before, SourcePosition now) {
    input.restate(table, before, now);
  }

  @Override
  public void join(SourceTableId table) {
    input.join(table);
  }

  @Override
  public boolean isParked(SourceTableId table) {
    return input.isParked(table);
  }

  @Override
  public Optional<RoutedTable> routed(SourceTableId id) {
    return input.routed(id);
  }
}
