/**
 * The merge part of the engine.
 *
 * <p>May import all below it.
 */
@NullMarked
package io.sluice.lsm.merge;

import org.jspecify.annotations.NullMarked;
