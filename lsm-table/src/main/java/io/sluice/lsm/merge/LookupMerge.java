package io.sluice.lsm.merge;

import io.sluice.lsm.row.KeyValue;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Merges records of tables whose compactions look the older value up (changelog-producer=lookup): a
 * record above level 0 then holds all that lies in deeper levels already. So of these records only
 * the one of the lowest level counts, beside those of level 0. Source: Paimon 1.4.2, {@code
 * LookupMergeFunction}.
 */
public final class LookupMerge implements MergeFunction {

  private final MergeFunction function;
  private final List<KeyValue> records = new ArrayList<>();

  public LookupMerge(MergeFunction function) {
    this.function = function;
  }

  @Override
  public void reset() {
    records.clear();
  }

  @Override
  public void add(KeyValue record) {
    records.add(record);
  }

  @Override
  public @Nullable KeyValue result() {
    KeyValue merged = null;
    for (KeyValue record : records) {
      if (record.level() > 0 && (merged == null || record.level() < merged.level())) {
        merged = record;
      }
    }
    function.reset();
    for (KeyValue record : records) {
      if (record.level() == 0 || record == merged) {
        function.add(record);
      }
    }
    return function.result();
  }
}
