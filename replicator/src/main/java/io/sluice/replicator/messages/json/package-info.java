/**
 * JSON messages: plain objects, and Debezium's envelope.
 *
 * <p>{@link io.sluice.replicator.messages.json.JsonInput} is the one reader of JSON here, for the
 * formats of other packages, too. It reads the bytes in one pass, straight into a {@link
 * io.sluice.replicator.messages.FieldRow}: no tree, no String per value, names as the same Strings
 * again and again.
 */
@NullMarked
package io.sluice.replicator.messages.json;

import org.jspecify.annotations.NullMarked;
