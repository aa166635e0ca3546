/**
 * Fewer sorted runs: what to compact (a pure picker), how one bucket is compacted ({@link
 * io.sluice.lsm.compaction.Compactor}), and the background work of a table that follows its
 * snapshots ({@link io.sluice.lsm.compaction.TableCompactor}) and commits results under a user of
 * its own.
 *
 * <p>Invariants: inputs are never touched before a snapshot replaces them; outputs that may be in a
 * snapshot are never deleted.
 *
 * <p>May import error, schema, io, row, binary, datafile, manifest, snapshot, merge, level, commit
 * (commit knows nothing of compaction, so it lies below).
 */
@NullMarked
package io.sluice.lsm.compaction;

import org.jspecify.annotations.NullMarked;
