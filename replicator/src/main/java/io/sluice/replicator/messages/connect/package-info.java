/**
 * What Kafka Connect's schemas say of fields, Debezium's own types above all: their lake types, and
 * how values that were written by them are to be taken. For every format that carries such schemas
 * (JSON with a schema block, Avro with {@code connect.name}).
 */
@NullMarked
package io.sluice.replicator.messages.connect;

import org.jspecify.annotations.NullMarked;
