/**
 * The facade: open or create a table, write, commit, compact, scan. The public API of the module,
 * with {@code error}, {@code schema}, {@code io}, {@code row}.
 */
@NullMarked
package io.sluice.lsm.table;

import org.jspecify.annotations.NullMarked;
