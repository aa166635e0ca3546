/**
 * The shape of one bucket's LSM tree: sorted runs, levels, and sections of overlapping files.
 *
 * <p>Invariants: values are immutable; {@link io.sluice.lsm.level.LevelsChecker} asserts that the
 * key ranges of a level below the first are disjoint.
 *
 * <p>May import error, schema, io, row, binary, datafile, merge.
 */
@NullMarked
package io.sluice.lsm.level;

import org.jspecify.annotations.NullMarked;
