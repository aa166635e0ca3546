/**
 * Files beside the data: which rows of data files are deleted.
 *
 * <p>Invariants: a vector that is handed out has passed its checksum and counts as many rows as the
 * manifest says; positions count the physical rows of a file from 0.
 *
 * <p>May import error to {@code manifest}.
 */
@NullMarked
package io.sluice.lsm.index;

import org.jspecify.annotations.NullMarked;
