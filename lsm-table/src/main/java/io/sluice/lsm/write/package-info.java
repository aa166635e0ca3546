/**
 * One bucket's write path: rows, memtable, level-0 files.
 *
 * <p>May import all below it.
 */
@NullMarked
package io.sluice.lsm.write;

import org.jspecify.annotations.NullMarked;
