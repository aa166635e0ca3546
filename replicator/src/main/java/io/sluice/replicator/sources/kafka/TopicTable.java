package io.sluice.replicator.sources.kafka;

import io.sluice.evolution.SourceTable;
import io.sluice.evolution.SourceTableId;
import io.sluice.evolution.TableKind;
import io.sluice.sinks.RoutedTable;
import io.sluice.sinks.TableTarget;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A table as messages have told it so far. Of the source's thread, but for {@link #target}, which
 * anybody may ask.
 */
final class TopicTable {

  private final SourceTableId id;
  private volatile TableTarget target;
  private @Nullable SourceTable definition;
  private @Nullable RoutedTable routed;

  /** A table of which nothing is known but its name. */
  TopicTable(SourceTableId id) {
    this.id = id;
    this.target =
        new TableTarget(
            id.database(),
            id.table(),
            1,
            "",
            List.of(),
            Map.of(),
            false,
            TableKind.GATHERED,
            TableTarget.Sharing.ALONE);
  }

  SourceTableId id() {
    return id;
  }

  TableTarget target() {
    return target;
  }

  void aim(TableTarget newTarget) {
    target = newTarget;
  }

  /** Null before the first message. */
  @Nullable SourceTable definition() {
    return definition;
  }

  /** Null before the first message, and for a table that is parked. */
  @Nullable RoutedTable routed() {
    return routed;
  }

  void become(@Nullable SourceTable newDefinition, @Nullable RoutedTable newRouted) {
    definition = newDefinition;
    routed = newRouted;
  }
}
