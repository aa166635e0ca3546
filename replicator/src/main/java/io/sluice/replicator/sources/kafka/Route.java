package io.sluice.replicator.sources.kafka;

import io.sluice.replicator.messages.BadMessageException;
import io.sluice.replicator.messages.Change;
import io.sluice.replicator.messages.Message;

/** The way of a topic's changes into one table. Of the source's thread. */
sealed interface Route permits CopyRoute, PartRoute {

  TopicTable table();

  /**
   * Writes a change's rows, or makes the table wider for it.
   *
   * @throws BadMessageException it has no place in the table
   */
  void take(Message message, Change change) throws BadMessageException;
}
