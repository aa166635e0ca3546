/**
 * MySQL and MariaDB through the embedded Debezium engine: from its records to {@link
 * io.sluice.sinks.ChangeInput}, and from the recovered position and history back into it.
 *
 * <p>Invariants: Debezium stores nothing (its committer is never called, its offset store and
 * schema history only read what the pipeline recovered). A position is handed on only where a
 * transaction is known to have ended and no fault has been seen. May import everything in {@code
 * sinks}, {@code schema-evolution} and {@code lsm-table}'s rows and schemas.
 */
@NullMarked
package io.sluice.replicator.sources.debezium;

import org.jspecify.annotations.NullMarked;
