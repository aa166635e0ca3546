/**
 * The scan part of the engine.
 *
 * <p>May import all below it.
 */
@NullMarked
package io.sluice.lsm.scan;

import org.jspecify.annotations.NullMarked;
