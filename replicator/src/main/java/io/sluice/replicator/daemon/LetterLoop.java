package io.sluice.replicator.daemon;

import io.sluice.replicator.daemon.LetterRequests.Answer;
import io.sluice.replicator.daemon.LetterRequests.Request;
import io.sluice.replicator.letters.KeptLetter;
import io.sluice.replicator.letters.LetterBox;
import io.sluice.replicator.letters.LetterWork;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks for {@link LetterRequests} while a pipeline runs, reads the letters from the lake and hands
 * them to the source, some at a time.
 */
final class LetterLoop implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(LetterLoop.class);
  private static final int BATCH_LETTERS_MAX = 200;
  private static final long BATCH_BYTES_MAX = 8 << 20;

  /** A person reads them. */
  private static final int REASONS_MAX = 100;

  /** What it asks of the run that it belongs to. */
  interface Run {
    /** See {@link PipelineSource#letters}. */
    CompletableFuture<List<Optional<String>>> letters(LetterWork work, List<KeptLetter> letters);

    /** See {@link io.sluice.sinks.pipeline.Pipeline#awaitCommitted}. */
    void awaitCommitted() throws InterruptedException;
  }

  private final LetterRequests requests;
  private final LetterBox box;
  private final Run run;
  private final RequestWatch watch;

  LetterLoop(String pipeline, LetterRequests requests, LetterBox box, Run run) {
    this.requests = requests;
    this.box = box;
    this.run = run;
    this.watch = new RequestWatch(pipeline + "-letters", "Requests for dead letters", this::look);
  }

  void start() {
    watch.start();
  }

  private void look() throws IOException, InterruptedException {
    for (Request request : requests.open()) {
      requests.answer(request.id(), handle(request));
    }
  }

  private Answer handle(Request request) throws IOException, InterruptedException {
    // What an earlier try of the same has begun has to be in the lake: else it is done twice.
    run.awaitCommitted();
    var batch = new Batch(request.work());
    switch (request.work()) {
      case REPLAY -> box.forEachWaiting(request.which(), batch::add);
      case DROP -> {
        for (KeptLetter letter : box.list(request.which())) {
          if (letter.waiting() > 0) {
            batch.add(letter);
          }
        }
      }
    }
    batch.handOver();
    run.awaitCommitted();
    LOG.info(
        "Dead letters, as was asked: {} {}, {} stay",
        batch.done,
        request.work().outcome().text(),
        batch.staying);
    return new Answer(batch.done, batch.staying, batch.why, null);
  }

  /** Letters on their way to the source, and what became of those before. */
  private final class Batch {
    private final LetterWork work;
    private final List<String> why = new ArrayList<>();
    private List<KeptLetter> letters = new ArrayList<>();
    private long bytes;
    private long done;
    private long staying;

    Batch(LetterWork work) {
      this.work = work;
    }

    void add(KeptLetter letter) throws InterruptedException {
      letters.add(letter);
      byte[] value = letter.letter().value();
      bytes += value == null ? 0 : value.length;
      if (letters.size() >= BATCH_LETTERS_MAX || bytes >= BATCH_BYTES_MAX) {
        handOver();
      }
    }

    void handOver() throws InterruptedException {
      if (letters.isEmpty()) {
        return;
      }
      List<Optional<String>> outcomes;
      try {
        outcomes = run.letters(work, letters).get();
      } catch (ExecutionException e) {
        throw PipelineRun.asStop(e);
      }
      for (int i = 0; i < outcomes.size(); i++) {
        if (outcomes.get(i).isEmpty()) {
          done++;
        } else {
          staying++;
          if (why.size() < REASONS_MAX) {
            why.add(letters.get(i).name() + ": " + outcomes.get(i).get());
          }
        }
      }
      letters = new ArrayList<>();
      bytes = 0;
    }
  }

  @Override
  public void close() {
    watch.close();
  }
}
