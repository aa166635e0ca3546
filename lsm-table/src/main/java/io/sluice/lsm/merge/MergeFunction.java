package io.sluice.lsm.merge;

import io.sluice.lsm.row.KeyValue;
import org.jspecify.annotations.Nullable;

/**
 * What several records of one key become: a merge engine. A key with a single record never gets
 * here, it stays as it is (format description section 8.2). One thread.
 */
public interface MergeFunction {

  /**
   * @param records of one key, oldest first; only the first {@code count} count. All are current
   *     together, so none need be copied
   * @param count at least 2
   * @return one of the records or one of the function's own, good until the next call; null if
   *     nothing remains
   */
  @Nullable KeyValue merge(KeyValue[] records, int count);
}
