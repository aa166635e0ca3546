package io.sluice.replicator.messages.json;

/** What a message with a key and no value says. */
public enum Tombstones {
  /**
   * Nothing: it is there for the topic's compaction. So it is where deletes have messages of their
   * own.
   */
  SKIP,
  /** The row with this key is gone: so it is in a compacted topic of plain rows. */
  DELETE
}
