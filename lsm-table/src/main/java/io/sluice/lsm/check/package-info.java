/**
 * Looks whether a table is whole: every reference, level, key range and count, and every record.
 *
 * <p>Invariants: changes nothing; what is wrong is told, never thrown, as far as storage answers.
 *
 * <p>May import error to {@code expire}.
 */
@NullMarked
package io.sluice.lsm.check;

import org.jspecify.annotations.NullMarked;
