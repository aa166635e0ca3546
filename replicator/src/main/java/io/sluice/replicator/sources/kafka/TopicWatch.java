package io.sluice.replicator.sources.kafka;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks now and then which topics and partitions there are, on a thread of its own: the cluster may
 * answer slowly, and a consumer that reads nothing doesn't say that nobody answers. Thread safe.
 */
final class TopicWatch implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(TopicWatch.class);

  /** Whoever waits for a cluster that is back wants to know soon. */
  private static final Duration PAUSE_AFTER_FAULT = Duration.ofSeconds(2);

  /** A topic as the cluster has it. */
  record Topic(Uuid id, int partitions) {}

  /** Why the cluster can't be asked. */
  static final class UnreachableException extends Exception {
    private static final long serialVersionUID = 1;

    UnreachableException(String message, Throwable cause) {
      super(message, cause);
    }
  }

  private final Admin admin;
  private final Predicate<String> reads;
  private final Duration interval;
  private final CountDownLatch closed = new CountDownLatch(1);
  private final AtomicReference<@Nullable Map<String, Topic>> news = new AtomicReference<>();
  private final AtomicReference<@Nullable UnreachableException> fault = new AtomicReference<>();
  private final Thread thread;

  /**
   * @param admin closed with this
   * @param reads which topics are wanted
   * @param faultsMax so many failures in a row are told; one may be a moment's
   */
  TopicWatch(
      Admin admin, Predicate<String> reads, Duration interval, int faultsMax, String pipeline) {
    this.admin = admin;
    this.reads = reads;
    this.interval = interval;
    this.thread = new Thread(() -> watch(faultsMax), "topics-" + pipeline);
    this.thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  /** The wanted topics, by name. */
  static Map<String, Topic> look(Admin admin, Predicate<String> reads)
      throws UnreachableException, InterruptedException {
    try {
      List<String> names =
          admin.listTopics().names().get().stream().filter(reads).sorted().toList();
      Map<String, Topic> result = new TreeMap<>();
      if (!names.isEmpty()) {
        for (Map.Entry<String, org.apache.kafka.common.KafkaFuture<TopicDescription>> each :
            admin.describeTopics(names).topicNameValues().entrySet()) {
          describe(each.getKey(), each.getValue()).ifPresent(t -> result.put(each.getKey(), t));
        }
      }
      return result;
    } catch (ExecutionException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      throw new UnreachableException(
          "The cluster doesn't tell its topics: " + cause.getMessage(), cause);
    } catch (KafkaException e) {
      throw new UnreachableException("The cluster doesn't tell its topics: " + e.getMessage(), e);
    }
  }

  /** Empty if it has gone meanwhile. */
  private static Optional<Topic> describe(
      String name, org.apache.kafka.common.KafkaFuture<TopicDescription> description)
      throws ExecutionException, InterruptedException {
    try {
      TopicDescription topic = description.get();
      return Optional.of(new Topic(topic.topicId(), topic.partitions().size()));
    } catch (ExecutionException e) {
      if (e.getCause() instanceof UnknownTopicOrPartitionException) {
        LOG.debug("Topic {} has gone", name);
        return Optional.empty();
      }
      throw e;
    }
  }

  /**
   * Looks at once, on the caller's thread.
   *
   * @throws UnreachableException if the cluster doesn't answer
   */
  Map<String, Topic> lookNow() throws UnreachableException, InterruptedException {
    return look(admin, reads);
  }

  private void watch(int faultsMax) {
    int faults = 0;
    long pause = interval.toMillis();
    try {
      while (!closed.await(pause, TimeUnit.MILLISECONDS)) {
        try {
          news.set(look(admin, reads));
          faults = 0;
          fault.set(null);
          pause = interval.toMillis();
        } catch (UnreachableException e) {
          faults++;
          pause = Math.min(pause, PAUSE_AFTER_FAULT.toMillis());
          LOG.debug("Topics can't be looked at, for the {}. time", faults, e);
          if (faults >= faultsMax || !(e.getCause() instanceof RetriableException)) {
            fault.set(e);
          }
        }
      }
    } catch (InterruptedException e) {
      LOG.debug("Ends", e);
    }
  }

  /** What was seen since the last call; null if nothing was. */
  @Nullable Map<String, Topic> takeNews() {
    return news.getAndSet(null);
  }

  /** Why the cluster can't be asked any more; null if it can. */
  @Nullable UnreachableException fault() {
    return fault.get();
  }

  @Override
  public void close() {
    closed.countDown();
    thread.interrupt();
    admin.close(Duration.ZERO);
  }
}
