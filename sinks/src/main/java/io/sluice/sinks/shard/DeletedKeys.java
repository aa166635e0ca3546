package io.sluice.sinks.shard;

import io.sluice.lsm.binary.BinaryRow;
import java.util.HashMap;
import java.util.Map;

/**
 * The keys that the stream has deleted in one bucket while chunks are open, with the number of the
 * last delete. A chunk row of such a key is older than the delete and must not be written: a
 * compaction may have dropped the delete already. One thread.
 */
final class DeletedKeys {

  private final Map<BinaryRow, Long> numbers = new HashMap<>();

  /**
   * @param key a view; copied if it is new
   * @return whether the key is new here
   */
  boolean remember(BinaryRow key, long sequenceNumber) {
    if (numbers.replace(key, sequenceNumber) != null) {
      return false;
    }
    numbers.put(key.copy(), sequenceNumber);
    return true;
  }

  /** Whether the key was deleted after this number was drawn. */
  boolean deletedAfter(BinaryRow key, long readNumber) {
    Long deleted = numbers.get(key);
    return deleted != null && deleted > readNumber;
  }

  /** Forgets what no open chunk can ask for; returns how many keys that were. */
  int forgetUpTo(long lowestOpenReadNumber) {
    int before = numbers.size();
    numbers.values().removeIf(number -> number < lowestOpenReadNumber);
    return before - numbers.size();
  }

  int size() {
    return numbers.size();
  }
}
