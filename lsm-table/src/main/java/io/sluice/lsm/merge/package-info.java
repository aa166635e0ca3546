/**
 * Rows of one key become one row: the order of keys and of records within a key, the merge engines,
 * and the k-way merge of sorted inputs that compaction and scans share.
 *
 * <p>Invariants: an input has a key at most once and ascends; nothing here copies a row.
 *
 * <p>May import error, schema, io, row, binary, datafile.
 */
@NullMarked
package io.sluice.lsm.merge;

import org.jspecify.annotations.NullMarked;
