package io.sluice.replicator.wide.tables;

import io.sluice.config.WidePart;
import io.sluice.evolution.SourceColumn;
import io.sluice.evolution.SourceTable;
import io.sluice.evolution.SourceTableId;
import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.schema.RowType;
import io.sluice.replicator.backfill.BackfillProgress;
import io.sluice.replicator.backfill.CopiedTable;
import io.sluice.replicator.wide.WideColumns;
import io.sluice.sinks.BackfillInput;
import io.sluice.sinks.ChunkOutdatedException;
import io.sluice.sinks.KeyStretch;
import io.sluice.sinks.RoutedTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A source table as one part of a wide table. A row fills the part's columns, all of them; rows
 * that were there before are numbered as their chunk is, so that whatever the stream has delivered
 * since is newer. Thread safe.
 */
public final class TablePart implements CopiedTable {

  private final WideColumns wide;
  private final WidePart part;
  private final SourceTableId source;
  private final BackfillInput input;
  private final Function<SourceTableId, Optional<RoutedTable>> routed;

  /** Of the wide table: its parts' progress is one text. */
  private final ReentrantLock storing;

  private final String columns;
  private volatile @Nullable Version version;

  /**
   * @param routed the wide table's newest routing; empty when it is parked
   * @param storing held while the progress of the wide table is stored
   */
  TablePart(
      WideColumns wide,
      WidePart part,
      SourceTableId source,
      BackfillInput input,
      Function<SourceTableId, Optional<RoutedTable>> routed,
      ReentrantLock storing) {
    this.wide = wide;
    this.part = part;
    this.source = source;
    this.input = input;
    this.routed = routed;
    this.storing = storing;
    this.columns =
        WideColumns.fields(part).entrySet().stream()
            .map(each -> each.getKey() + "=" + each.getValue())
            .collect(Collectors.joining(","));
  }

  public WidePart part() {
    return part;
  }

  @Override
  public SourceTableId source() {
    return source;
  }

  @Override
  public Optional<Version> now() {
    return routed.apply(wide.id()).isEmpty() ? Optional.empty() : Optional.ofNullable(version);
  }

  /** The wide table is parked, or the source table is gone. */
  void end() {
    version = null;
  }

  /**
   * From here on rows are written for these definitions.
   *
   * @param definition the columns that the part takes, and the key
   */
  Version become(SourceTable definition, RoutedTable target, long generation) {
    RowType row = target.lakeSchema().rowType();
    Map<String, String> fields = WideColumns.fields(part);
    List<@Nullable SourceColumn> fillers = new ArrayList<>();
    List<Integer> key = new ArrayList<>();
    List<Integer> needed = new ArrayList<>();
    for (int i = 0; i < row.size(); i++) {
      String name = row.field(i).name();
      String from = fields.get(name);
      fillers.add(from == null ? null : column(definition, from));
      if (wide.rule().primaryKey().contains(name)) {
        key.add(i);
      } else if (part.fieldColumns().contains(name)) {
        needed.add(i);
      }
    }
    Version now =
        new Version(
            definition,
            target,
            fillers,
            generation,
            new RowRule(row.position(part.counterColumn()), key, needed));
    version = now;
    return now;
  }

  private static SourceColumn column(SourceTable table, String name) {
    return table.columns().stream()
        .filter(column -> column.name().equals(name))
        .findFirst()
        .orElseThrow(() -> new IllegalStateException(table.id() + " has no column " + name));
  }

  private String copy() {
    return part.name() + " of " + source;
  }

  @Override
  public BackfillProgress progress() {
    return PartsProgress.of(input.progress().get(wide.id()), copy(), columns);
  }

  @Override
  public BackfillInput.Chunk openChunk(Version at) {
    return new PartChunk(input.openChunk(at.target()));
  }

  @Override
  public boolean progress(Version at, String progress) {
    storing.lock();
    try {
      return input.progress(at.target(), withOthers(progress));
    } finally {
      storing.unlock();
    }
  }

  private String withOthers(String progress) {
    return PartsProgress.with(input.progress().get(wide.id()), copy(), columns, progress);
  }

  @Override
  public boolean park(String reason) {
    return input.park(wide.id(), "Part " + copy() + ": " + reason);
  }

  @Override
  public boolean mustSweep() {
    return false;
  }

  @Override
  public long sweep(Version at, @Nullable KeyStretch keys) {
    throw new UnsupportedOperationException("sweep of " + this);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof TablePart that
        && wide.id().equals(that.wide.id())
        && copy().equals(that.copy());
  }

  @Override
  public int hashCode() {
    return copy().hashCode();
  }

  @Override
  public String toString() {
    return source + " (part " + part.name() + " of " + wide.id() + ")";
  }

  /** One chunk's rows, and the wide table's progress at their end. */
  private final class PartChunk implements BackfillInput.Chunk {
    private final BackfillInput.Chunk chunk;

    PartChunk(BackfillInput.Chunk chunk) {
      this.chunk = chunk;
    }

    @Override
    public long readNumber() {
      return chunk.readNumber();
    }

    @Override
    public String delivered() {
      return chunk.delivered();
    }

    @Override
    public RoutedTable table() {
      return chunk.table();
    }

    @Override
    public void row(BinaryRow row) throws ChunkOutdatedException, InterruptedException {
      chunk.row(row);
    }

    @Override
    public void done(String progress) throws ChunkOutdatedException, InterruptedException {
      storing.lockInterruptibly();
      try {
        chunk.done(withOthers(progress));
      } finally {
        storing.unlock();
      }
    }

    @Override
    public void abandon() {
      chunk.abandon();
    }
  }
}
