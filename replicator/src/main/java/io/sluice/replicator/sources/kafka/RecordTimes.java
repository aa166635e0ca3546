package io.sluice.replicator.sources.kafka;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * The watermark of a run: the smallest of the partitions' newest record times. A partition that has
 * nothing more to read and gave nothing for ten seconds doesn't count; one of which nothing was
 * read yet holds the watermark back until then. Of the source's thread.
 */
final class RecordTimes {

  private static final long IDLE_NANOS = 10_000_000_000L;

  private final Map<TopicPartition, Newest> partitions = new HashMap<>();
  private @Nullable Long watermark;

  private static final class Newest {
    long millis = Long.MIN_VALUE;
    long nanos;

    Newest(long nanos) {
      this.nanos = nanos;
    }
  }

  /**
   * Messages of a partition were handed over.
   *
   * @param newestMillis the newest of their times, epoch milliseconds
   * @param nanos now
   */
  void took(TopicPartition partition, long newestMillis, long nanos) {
    Newest newest = partitions.computeIfAbsent(partition, each -> new Newest(nanos));
    newest.millis = Math.max(newest.millis, newestMillis);
    newest.nanos = nanos;
  }

  /**
   * Epoch milliseconds; null while it isn't known. Never backwards.
   *
   * @param read the partitions that are read
   * @param atEnd whether there is nothing more to read in one now
   * @param nanos now
   */
  @Nullable Long watermark(Set<TopicPartition> read, Predicate<TopicPartition> atEnd, long nanos) {
    long smallest = Long.MAX_VALUE;
    for (TopicPartition partition : read) {
      Newest newest = partitions.computeIfAbsent(partition, each -> new Newest(nanos));
      if (nanos - newest.nanos > IDLE_NANOS && atEnd.test(partition)) {
        continue;
      }
      smallest = Math.min(smallest, newest.millis);
    }
    Long known = watermark;
    // Nobody to say so, or one that is not heard yet.
    if (smallest != Long.MAX_VALUE
        && smallest != Long.MIN_VALUE
        && (known == null || smallest > known)) {
      watermark = smallest;
    }
    return watermark;
  }
}
