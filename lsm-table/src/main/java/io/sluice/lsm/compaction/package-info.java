/**
 * The compaction part of the engine.
 *
 * <p>May import all below it.
 */
@NullMarked
package io.sluice.lsm.compaction;

import org.jspecify.annotations.NullMarked;
