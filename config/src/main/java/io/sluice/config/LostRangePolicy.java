package io.sluice.config;

/** What becomes of a pipeline whose next messages are not in the topic any more. */
public enum LostRangePolicy {
  /** It stops and says which they are. */
  STOP,
  /** It goes on at the first message that is there, and says which are missing. */
  SKIP
}
