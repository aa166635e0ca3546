package io.sluice.sinks.pipeline;

import io.sluice.evolution.SourceTable;
import io.sluice.evolution.SourceTableId;
import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.schema.TableSchema;
import io.sluice.lsm.write.BucketAssigner;
import io.sluice.sinks.ChunkOutdatedException.Cause;
import io.sluice.sinks.RoutedTable;
import io.sluice.sinks.epoch.LakeTable;
import io.sluice.sinks.shard.Bucket;
import io.sluice.sinks.shard.SinkTable;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** What the router knows of one captured table. All of it under the router's lock. */
final class TableState {

  private static final long NOTHING_PENDING = Long.MAX_VALUE;

  private final SourceTableId source;
  private final LakeTable lake;
  private final SinkTable sink;
  private RoutedTable routed;
  private BucketAssigner assigner;
  private long lastTruncate = -1;

  /** Schemas that the epoch now gathered creates. */
  private List<TableSchema> newSchemas = new ArrayList<>();

  private boolean truncated;
  private boolean parked;

  /** Whether the epoch now gathered is the first after the table was parked. */
  private boolean broughtBack;

  /** And which epoch it was found to have then; -1: none. */
  private OptionalLong standsAt = OptionalLong.empty();

  /** Whether the epoch now gathered has anything of this table. */
  private boolean gathered;

  // Commit times at the source, epoch microseconds, of the oldest change in each stage.
  private long oldestGathering = NOTHING_PENDING;
  private long oldestCommitting = NOTHING_PENDING;

  private long inserts;
  private long updates;
  private long deletes;
  private long backfillRows;
  private long snapshotId;

  TableState(LakeTable lake, SinkTable sink, RoutedTable routed) {
    this.source = routed.source().id();
    this.lake = lake;
    this.sink = sink;
    this.routed = routed;
    this.assigner = new BucketAssigner(routed.lakeSchema());
  }

  SourceTableId source() {
    return source;
  }

  LakeTable lake() {
    return lake;
  }

  SinkTable sink() {
    return sink;
  }

  RoutedTable routed() {
    return routed;
  }

  /** The table in its new shape: another definition, perhaps another schema. */
  RoutedTable alter(SourceTable definition, TableSchema schema) {
    if (schema.id() != routed.lakeSchema().id()) {
      assigner = new BucketAssigner(schema);
      newSchemas.add(schema);
    }
    routed = new RoutedTable(definition, routed.lakeTable(), schema, routed.generation() + 1);
    sink.openChunks().forEach(chunk -> chunk.outdate(Cause.ALTERED));
    return routed;
  }

  /** The epoch now gathered is the first after the table was parked. */
  void broughtBack() {
    broughtBack = true;
  }

  /**
   * The epoch now gathered is the first after the table was left behind, and it goes on from this
   * epoch, which it was found to have; -1: it has none.
   */
  void goesOnFrom(long epoch) {
    standsAt = OptionalLong.of(epoch);
  }

  /** The epoch now gathered creates the table. */
  void create() {
    newSchemas.add(routed.lakeSchema());
  }

  /** The next generation with nothing else changed: chunks of the older are over. */
  RoutedTable again() {
    routed =
        new RoutedTable(
            routed.source(), routed.lakeTable(), routed.lakeSchema(), routed.generation() + 1);
    sink.openChunks().forEach(chunk -> chunk.outdate(Cause.ALTERED));
    return routed;
  }

  RoutedTable truncate(long sourceTimeMicros) {
    truncated = true;
    oldestGathering = Math.min(oldestGathering, sourceTimeMicros);
    routed =
        new RoutedTable(
            routed.source(), routed.lakeTable(), routed.lakeSchema(), routed.generation() + 1);
    lastTruncate = routed.generation();
    sink.openChunks().forEach(chunk -> chunk.outdate(Cause.TRUNCATED));
    return routed;
  }

  /** It is left behind: what the epoch now gathered has of it is dropped, and all that comes. */
  void park() {
    parked = true;
    newSchemas.clear();
    truncated = false;
    oldestGathering = NOTHING_PENDING;
    sink.openChunks().forEach(chunk -> chunk.outdate(Cause.PARKED));
    sink.openChunks().clear();
  }

  boolean parked() {
    return parked;
  }

  /** Whether the epoch now gathered has anything of this table. */
  boolean gathered() {
    return gathered;
  }

  /** Whether no epoch holds the table yet: the one now gathered creates it. */
  boolean isNew() {
    return !newSchemas.isEmpty() && newSchemas.get(0).id() == 0;
  }

  /** Why a chunk of this version may not begin or go on; null if it may. */
  @Nullable Cause outdated(RoutedTable version) {
    if (parked) {
      return Cause.PARKED;
    }
    if (version.generation() < lastTruncate || truncated) {
      return Cause.TRUNCATED;
    }
    return version.generation() < routed.generation() ? Cause.ALTERED : null;
  }

  /** Counts a change and finds its bucket. */
  Bucket take(BinaryRow row, long sourceTimeMicros) {
    RowKind kind = row.kind();
    switch (kind) {
      case INSERT -> inserts++;
      case UPDATE_AFTER -> updates++;
      case DELETE -> deletes++;
      case UPDATE_BEFORE ->
          throw new IllegalArgumentException("A source sends no -U; table " + source);
    }
    if (sourceTimeMicros < oldestGathering) {
      oldestGathering = sourceTimeMicros;
    }
    return sink.bucket(assigner.partition(row), assigner.bucket(row));
  }

  void countBackfill(long rows) {
    backfillRows += rows;
  }

  /** Whether this is the first of the table in the epoch now gathered. */
  boolean firstGathered() {
    boolean first = !gathered;
    gathered = true;
    return first;
  }

  /** What the epoch has gathered of this table besides rows, and begins the next one. */
  Cut cut() {
    Cut cut = new Cut(this, List.copyOf(newSchemas), truncated, broughtBack, standsAt);
    broughtBack = false;
    standsAt = OptionalLong.empty();
    newSchemas = new ArrayList<>();
    truncated = false;
    gathered = false;
    oldestCommitting = Math.min(oldestCommitting, oldestGathering);
    oldestGathering = NOTHING_PENDING;
    return cut;
  }

  /** Its part of a cut. */
  record Cut(
      TableState table,
      List<TableSchema> schemas,
      boolean truncated,
      boolean broughtBack,
      OptionalLong standsAt) {
    boolean hasChange() {
      return truncated || !schemas.isEmpty();
    }
  }

  /** The epoch in commit has been finished. */
  void visible() {
    oldestCommitting = NOTHING_PENDING;
  }

  void snapshot(long id) {
    snapshotId = id;
  }

  long snapshotId() {
    return snapshotId;
  }

  /** Now minus commit time of the oldest change that no reader sees yet; 0 if there is none. */
  double freshnessSeconds(long nowMicros) {
    long oldest = Math.min(oldestCommitting, oldestGathering);
    return oldest == NOTHING_PENDING || oldest <= 0 ? 0 : Math.max(0, nowMicros - oldest) / 1e6;
  }

  long inserts() {
    return inserts;
  }

  long updates() {
    return updates;
  }

  long deletes() {
    return deletes;
  }

  long backfillRows() {
    return backfillRows;
  }
}
