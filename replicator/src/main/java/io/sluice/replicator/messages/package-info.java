/**
 * What the messages of a topic say: bytes become changes of rows, and those become rows of a lake
 * table. One package for each family of formats below this one.
 *
 * <p>The way of a message: a {@link io.sluice.replicator.messages.MessageFormat} reads a {@link
 * io.sluice.replicator.messages.Message} into one {@link io.sluice.replicator.messages.Change},
 * which it uses again for the next; its values stand in a {@link
 * io.sluice.replicator.messages.FieldRow}, in arrays, by name. Nothing is made per value. What
 * can't be read or has no place in the table is a {@link
 * io.sluice.replicator.messages.BadMessageException}: a dead letter, or the end of the pipeline, by
 * config; never a NULL.
 *
 * <p>Knows no Kafka type and no thread; may be imported by sources.
 */
@NullMarked
package io.sluice.replicator.messages;

import org.jspecify.annotations.NullMarked;
