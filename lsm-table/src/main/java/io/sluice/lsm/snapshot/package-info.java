/**
 * What is committed: snapshot and schema files, found by listing and created exclusively.
 *
 * <p>May import {@code error}, {@code schema}, {@code io}.
 */
@NullMarked
package io.sluice.lsm.snapshot;

import org.jspecify.annotations.NullMarked;
