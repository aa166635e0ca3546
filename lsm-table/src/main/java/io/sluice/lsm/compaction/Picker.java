package io.sluice.lsm.compaction;

import io.sluice.lsm.level.Levels;
import io.sluice.lsm.schema.TableOptions;
import io.sluice.lsm.schema.TableSchema;
import java.util.Optional;

/** Tells what of a bucket is compacted. A pure function of its levels. */
public interface Picker {

  /** As the options of a table want it. */
  static Picker of(TableSchema schema) {
    TableOptions options = TableOptions.of(schema);
    return schema.primaryKeys().isEmpty()
        ? new AppendPicker(options)
        : CompactionPicker.of(options);
  }

  /** What should be compacted now, if anything. */
  Optional<CompactionPlan> pick(Levels levels);

  /** What is compacted by hand, whatever it costs. */
  Optional<CompactionPlan> pickFull(Levels levels);

  /** Whether readers merge the runs: then writers wait where there are too many. */
  boolean runsAreMerged();
}
