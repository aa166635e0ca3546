package io.sluice.lsm.merge;

import io.sluice.lsm.error.UnsupportedTableException;
import io.sluice.lsm.merge.DeduplicateMerge.Deletes;
import io.sluice.lsm.row.KeyValue;
import org.jspecify.annotations.Nullable;

/** The oldest record stands. There are no deletes, or they are ignored. */
public final class FirstRowMerge implements MergeFunction {

  private final Deletes deletes;
  private @Nullable KeyValue oldest;

  public FirstRowMerge(Deletes deletes) {
    this.deletes = deletes;
  }

  @Override
  public boolean keepsValues() {
    return true;
  }

  @Override
  public void reset() {
    oldest = null;
  }

  @Override
  public void add(KeyValue record) {
    if (record.kind().isRetract()) {
      if (deletes == Deletes.IGNORED) {
        return;
      }
      throw new UnsupportedTableException(
          "merge-engine=first-row can't merge a "
              + record.kind().shortText()
              + " record. Set ignore-delete=true to leave such records out.");
    }
    if (oldest == null) {
      oldest = record;
    }
  }

  @Override
  public @Nullable KeyValue result() {
    return oldest;
  }
}
