/**
 * What a rule makes of a wide table, whatever its sources are: columns, options, and which of two
 * rows of a part is newer. How rows come into it is each source's own: {@code sources.kafka} for
 * topics, {@code wide.tables} for a database's tables.
 */
@NullMarked
package io.sluice.replicator.wide;

import org.jspecify.annotations.NullMarked;
