/**
 * The expire part of the engine.
 *
 * <p>May import all below it.
 */
@NullMarked
package io.sluice.lsm.expire;

import org.jspecify.annotations.NullMarked;
