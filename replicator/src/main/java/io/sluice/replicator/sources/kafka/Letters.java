package io.sluice.replicator.sources.kafka;

import io.sluice.evolution.SourceTableId;
import io.sluice.replicator.messages.BadMessageException;
import io.sluice.replicator.messages.BadMessageException.Reason;
import io.sluice.replicator.messages.Message;
import io.sluice.replicator.messages.rows.MessageFacts;
import io.sluice.sinks.DeadLetter;
import org.jspecify.annotations.Nullable;

/** Messages as dead letters, and back. Pure. */
final class Letters {

  private Letters() {}

  /** Behind it stands the table that a letter is of alone. */
  private static final char OF_TABLE = '/';

  /**
   * Where a letter's message lies in its topic: {@code 3@17}; of a letter of one table alone {@code
   * 3@17/ods.orders}: the message's other rows are where they belong.
   *
   * @param table null: it is of all that the message has
   */
  record Place(int partition, long offset, @Nullable String table) {

    /** Null if the text is no such place. */
    static @Nullable Place parse(String text) {
      int at = text.indexOf('@');
      int end = text.indexOf(OF_TABLE);
      try {
        return new Place(
            Integer.parseInt(text.substring(0, Math.max(0, at))),
            Long.parseLong(text.substring(at + 1, end < 0 ? text.length() : end)),
            end < 0 ? null : text.substring(end + 1));
      } catch (NumberFormatException e) {
        return null;
      }
    }

    String text() {
      return partition + "@" + offset + (table == null ? "" : OF_TABLE + table);
    }
  }

  /**
   * @param table that it was meant for; null if that isn't known
   */
  static DeadLetter letter(Message message, @Nullable String table, BadMessageException why) {
    return letter(message, null, table, why);
  }

  /** Of one table alone: its other rows are where they belong. */
  static DeadLetter letterOf(SourceTableId table, Message message, BadMessageException why) {
    return letter(message, table.toString(), table.toString(), why);
  }

  private static DeadLetter letter(
      Message message, @Nullable String only, @Nullable String table, BadMessageException why) {
    return new DeadLetter(
        message.topic(),
        new Place(message.partition(), message.offset(), only).text(),
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
    Place place = Place.parse(letter.position());
    if (place == null) {
      throw new BadMessageException(
          Reason.MALFORMED, "\"" + letter.position() + "\" is no partition@offset of a topic.");
    }
    return new Message(
        letter.source(),
        place.partition(),
        place.offset(),
        letter.timeMillis(),
        letter.key(),
        letter.value(),
        MessageFacts.headers(letter.headers()));
  }
}
