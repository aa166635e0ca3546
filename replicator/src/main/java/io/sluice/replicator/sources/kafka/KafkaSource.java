package io.sluice.replicator.sources.kafka;

import io.sluice.evolution.SourceTableId;
import io.sluice.replicator.letters.KeptLetter;
import io.sluice.replicator.letters.LetterWork;
import io.sluice.replicator.messages.Message;
import io.sluice.replicator.sources.kafka.TopicWatch.Topic;
import io.sluice.sinks.ChangeInput;
import io.sluice.sinks.Liveness;
import io.sluice.sinks.PipelineStoppedException;
import io.sluice.sinks.PipelineStoppedException.Reason;
import io.sluice.sinks.RecoveredState;
import io.sluice.sinks.SourceCallbacks;
import io.sluice.sinks.SourcePosition;
import io.sluice.sinks.TableTarget;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One run of topics as a source: from a recovered state to its end. A fault, whatever it is, ends
 * the run; going on is a new run from the last committed epoch.
 *
 * <p>Every batch that the consumer gives ends at a place to cut at: the offsets behind it. Order of
 * use: construct, hand it to the pipeline as its {@link SourceCallbacks}, {@link #start}, {@link
 * #close}. Thread safe.
 */
public final class KafkaSource implements SourceCallbacks, AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(KafkaSource.class);

  private static final Duration POLL = Duration.ofMillis(50);

  /** Until a cut that waits is made although nothing more comes. */
  private static final Duration POLL_BEFORE_CUT = Duration.ofMillis(5);

  /** Between two cuts while messages come: each tells where every partition stands. */
  private static final long CUT_NANOS = 10_000_000L;

  private static final long CLOSE_SECONDS_MAX = 30;
  private static final long GROUP_COMMIT_NANOS = 5_000_000_000L;

  /** Looks at the cluster that fail, one after the other, until it is taken for gone. */
  private static final int FAULTS_MAX = 3;

  private final KafkaSettings settings;
  private final MessageIntake intake;
  private final Liveness.Stage stage;
  private final CompletableFuture<Void> terminated = new CompletableFuture<>();
  private final AtomicBoolean closing = new AtomicBoolean();
  private final Queue<Wanted> letters = new ConcurrentLinkedQueue<>();
  private KafkaPosition position = new KafkaPosition();
  private volatile @Nullable KafkaConsumer<byte[], byte[]> consumer;
  private volatile @Nullable CatchUps catchUps;
  private final LagWatch lag;
  private long newestMicros;
  private final RecordTimes times = new RecordTimes();
  private @Nullable Long watermark;
  private boolean cutIsDue;
  private long cutNanos;
  private long groupCommittedNanos;
  private @Nullable SourcePosition groupCommitted;

  /** Dead letters that somebody wants something done with. */
  private record Wanted(
      LetterWork work, List<KeptLetter> some, CompletableFuture<List<Optional<String>>> outcomes) {}

  /** What one run reads with. */
  private record Reading(
      KafkaConsumer<byte[], byte[]> consumer,
      Partitions partitions,
      TopicWatch watch,
      ChangeInput input,
      CatchUps catchUps,
      Supplier<Optional<SourcePosition>> finished) {}

  /**
   * @param liveness gets a stage for the thread that reads and hands over
   */
  public KafkaSource(KafkaSettings settings, Liveness liveness) {
    this.settings = settings;
    this.intake = new MessageIntake(settings);
    this.lag = new LagWatch(settings.nanoTime());
    this.stage = liveness.stage("source");
    this.cutNanos = settings.nanoTime().getAsLong();
    this.groupCommittedNanos = cutNanos;
  }

  @Override
  public Optional<TableTarget> target(SourceTableId table) {
    return Optional.of(intake.target(table));
  }

  /** Nothing is copied beside topics. */
  @Override
  public String deliveredMark() {
    return "";
  }

  @Override
  public List<String> foldHistory(List<String> history) {
    return TableRecords.fold(history);
  }

  /**
   * Begins to read.
   *
   * @param letters all that were set aside
   * @param finished the position of the newest epoch that is in all its tables
   * @throws PipelineStoppedException if it can't begin: the cluster can't be reached, the position
   *     is of another source
   */
  public void start(
      ChangeInput input,
      RecoveredState state,
      LetterPlaces letters,
      Supplier<Optional<SourcePosition>> finished) {
    recover(state);
    intake.begin(input, state.history());
    KafkaConsumer<byte[], byte[]> opened = settings.newConsumer();
    consumer = opened;
    TopicWatch watch =
        new TopicWatch(
            settings.newAdmin(),
            settings.kafka()::reads,
            settings.kafka().discoveryInterval(),
            FAULTS_MAX,
            settings.pipeline());
    var partitions = new Partitions(settings.pipeline(), settings.kafka(), opened, position);
    var backs =
        new CatchUps(
            settings.pipeline(),
            input,
            intake,
            letters,
            position,
            (table, settled) ->
                new CatchUp(
                    settings,
                    intake,
                    input,
                    partitions,
                    position,
                    settled,
                    this::requireOpen,
                    table),
            () -> cut(input));
    partitions.onChange(
        fresh -> {
          backs.partitionsCame(fresh);
          cutIsDue |= !fresh.isEmpty();
        });
    backs.begin();
    catchUps = backs;
    terminated.whenComplete((nothing, why) -> backs.end(why));
    boolean isNew = state.position().isEmpty();
    var thread =
        new Thread(
            () -> run(new Reading(opened, partitions, watch, input, backs, finished), isNew),
            "source-" + settings.pipeline());
    thread.setDaemon(true);
    thread.start();
  }

  private void recover(RecoveredState state) {
    if (state.position().isEmpty()) {
      return;
    }
    try {
      position = KafkaPosition.parse(state.position().get());
    } catch (IllegalArgumentException e) {
      throw new PipelineStoppedException(
          Reason.MISCONFIGURED,
          "Pipeline "
              + settings.pipeline()
              + " stands at "
              + state.position().get().text()
              + ", which is no position in topics: the source in the config is of another kind"
              + " than before.",
          e);
    }
  }

  private void run(Reading run, boolean isNew) {
    stage.enter();
    PipelineStoppedException why;
    try (TopicWatch watch = run.watch) {
      stage.works();
      run.partitions.discover(lookFirst(), isNew ? settings.kafka().start() : null);
      if (isNew) {
        keepBeginning(run);
      }
      watch.start();
      while (!closing.get()) {
        step(run);
      }
      why = new PipelineStoppedException(Reason.CLOSED, "The source was asked to stop");
    } catch (Throwable e) {
      why = explain(e);
    } finally {
      stage.rests();
      stage.leave();
    }
    run.catchUps.close();
    try {
      run.consumer.close(
          org.apache.kafka.clients.consumer.CloseOptions.timeout(Duration.ofSeconds(2)));
    } catch (KafkaException e) {
      LOG.debug("The consumer did not close cleanly", e);
    }
    terminated.completeExceptionally(why);
  }

  /**
   * Before the first message is read an epoch holds where it began: a restart would find another
   * "latest".
   */
  private void keepBeginning(Reading run) {
    run.input.history(TableRecords.BEGUN);
    run.input.cutPoint(position.toSourcePosition(), 0);
    stage.rests();
    while (run.finished.get().isEmpty() && !closing.get()) {
      awaitEnd(POLL);
    }
  }

  private Map<String, Topic> lookFirst()
      throws InterruptedException, TopicWatch.UnreachableException {
    try (org.apache.kafka.clients.admin.Admin admin = settings.newAdmin()) {
      return TopicWatch.look(admin, settings.kafka()::reads);
    }
  }

  private PipelineStoppedException explain(Throwable e) {
    if (e instanceof PipelineStoppedException stopped) {
      return stopped;
    }
    if (closing.get()
        && (e instanceof WakeupException
            || e instanceof InterruptException
            || e instanceof InterruptedException)) {
      return new PipelineStoppedException(Reason.CLOSED, "The source was asked to stop", e);
    }
    if (e instanceof TopicWatch.UnreachableException || e instanceof KafkaException) {
      return new PipelineStoppedException(
          Reason.UNREACHABLE,
          "Kafka at " + settings.kafka().bootstrapServers() + ": " + e.getMessage(),
          e);
    }
    if (e instanceof io.sluice.replicator.messages.registry.RegistryUnavailableException) {
      return new PipelineStoppedException(Reason.UNREACHABLE, String.valueOf(e.getMessage()), e);
    }
    if (e instanceof io.sluice.sinks.TableRefusedException refused) {
      return new PipelineStoppedException(
          refused.reason(), String.valueOf(refused.getMessage()), refused);
    }
    return new PipelineStoppedException(
        Reason.PROTECTED,
        "Stopped to protect data, by an error of Sluice's own while reading topics: " + e,
        e);
  }

  private void step(Reading run) throws TopicWatch.UnreachableException, InterruptedException {
    Map<String, Topic> news = run.watch.takeNews();
    if (news != null) {
      run.partitions.discover(news, null);
    }
    takeLetters(run.input);
    ConsumerRecords<byte[], byte[]> records =
        run.catchUps.holdsStream(settings.nanoTime().getAsLong())
            ? ConsumerRecords.empty()
            : poll(run);
    stage.works();
    if (!records.nextOffsets().isEmpty()) {
      // Without a message, too: ends of transactions and what was taken back by them.
      lag.read(records);
      take(records, run.input);
      cutIsDue = true;
    } else {
      TopicWatch.UnreachableException fault = run.watch.fault();
      if (fault != null) {
        throw fault;
      }
    }
    run.catchUps.step(records.count());
    lag.look(run.partitions.assigned(), run.consumer::currentLag);
    long now = settings.nanoTime().getAsLong();
    if (cutIsDue && (records.isEmpty() || now - cutNanos >= CUT_NANOS)) {
      watermark =
          times.watermark(run.partitions.assigned(), each -> run.partitions.isAtEnd(each), now);
      cut(run.input);
      cutNanos = now;
    }
    tellGroup(run, now);
  }

  /**
   * Takes dead letters in, or drops them, at the place where the stream is; with them stands in the
   * same epoch what became of them.
   *
   * @return for each why it still waits; empty: it doesn't
   */
  public CompletableFuture<List<Optional<String>>> letters(LetterWork work, List<KeptLetter> some) {
    var wanted = new Wanted(work, List.copyOf(some), new CompletableFuture<>());
    letters.add(wanted);
    terminated.whenComplete((nothing, why) -> wanted.outcomes.completeExceptionally(why));
    return wanted.outcomes;
  }

  /**
   * Has a parked table come back: its topics are read for it once more, beside the stream, from
   * where it was parked. Done when that has begun; fails with a {@link
   * io.sluice.sinks.TableRefusedException} if it can't, and with whatever ends the source before.
   */
  public CompletableFuture<Void> resume(SourceTableId table) {
    CatchUps backs = catchUps;
    if (backs == null) {
      return CompletableFuture.failedFuture(
          new PipelineStoppedException(Reason.CLOSED, "The source has not begun"));
    }
    CompletableFuture<Void> begun = backs.ask(table);
    terminated.whenComplete((nothing, why) -> begun.completeExceptionally(why));
    return begun;
  }

  private void requireOpen() {
    if (closing.get()) {
      throw new PipelineStoppedException(Reason.CLOSED, "The source was asked to stop");
    }
    stage.works();
  }

  private void takeLetters(ChangeInput input) {
    for (Wanted wanted = letters.poll(); wanted != null; wanted = letters.poll()) {
      List<Optional<String>> outcomes = new ArrayList<>();
      for (KeptLetter letter : wanted.some) {
        if (closing.get()) {
          throw new PipelineStoppedException(Reason.CLOSED, "The source was asked to stop");
        }
        stage.works();
        outcomes.add(intake.settle(wanted.work, letter, newestMicros));
      }
      cut(input);
      wanted.outcomes.complete(outcomes);
    }
  }

  private void cut(ChangeInput input) {
    cutIsDue = false;
    input.cutPoint(position.toSourcePosition(), newestMicros, watermark);
  }

  private ConsumerRecords<byte[], byte[]> poll(Reading run)
      throws TopicWatch.UnreachableException, InterruptedException {
    try {
      if (run.partitions.assigned().isEmpty()) {
        // Poll would complain; the watch brings partitions.
        stage.rests();
        awaitEnd(POLL);
        return ConsumerRecords.empty();
      }
      boolean isShort = cutIsDue || run.catchUps.isActive();
      return run.consumer.poll(isShort ? POLL_BEFORE_CUT : POLL);
    } catch (OffsetOutOfRangeException e) {
      stage.works();
      run.partitions.lostRange(e, run.watch.lookNow());
      cutIsDue = true;
      return ConsumerRecords.empty();
    }
  }

  private void awaitEnd(Duration time) {
    try {
      terminated.get(time.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException | ExecutionException e) {
      LOG.trace("Goes on", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new PipelineStoppedException(Reason.CLOSED, "Interrupted", e);
    }
  }

  private void take(ConsumerRecords<byte[], byte[]> records, ChangeInput input) {
    for (TopicPartition partition : records.partitions()) {
      long newestMillis = Long.MIN_VALUE;
      for (ConsumerRecord<byte[], byte[]> record : records.records(partition)) {
        if (closing.get()) {
          throw new PipelineStoppedException(Reason.CLOSED, "The source was asked to stop");
        }
        Message message = message(record);
        MessageIntake.Taken taken = intake.take(message);
        if (taken == MessageIntake.Taken.REFUSED) {
          // What came before it is committed, it is not.
          position.put(partition, record.offset(), Optional.empty());
          cut(input);
          throw intake.refusal(message);
        }
        newestMillis = Math.max(newestMillis, record.timestamp());
        newestMicros = Math.max(newestMicros, record.timestamp() * 1000);
        if (taken == MessageIntake.Taken.TRUNCATED) {
          position.put(partition, record.offset() + 1, record.leaderEpoch());
          cut(input);
        }
        stage.works();
      }
      if (newestMillis >= 0) {
        times.took(partition, newestMillis, settings.nanoTime().getAsLong());
      }
      // One partition is taken wholly before the next one begins.
      put(partition, records.nextOffsets());
    }
    for (TopicPartition partition : records.nextOffsets().keySet()) {
      put(partition, records.nextOffsets());
    }
  }

  private void put(TopicPartition partition, Map<TopicPartition, OffsetAndMetadata> next) {
    OffsetAndMetadata place =
        Objects.requireNonNull(next.get(partition), "Where there are messages there is a next one");
    position.put(partition, place.offset(), place.leaderEpoch());
  }

  static Message message(ConsumerRecord<byte[], byte[]> record) {
    Header[] all = record.headers().toArray();
    List<Message.Header> headers = all.length == 0 ? List.of() : new ArrayList<>(all.length);
    for (Header header : all) {
      headers.add(new Message.Header(header.key(), header.value()));
    }
    return new Message(
        record.topic(),
        record.partition(),
        record.offset(),
        record.timestamp(),
        record.key(),
        record.value(),
        headers);
  }

  /** For lag tools; nobody reads it back. */
  private void tellGroup(Reading run, long now) {
    if (settings.kafka().group().isEmpty() || now - groupCommittedNanos < GROUP_COMMIT_NANOS) {
      return;
    }
    groupCommittedNanos = now;
    Optional<SourcePosition> newest = run.finished.get();
    if (newest.isEmpty() || newest.get().equals(groupCommitted)) {
      return;
    }
    groupCommitted = newest.get();
    KafkaPosition committed = KafkaPosition.parse(newest.get());
    Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
    for (TopicPartition partition : run.partitions.assigned()) {
      if (committed.offset(partition) != null
          && Objects.equals(
              committed.topicId(partition.topic()), position.topicId(partition.topic()))) {
        offsets.put(partition, committed.place(partition));
      }
    }
    run.consumer.commitAsync(
        offsets,
        (told, failure) -> {
          if (failure != null) {
            LOG.debug("Lag tools don't see the newest position", failure);
          }
        });
  }

  /** How far behind its topics it is. */
  public TopicLag lag() {
    return lag.newest();
  }

  /** Ends, always exceptionally, with a {@link PipelineStoppedException}; CLOSED after close. */
  public CompletableFuture<Void> terminated() {
    return terminated;
  }

  /** Stops and waits until the thread has ended; what was handed over stays handed over. */
  @Override
  public void close() {
    closing.set(true);
    KafkaConsumer<byte[], byte[]> opened = consumer;
    if (opened == null) {
      terminated.completeExceptionally(
          new PipelineStoppedException(Reason.CLOSED, "The source was asked to stop"));
      return;
    }
    opened.wakeup();
    try {
      terminated.get(CLOSE_SECONDS_MAX, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      LOG.debug("The source has ended", e);
    } catch (TimeoutException e) {
      LOG.warn("The source did not end within {} s; it is left behind", CLOSE_SECONDS_MAX);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
