package io.sluice.replicator.letters;

import io.sluice.sinks.DeadLetter;
import java.util.Locale;

/** What a person wants done with letters. */
public enum LetterWork {
  /** They are taken in after all, by the rules of now. */
  REPLAY,
  /** They are marked as not wanted. */
  DROP;

  /** What has become of a letter then. */
  public DeadLetter.State outcome() {
    return switch (this) {
      case REPLAY -> DeadLetter.State.REPLAYED;
      case DROP -> DeadLetter.State.DROPPED;
    };
  }

  /** As it stands in a request. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * @throws IllegalArgumentException if it is none
   */
  public static LetterWork parse(String text) {
    for (LetterWork each : values()) {
      if (each.text().equals(text)) {
        return each;
      }
    }
    throw new IllegalArgumentException("\"" + text + "\" can't be done with letters");
  }
}
