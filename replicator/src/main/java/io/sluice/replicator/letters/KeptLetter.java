package io.sluice.replicator.letters;

import io.sluice.sinks.DeadLetter;

/**
 * A letter as the lake has it.
 *
 * @param letter with its bytes, or without them where nobody asked for them
 * @param sequence number that its rows get when it is replayed
 * @param state what became of it last
 * @param stateMillis when, epoch milliseconds
 * @param waiting how often it was set aside and nothing has become of it: 0 or 1, but more if a
 *     pipeline was ended and another of its name has read the same again
 */
public record KeptLetter(
    DeadLetter letter, long sequence, DeadLetter.State state, long stateMillis, int waiting) {

  /** What a person calls it: {@code orders-0@17}. */
  public String name() {
    return letter.source() + "-" + letter.position();
  }

  /** What tells it from all others of its pipeline. */
  Id id() {
    return new Id(letter.source(), letter.position(), sequence);
  }

  /** Without its bytes: of a mark that something has become of it. */
  public DeadLetter withoutBytes() {
    return new DeadLetter(
        letter.source(),
        letter.position(),
        letter.table(),
        letter.timeMillis(),
        letter.reason(),
        letter.detail(),
        null,
        null,
        null);
  }

  /** See {@link KeptLetter#id}. */
  record Id(String source, String position, long sequence) {}
}
