package io.sluice.lsm.merge;

import io.sluice.lsm.row.KeyValue;
import org.jspecify.annotations.Nullable;

/** The newest record stands; with {@code ignore-delete} the newest that takes nothing away. */
public final class DeduplicateMerge implements MergeFunction {

  /** The option {@code ignore-delete}. */
  public enum Deletes {
    HONOURED,
    IGNORED
  }

  private final Deletes deletes;
  private @Nullable KeyValue newest;

  public DeduplicateMerge(Deletes deletes) {
    this.deletes = deletes;
  }

  @Override
  public boolean newestStands() {
    return deletes == Deletes.HONOURED;
  }

  @Override
  public boolean keepsValues() {
    return true;
  }

  @Override
  public void reset() {
    newest = null;
  }

  @Override
  public void add(KeyValue record) {
    if (deletes == Deletes.HONOURED || !record.kind().isRetract()) {
      newest = record;
    }
  }

  @Override
  public @Nullable KeyValue result() {
    return newest;
  }

  @Override
  public @Nullable KeyValue merge(KeyValue[] records, int count) {
    if (deletes == Deletes.HONOURED) {
      return records[count - 1];
    }
    for (int i = count - 1; i >= 0; i--) {
      if (!records[i].kind().isRetract()) {
        return records[i];
      }
    }
    return null;
  }
}
