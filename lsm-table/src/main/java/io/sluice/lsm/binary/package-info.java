/**
 * The compact row of the format description section 5: on the write path, inside manifests, under
 * the bucket hash.
 *
 * <p>May import {@code error}, {@code schema}, {@code row}.
 */
@NullMarked
package io.sluice.lsm.binary;

import org.jspecify.annotations.NullMarked;
