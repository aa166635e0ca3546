/**
 * The only door to storage. No other package opens, lists or deletes a file by itself.
 *
 * <p>May import {@code error} alone.
 */
@NullMarked
package io.sluice.lsm.io;

import org.jspecify.annotations.NullMarked;
