/**
 * What {@code check}, and a start, must know before anything is read: whether the server can be
 * followed, which tables are captured, what becomes of their columns, and what would be lost
 * without a word. Changes nothing. May import {@code config}, {@code schema-evolution}, {@code
 * sources.debezium}, {@code backfill} and {@code values}.
 */
@NullMarked
package io.sluice.replicator.sources.mysql.preflight;

import org.jspecify.annotations.NullMarked;
