/**
 * Prepared files become one snapshot.
 *
 * <p>May import all below it: {@code error} to {@code snapshot}.
 */
@NullMarked
package io.sluice.lsm.commit;

import org.jspecify.annotations.NullMarked;
