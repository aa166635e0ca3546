package io.sluice.replicator.sources.kafka;

import io.sluice.evolution.SourceTableId;
import io.sluice.sinks.ChangeInput;
import io.sluice.sinks.DeadLetter;
import io.sluice.sinks.Parked;
import io.sluice.sinks.PipelineStoppedException;
import io.sluice.sinks.PipelineStoppedException.Reason;
import io.sluice.sinks.SourcePosition;
import io.sluice.sinks.TableRefusedException;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The tables of a run that are on their way back, one read after the other. Of the source's thread,
 * but for {@link #ask}.
 */
final class CatchUps implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(CatchUps.class);

  /** So few messages before it has caught up the stream waits for a table. */
  private static final long SPRINT_MESSAGES = 20_000;

  /** And no longer than this at once. */
  private static final long SPRINT_NANOS = 500_000_000L;

  /** Makes what one table is read with. */
  @FunctionalInterface
  interface Opener {
    CatchUp open(SourceTableId table, SettledPlaces settled);
  }

  /** A table that somebody wants back; or, without anybody, one that was under way. */
  private record Asked(SourceTableId table, @Nullable CompletableFuture<Void> begun) {}

  private final String pipeline;
  private final ChangeInput input;
  private final MessageIntake intake;
  private final LetterPlaces letters;
  private final KafkaPosition stream;
  private final Opener opener;
  private final Runnable cut;
  private final Queue<Asked> asked = new ConcurrentLinkedQueue<>();
  private final Deque<Asked> waiting = new ArrayDeque<>();
  private @Nullable CompletableFuture<SettledPlaces> loading;
  private @Nullable SettledPlaces settled;
  private final Deque<CatchUp> reading = new ArrayDeque<>();
  private long sprintNanos;

  /**
   * @param stream where the stream is
   * @param cut makes a place to cut at of where stream and tables are
   */
  CatchUps(
      String pipeline,
      ChangeInput input,
      MessageIntake intake,
      LetterPlaces letters,
      KafkaPosition stream,
      Opener opener,
      Runnable cut) {
    this.pipeline = pipeline;
    this.input = input;
    this.intake = intake;
    this.letters = letters;
    this.stream = stream;
    this.opener = opener;
    this.cut = cut;
  }

  /** Goes on with what was under way when the pipeline stopped. */
  void begin() {
    input
        .parked()
        .forEach(
            (table, parked) -> {
              if (parked.catchingUp()) {
                waiting.add(new Asked(table, null));
              }
            });
  }

  /** See {@link KafkaSource#resume}. Thread safe. */
  CompletableFuture<Void> ask(SourceTableId table) {
    var begun = new CompletableFuture<Void>();
    asked.add(new Asked(table, begun));
    return begun;
  }

  /** Nobody is brought back any more. Thread safe. */
  void end(Throwable why) {
    for (Asked each = asked.poll(); each != null; each = asked.poll()) {
      CompletableFuture<Void> begun = each.begun;
      if (begun != null) {
        begun.completeExceptionally(why);
      }
    }
  }

  boolean isActive() {
    return !reading.isEmpty();
  }

  /**
   * Whether the stream should wait a moment: it would run away from a table that is almost there.
   */
  boolean holdsStream(long nowNanos) {
    CatchUp now = reading.peek();
    if (now == null || now.behind() > SPRINT_MESSAGES) {
      sprintNanos = 0;
      return false;
    }
    if (sprintNanos == 0) {
      sprintNanos = nowNanos;
    }
    if (nowNanos - sprintNanos < SPRINT_NANOS) {
      return true;
    }
    sprintNanos = 0;
    return false;
  }

  /**
   * The stream begins with partitions that came up: so do tables that are left behind.
   *
   * @param fresh it stands where each begins
   */
  void partitionsCame(Collection<TopicPartition> fresh) {
    reading.forEach(CatchUp::looksAgain);
    if (fresh.isEmpty()) {
      return;
    }
    input.parked().forEach((table, parked) -> partitionsCame(fresh, table, parked));
  }

  private void partitionsCame(
      Collection<TopicPartition> fresh, SourceTableId table, Parked parked) {
    for (CatchUp each : reading) {
      if (each.table().equals(table)) {
        each.partitionsCame(fresh);
        return;
      }
    }
    String text = parked.position();
    if (text == null) {
      return;
    }
    var place = new SourcePosition(text);
    KafkaPosition own = KafkaPosition.parse(place);
    own.begin(fresh, stream);
    input.restate(table, place, own.toSourcePosition());
  }

  /**
   * Reads on for a while.
   *
   * @param streamTook messages that the stream took meanwhile
   */
  void step(int streamTook) {
    for (Asked each = asked.poll(); each != null; each = asked.poll()) {
      take(each);
    }
    if (!waiting.isEmpty()) {
      beginNext();
    }
    CatchUp now = reading.peek();
    if (now != null) {
      step(now, streamTook);
    } else if (waiting.isEmpty() && settled != null) {
      settled = null;
      intake.notesSettled(null);
    }
  }

  private void take(Asked wanted) {
    Parked parked = input.parked().get(wanted.table);
    CompletableFuture<Void> begun = wanted.begun;
    if (begun == null || parked != null && !parked.catchingUp()) {
      waiting.add(wanted);
    } else if (parked == null) {
      begun.completeExceptionally(
          new TableRefusedException(
              wanted.table,
              "Table "
                  + wanted.table
                  + " goes on with the others, and topics can't be asked for rows once more: only a"
                  + " parked table comes back, from where it was parked. To read its topics anew"
                  + " give it another table with into, in a pipeline of another name."));
    } else {
      begun.complete(null);
    }
  }

  private void step(CatchUp now, int streamTook) {
    Parked parked = input.parked().get(now.table());
    if (parked == null || !parked.catchingUp()) {
      // Somebody else has parked it.
      end(now);
      return;
    }
    try {
      boolean isThere = now.step(streamTook, cut);
      if (isThere) {
        input.join(now.table());
        end(now);
      }
      cut.run();
    } catch (TableRefusedException e) {
      end(now);
      park(now.table(), e);
    }
  }

  private void end(CatchUp one) {
    one.close();
    reading.remove(one);
    sprintNanos = 0;
  }

  private void park(SourceTableId table, TableRefusedException why) {
    if (!input.park(table, String.valueOf(why.getMessage()))) {
      throw why;
    }
    cut.run();
  }

  /** When all letters are known that there are: what the stream sets aside from now on is noted. */
  private void beginNext() {
    SettledPlaces known = settled;
    if (known == null) {
      known = new SettledPlaces();
      settled = known;
      intake.notesSettled(known);
      loading = load();
    }
    CompletableFuture<SettledPlaces> load = loading;
    if (load != null) {
      if (!load.isDone()) {
        return;
      }
      loading = null;
      known.addAll(loaded(load));
    }
    Asked next = waiting.remove();
    Parked parked = input.parked().get(next.table);
    boolean isRead = reading.stream().anyMatch(each -> each.table().equals(next.table));
    if (parked == null || isRead && parked.catchingUp()) {
      // It was asked for twice.
      if (next.begun != null) {
        next.begun.complete(null);
      }
      return;
    }
    reading.removeIf(each -> endsOf(each, next.table));
    CatchUp opened = opener.open(next.table, known);
    boolean begun = false;
    try {
      opened.begin();
      begun = true;
      reading.add(opened);
      cut.run();
      if (next.begun != null) {
        next.begun.complete(null);
      }
    } catch (TableRefusedException e) {
      if (next.begun == null) {
        park(next.table, e);
      } else {
        next.begun.completeExceptionally(e);
      }
    } finally {
      if (!begun) {
        opened.close();
      }
    }
  }

  /** Whether it is of this table, which somebody else has parked meanwhile; then it is over. */
  private static boolean endsOf(CatchUp one, SourceTableId table) {
    if (!one.table().equals(table)) {
      return false;
    }
    one.close();
    return true;
  }

  private CompletableFuture<SettledPlaces> load() {
    var result = new CompletableFuture<SettledPlaces>();
    var thread =
        new Thread(
            () -> {
              var places = new SettledPlaces();
              try {
                letters.tell((source, position, state) -> add(places, source, position, state));
                result.complete(places);
              } catch (IOException | InterruptedException | RuntimeException e) {
                result.completeExceptionally(e);
              }
            },
            "letters-" + pipeline);
    thread.setDaemon(true);
    thread.start();
    return result;
  }

  private static void add(
      SettledPlaces places, String source, String position, DeadLetter.State state) {
    Letters.Place place = Letters.Place.parse(position);
    if (place == null) {
      LOG.debug("Letter {}-{} is of no topic", source, position);
    } else if (state == DeadLetter.State.REPLAYED) {
      places.addReplayed(source, place);
    } else {
      places.add(source, place);
    }
  }

  private static SettledPlaces loaded(CompletableFuture<SettledPlaces> load) {
    try {
      return load.join();
    } catch (CompletionException e) {
      Throwable cause = e.getCause();
      if (cause instanceof PipelineStoppedException stopped) {
        throw stopped;
      }
      throw new PipelineStoppedException(
          Reason.UNREACHABLE, "Dead letters can't be read: " + cause, e);
    }
  }

  /** Ends what is being read; what was handed over stays handed over. */
  @Override
  public void close() {
    reading.forEach(CatchUp::close);
    reading.clear();
  }
}
