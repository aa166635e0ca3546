/**
 * The level part of the engine.
 *
 * <p>May import all below it.
 */
@NullMarked
package io.sluice.lsm.level;

import org.jspecify.annotations.NullMarked;
