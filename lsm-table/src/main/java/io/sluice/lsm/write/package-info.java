/**
 * One bucket's write path: which bucket a row belongs to, the memtable, level-0 files.
 *
 * <p>Invariants: a bucket has one writer thread at a time, hence no locks; a file belongs to nobody
 * before it is drained.
 *
 * <p>May import error, schema, io, row, binary, datafile, merge, level.
 */
@NullMarked
package io.sluice.lsm.write;

import org.jspecify.annotations.NullMarked;
