package io.sluice.lsm.merge;

import io.sluice.lsm.row.KeyValue;
import org.jspecify.annotations.Nullable;

/**
 * What several records of one key become: a merge engine. A key with a single record never gets
 * here, it stays as it is (format description section 8.2). One thread.
 *
 * <pre>function.reset(); function.add(oldest); ... function.add(newest); use(function.result());
 * </pre>
 */
public interface MergeFunction {

  /** Begins the next key. */
  void reset();

  /**
   * Takes a record of the key, oldest first. REQUIRES: it stays as it is until the result is used:
   * nothing of it is copied.
   *
   * @throws io.sluice.lsm.error.UnsupportedTableException if the engine can't take it
   */
  void add(KeyValue record);

  /**
   * One of the records or one of the function's own, good until the next {@link #reset}; null if
   * nothing remains. REQUIRES: there was a record.
   */
  @Nullable KeyValue result();

  /** Whether the result is always the newest record, so that the others need not be looked at. */
  default boolean newestStands() {
    return false;
  }

  /** Whether every value of a result is that of some record, none is computed. */
  default boolean keepsValues() {
    return newestStands();
  }

  /**
   * All at once.
   *
   * @param records of one key, oldest first; only the first {@code count} count
   */
  default @Nullable KeyValue merge(KeyValue[] records, int count) {
    reset();
    for (int i = 0; i < count; i++) {
      add(records[i]);
    }
    return result();
  }
}
