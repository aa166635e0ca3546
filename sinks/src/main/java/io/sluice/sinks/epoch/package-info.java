/**
 * Epochs: what makes several tables come back at one position (docs/architecture.md, "Exactly
 * once"). An epoch file is created exclusively, first; then each table that it names gets its
 * snapshot. Invariants:
 *
 * <ul>
 *   <li>no table is touched without an epoch file that is known to be ours;
 *   <li>epoch n + 1 is created only when every table has n;
 *   <li>what cannot be known (is our snapshot there or not?) stops the pipeline, it is never
 *       guessed;
 *   <li>a start and a running pipeline put an epoch into its tables by the same code.
 * </ul>
 *
 * May import {@code io.sluice.sinks} and the table engine.
 */
@NullMarked
package io.sluice.sinks.epoch;

import org.jspecify.annotations.NullMarked;
