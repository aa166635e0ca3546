package io.sluice.replicator.sources.kafka;

import io.sluice.replicator.messages.BadMessageException;
import io.sluice.replicator.messages.BadMessageException.Reason;
import io.sluice.replicator.messages.Message;
import io.sluice.replicator.messages.rows.MessageFacts;
import io.sluice.sinks.DeadLetter;
import org.jspecify.annotations.Nullable;

/** Messages as dead letters, and back. Pure. */
final class Letters {

  private Letters() {}

  /** Where a message lies in its topic: {@code partition@offset}. */
  private static String position(Message message) {
    return message.partition() + "@" + message.offset();
  }

  /**
   * @param table that it was meant for; null if that isn't known
   */
  static DeadLetter letter(Message message, @Nullable String table, BadMessageException why) {
    return new DeadLetter(
        message.topic(),
        position(message),
        table,
        message.timestampMillis(),
        why.reason().text(),
        String.valueOf(why.getMessage()),
        message.key(),
        message.value(),
        MessageFacts.headers(message.headers()));
  }

  /**
   * @throws BadMessageException it is the letter of no message
   */
  static Message message(DeadLetter letter) throws BadMessageException {
    String position = letter.position();
    int at = position.indexOf('@');
    try {
      return new Message(
          letter.source(),
          Integer.parseInt(position.substring(0, Math.max(0, at))),
          Long.parseLong(position.substring(at + 1)),
          letter.timeMillis(),
          letter.key(),
          letter.value(),
          MessageFacts.headers(letter.headers()));
    } catch (NumberFormatException e) {
      throw new BadMessageException(
          Reason.MALFORMED, "\"" + position + "\" is no partition@offset of a topic.", e);
    }
  }
}
