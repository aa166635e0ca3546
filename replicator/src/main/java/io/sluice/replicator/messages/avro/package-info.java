/**
 * Messages in Avro's binary form, by schemas of a registry: plain records and Debezium's envelopes.
 *
 * <p>A schema is compiled once, into a reader that goes through the bytes in the schema's order and
 * adds to a row; the schema that a message was written by is the only one there is, so nothing is
 * resolved and no record object is made. Bytes come from anywhere: every length is compared with
 * what is there before anything is made of it.
 */
@NullMarked
package io.sluice.replicator.messages.avro;

import org.jspecify.annotations.NullMarked;
