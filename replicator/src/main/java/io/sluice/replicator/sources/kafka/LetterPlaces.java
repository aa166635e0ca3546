package io.sluice.replicator.sources.kafka;

import io.sluice.sinks.DeadLetter;
import java.io.IOException;

/** Where the dead letters of a pipeline come from, for whoever reads its topics once more. */
@FunctionalInterface
public interface LetterPlaces {

  /** Takes them one by one, in no order; a letter comes once for each thing that became of it. */
  @FunctionalInterface
  interface Visitor {
    /**
     * @param source the letter's topic
     * @param position where it lies there, as {@link DeadLetter} has it
     */
    void letter(String source, String position, DeadLetter.State state);
  }

  /** Waits until all that were set aside so far are in the lake, then tells them. */
  void tell(Visitor visitor) throws IOException, InterruptedException;
}
