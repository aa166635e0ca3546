/**
 * Rows in memory: read access by column position, whatever holds the bytes.
 *
 * <p>May import {@code error}, {@code schema}.
 */
@NullMarked
package io.sluice.lsm.row;

import org.jspecify.annotations.NullMarked;
