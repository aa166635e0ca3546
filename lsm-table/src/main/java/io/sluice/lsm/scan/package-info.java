/**
 * The read path: a snapshot's live files, pruned and parted by bucket; sorted runs merged into
 * rows; conditions on rows.
 *
 * <p>Invariants: pruning never loses a row; memory does not grow with the table.
 *
 * <p>May import error, schema, io, row, binary, datafile, manifest, snapshot, merge, level.
 */
@NullMarked
package io.sluice.lsm.scan;

import org.jspecify.annotations.NullMarked;
