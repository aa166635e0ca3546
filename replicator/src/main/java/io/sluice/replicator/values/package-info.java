/**
 * Values of MySQL and MariaDB columns to lake values, compiled once per column. A value has two
 * ways in, the binlog (as Debezium's Struct holds it) and a SELECT; both give the same bytes in the
 * same lake type. What does not fit is an error that names table and column: nothing is nulled,
 * truncated, rounded or wrapped. Only the zero and partial dates that MySQL allows and no lake type
 * has go by a policy ({@link io.sluice.replicator.values.ZeroDates}).
 *
 * <p>What the two ways rely on:
 *
 * <ul>
 *   <li>Stream: {@code decimal.handling.mode=precise}, {@code
 *       bigint.unsigned.handling.mode=precise}, {@code time.precision.mode=microseconds}, {@code
 *       enable.time.adjuster=false}, {@code binary.handling.mode=bytes}, values taken by {@code
 *       Struct.getWithoutDefault}, and {@code
 *       io.sluice.replicator.sources.debezium.ExactValueConverter} installed: without it a zero
 *       DATE in a NOT NULL column is 1970-01-01, and JSON is text that has lost types.
 *   <li>SELECT: the text protocol, columns named by {@link
 *       io.sluice.replicator.values.ValueEncoders#selectExpression}, results in utf8mb4, session
 *       time zone UTC.
 * </ul>
 *
 * Knows no Debezium type; may be imported by sources and backfill.
 */
@NullMarked
package io.sluice.replicator.values;

import org.jspecify.annotations.NullMarked;
