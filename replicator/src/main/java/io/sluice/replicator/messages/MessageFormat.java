package io.sluice.replicator.messages;

/**
 * Reads messages of one format. Keeps state between messages only to be fast (schemas it has met);
 * used by one thread.
 */
public interface MessageFormat {

  /** Takes the changes of one message. */
  interface Changes {

    /**
     * @param change good until this returns
     * @throws BadMessageException the change has no place in its table; the rest of the message is
     *     not read
     */
    void change(Change change) throws BadMessageException;
  }

  /**
   * Reads one message: none, one or several changes. What changes no row by its format's rules (a
   * tombstone, an empty value, a heartbeat, a DDL event) gives none and is no fault.
   *
   * @throws BadMessageException the message can't be understood; nothing of it that was handed over
   *     counts
   * @throws io.sluice.replicator.messages.registry.RegistryUnavailableException of formats that ask
   *     a schema registry: it gave no answer. Nothing is known about the message; it may be read
   *     again
   */
  void read(Message message, Changes changes) throws BadMessageException;
}
