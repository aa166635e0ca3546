package io.sluice.replicator.sources.kafka;

import io.sluice.config.LostRangePolicy;
import io.sluice.evolution.SourceTableId;
import io.sluice.replicator.messages.Message;
import io.sluice.sinks.ChangeInput;
import io.sluice.sinks.PipelineStoppedException.Reason;
import io.sluice.sinks.SourcePosition;
import io.sluice.sinks.TablePlace;
import io.sluice.sinks.TableRefusedException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongPredicate;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One table on its way back: its topics are read once more, from where it was left behind up to
 * where the stream is, and its rows alone are taken. It never reads past the stream, so that it is
 * back when both stand at the same offsets. Of the source's thread.
 */
final class CatchUp implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(CatchUp.class);

  private static final Duration POLL = Duration.ofMillis(2);

  /**
   * Of topics without a rule of their own everything may be its: messages in one step, at least.
   */
  private static final int STEP_MESSAGES = 2000;

  private final KafkaSettings settings;
  private final MessageIntake intake;
  private final ChangeInput input;
  private final Partitions partitions;
  private final KafkaPosition stream;
  private final SettledPlaces settled;
  private final Runnable sign;
  private final SourceTableId table;
  private final KafkaConsumer<byte[], byte[]> consumer;
  private final Set<TopicPartition> reads = new LinkedHashSet<>();
  private KafkaPosition own = new KafkaPosition();
  private boolean looksAgain;

  /**
   * @param stream where the stream is; it moves on
   * @param settled messages that are dead letters
   * @param sign of life, for each message
   */
  CatchUp(
      KafkaSettings settings,
      MessageIntake intake,
      ChangeInput input,
      Partitions partitions,
      KafkaPosition stream,
      SettledPlaces settled,
      Runnable sign,
      SourceTableId table) {
    this.settings = settings;
    this.intake = intake;
    this.input = input;
    this.partitions = partitions;
    this.stream = stream;
    this.settled = settled;
    this.sign = sign;
    this.table = table;
    this.consumer = settings.newConsumer("catch-up");
  }

  SourceTableId table() {
    return table;
  }

  /**
   * Looks whether all is there that the table lacks, and begins. The caller cuts.
   *
   * @throws TableRefusedException it isn't, or the table can't go on; nothing has changed
   */
  void begin() {
    TablePlace from = input.place(table);
    try {
      own = KafkaPosition.parse(from.position());
    } catch (IllegalArgumentException e) {
      throw refused(
          "Table "
              + table
              + " was parked at "
              + from.position().text()
              + ", which is no position"
              + " in topics.");
    }
    look();
    if (from.rolledBack()) {
      refuseReplayed();
    }
    requireKept();
    intake.catchesUp(table, input.catchUp(table, intake.definition(table), from));
    input.caughtUpTo(table, place());
    LOG.info(
        "Table {} of pipeline {} comes back: {} messages of {} partitions are read once more for"
            + " it",
        table,
        settings.pipeline(),
        behind(),
        reads.size());
  }

  private TableRefusedException refused(String why) {
    return new TableRefusedException(table, why);
  }

  /**
   * Looks which partitions there are to read.
   *
   * @throws TableRefusedException if a topic is gone or another one, by the config's word
   */
  void look() {
    Set<TopicPartition> found = new LinkedHashSet<>();
    for (String topic : stream.topics()) {
      if (!intake.mayFill(table, topic)) {
        own.copy(topic, stream);
        continue;
      }
      Uuid now = Objects.requireNonNull(stream.topicId(topic));
      Uuid before = own.topicId(topic);
      if (before == null || !before.equals(now)) {
        if (before != null) {
          lost("topic " + topic + " was deleted and made anew since");
        }
        own.begin(topic, now);
      }
      boolean there = partitions.topics().contains(topic);
      for (TopicPartition partition : stream.partitions(topic)) {
        if (own.offset(partition) == null) {
          // It came up while the table was left behind.
          own.put(partition, 0, Optional.empty());
        }
        if (there) {
          found.add(partition);
        } else if (behind(partition) > 0) {
          lost("topic " + topic + " is not there any more");
          own.copy(topic, stream);
        }
      }
    }
    if (!found.equals(reads)) {
      Set<TopicPartition> added = new LinkedHashSet<>(found);
      added.removeAll(reads);
      reads.clear();
      reads.addAll(found);
      consumer.assign(reads);
      added.forEach(partition -> consumer.seek(partition, own.place(partition)));
    }
  }

  private void lost(String what) {
    String told =
        "Messages that table "
            + table
            + " of pipeline "
            + settings.pipeline()
            + " lacks are gone: "
            + what
            + ".";
    if (settings.kafka().onLostRange() == LostRangePolicy.STOP) {
      throw new TableRefusedException(
          table,
          Reason.PROTECTED,
          told
              + " Set source.on-lost-range = skip to go on without them, and ask again; or give"
              + " the rows another table with into, in a pipeline of another name.",
          null);
    }
    LOG.error("{} Going on without them (on-lost-range = skip)", told);
  }

  /** At once, and not when they are read: an operator waits for the answer. */
  private void requireKept() {
    Set<TopicPartition> wanted = new LinkedHashSet<>(reads);
    wanted.removeIf(partition -> behind(partition) == 0);
    List<String> gone = new ArrayList<>();
    consumer
        .beginningOffsets(wanted)
        .forEach(
            (partition, first) -> {
              long at = Objects.requireNonNull(own.offset(partition));
              if (at < first) {
                gone.add(partition + ": messages " + at + " to " + (first - 1));
                moveTo(partition, new OffsetAndMetadata(first));
              }
            });
    if (!gone.isEmpty()) {
      lost(String.join("; ", gone));
    }
  }

  private void moveTo(TopicPartition partition, OffsetAndMetadata place) {
    own.put(partition, place.offset(), place.leaderEpoch());
    consumer.seek(partition, place);
  }

  /** Whether a replayed letter's rows were rolled back with the others can't be known. */
  private void refuseReplayed() {
    for (TopicPartition partition : reads) {
      long from = Objects.requireNonNull(own.offset(partition));
      if (settled.hasReplayed(partition, from, from + behind(partition))) {
        throw new TableRefusedException(
            table,
            Reason.PROTECTED,
            "Table "
                + table
                + " was rolled back, and dead letters of "
                + partition
                + " that it would read once more were replayed: whether their rows are in it can't"
                + " be known. Give the rows another table with into, in a pipeline of another"
                + " name.",
            null);
      }
    }
  }

  private long behind(TopicPartition partition) {
    Long theirs = stream.offset(partition);
    Long ours = own.offset(partition);
    return theirs == null || ours == null ? 0 : Math.max(0, theirs - ours);
  }

  /** Messages up to where the stream is; 0: it is there. */
  long behind() {
    long sum = 0;
    for (TopicPartition partition : reads) {
      sum += behind(partition);
    }
    return sum;
  }

  /** The topics are others than they were. */
  void looksAgain() {
    looksAgain = true;
  }

  /** The stream begins with these where it stands now: so does the table. */
  void partitionsCame(Collection<TopicPartition> fresh) {
    own.begin(fresh, stream);
  }

  private SourcePosition place() {
    for (String topic : stream.topics()) {
      if (!intake.mayFill(table, topic)) {
        own.copy(topic, stream);
      }
    }
    return own.toSourcePosition();
  }

  /**
   * Reads on for a while. The caller cuts.
   *
   * @param messagesMin as many as the stream took meanwhile, so that it is come up with
   * @param cut makes a place to cut at of where stream and table are
   * @return whether the table is where the stream is
   * @throws TableRefusedException the table can't go on; what came before is handed over
   */
  boolean step(int messagesMin, Runnable cut) {
    if (looksAgain) {
      looksAgain = false;
      look();
    }
    pauseWhatIsThere();
    int budget = Math.max(STEP_MESSAGES, messagesMin);
    while (budget > 0 && behind() > 0) {
      ConsumerRecords<byte[], byte[]> records;
      try {
        records = consumer.poll(POLL);
      } catch (OffsetOutOfRangeException e) {
        input.caughtUpTo(table, place());
        cut.run();
        outOfRange(e);
        break;
      }
      if (records.nextOffsets().isEmpty()) {
        break;
      }
      budget -= Math.max(1, records.count());
      for (TopicPartition partition : records.nextOffsets().keySet()) {
        take(partition, records, cut);
      }
    }
    input.caughtUpTo(table, place());
    return behind() == 0;
  }

  private void pauseWhatIsThere() {
    List<TopicPartition> there = new ArrayList<>();
    List<TopicPartition> behind = new ArrayList<>();
    for (TopicPartition partition : reads) {
      Long theirs = stream.offset(partition);
      Long ours = own.offset(partition);
      if (theirs != null && ours != null && ours > theirs) {
        // The topic was truncated, and the stream goes on behind that.
        moveTo(partition, stream.place(partition));
      }
      (behind(partition) > 0 ? behind : there).add(partition);
    }
    consumer.pause(there);
    consumer.resume(behind);
  }

  private void take(
      TopicPartition partition, ConsumerRecords<byte[], byte[]> records, Runnable cut) {
    long end = Objects.requireNonNull(stream.offset(partition));
    LongPredicate isSettled = settled.of(table, partition);
    for (ConsumerRecord<byte[], byte[]> record : records.records(partition)) {
      if (record.offset() >= end) {
        break;
      }
      sign.run();
      if (!isSettled.test(record.offset())) {
        take(partition, record, cut);
      }
    }
    OffsetAndMetadata next = Objects.requireNonNull(records.nextOffsets().get(partition));
    if (next.offset() >= end) {
      moveTo(partition, stream.place(partition));
      consumer.pause(List.of(partition));
    } else {
      own.put(partition, next.offset(), next.leaderEpoch());
    }
  }

  private void take(TopicPartition partition, ConsumerRecord<byte[], byte[]> record, Runnable cut) {
    Message message = KafkaSource.message(record);
    try {
      switch (intake.takeFor(table, message)) {
        case TAKEN -> {}
        case TRUNCATED -> {
          own.put(partition, record.offset() + 1, record.leaderEpoch());
          input.caughtUpTo(table, place());
          cut.run();
        }
        case REFUSED -> throw refused(intake.refusalFor(message));
      }
    } catch (TableRefusedException e) {
      // What came before it is committed, it is not.
      own.put(partition, record.offset(), Optional.empty());
      input.caughtUpTo(table, place());
      cut.run();
      throw new TableRefusedException(
          table,
          e.reason(),
          e.getMessage() + " It is message " + message.place() + " that needs it.",
          e);
    }
  }

  private void outOfRange(OffsetOutOfRangeException missing) {
    Map<TopicPartition, Long> first = consumer.beginningOffsets(missing.partitions());
    List<String> gone = new ArrayList<>();
    for (TopicPartition partition : missing.partitions()) {
      long at = Objects.requireNonNull(own.offset(partition));
      long begins = Objects.requireNonNull(first.get(partition));
      if (at < begins) {
        gone.add(partition + ": messages " + at + " to " + (begins - 1));
        moveTo(partition, new OffsetAndMetadata(begins));
      } else {
        gone.add(partition + ": it was truncated below offset " + at);
        moveTo(partition, stream.place(partition));
      }
    }
    lost(String.join("; ", gone));
  }

  @Override
  public void close() {
    try {
      consumer.close(CloseOptions.timeout(Duration.ZERO));
    } catch (KafkaException e) {
      LOG.debug("The consumer did not close cleanly", e);
    }
  }
}
