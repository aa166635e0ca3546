package io.sluice.replicator.values;

import io.sluice.evolution.SourceTableId;

/** Hears of values that went by a policy. Thread safe; called for every such value: quick. */
public interface ValueListener {

  /** A zero or partial date became null. */
  void zeroDate(SourceTableId table, String column);
}
