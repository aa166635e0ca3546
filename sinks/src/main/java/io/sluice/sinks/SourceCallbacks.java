package io.sluice.sinks;

import io.sluice.evolution.SourceTableId;
import java.util.List;
import java.util.Optional;

/** What the pipeline asks of its source. Called under the pipeline's lock: quick, no calls back. */
public interface SourceCallbacks {

  /** Where a source table goes; empty: not captured. Pure. */
  Optional<TableTarget> target(SourceTableId table);

  /**
   * Everything of which any event has been handed to {@link ChangeInput} so far, in the source's
   * own words (a GTID set, a binlog position): the D of the backfill's read point.
   */
  String deliveredMark();

  /** The same history in as few records as recovery needs. Pure. */
  List<String> foldHistory(List<String> history);
}
