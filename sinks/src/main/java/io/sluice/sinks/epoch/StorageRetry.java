package io.sluice.sinks.epoch;

import io.sluice.lsm.error.LsmException;
import io.sluice.lsm.error.StorageException;
import io.sluice.lsm.io.Backoff;
import io.sluice.sinks.Liveness;
import io.sluice.sinks.PipelineListener;
import io.sluice.sinks.PipelineStoppedException;
import io.sluice.sinks.PipelineStoppedException.Reason;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.NoSuchFileException;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tries storage again, for long: a full disk, a network or a right that comes back must heal by
 * itself. A file that is missing is tried a few times only. Thread safe.
 */
public final class StorageRetry {

  private static final Logger LOG = LoggerFactory.getLogger(StorageRetry.class);

  /** What may be tried again: a try that failed leaves nothing that disturbs the next one. */
  @FunctionalInterface
  public interface Call<T> {
    T call() throws IOException;
  }

  /** The same without a result. */
  @FunctionalInterface
  public interface Action {
    void run() throws IOException;
  }

  private static final int MISSING_FILE_TRIES = 4;

  /**
   * About two minutes of tries: then one folder is held for refused if others are not. All tables
   * wait meanwhile, for an epoch must be in all of its tables before the next one; but what is
   * parked must be copied anew, so a short trouble must not park.
   */
  private static final int FOLDER_TRIES = 15;

  /** About six hours of tries, the waits growing to 15 seconds. */
  private static final int TRIES_MAX = 1_450;

  private final Backoff backoff;
  private final int triesMax;
  private final PipelineListener listener;
  private final Runnable step;
  private final @Nullable BooleanSupplier elsewhere;

  public StorageRetry(Backoff backoff, int triesMax, PipelineListener listener) {
    this(backoff, triesMax, listener, () -> {}, null);
  }

  private StorageRetry(
      Backoff backoff,
      int triesMax,
      PipelineListener listener,
      Runnable step,
      @Nullable BooleanSupplier elsewhere) {
    this.elsewhere = elsewhere;
    this.backoff = backoff;
    this.triesMax = triesMax;
    this.listener = listener;
    this.step = step;
  }

  /** The same, with each try a sign of life of the thread that makes it. */
  public StorageRetry signsOfLife(Liveness liveness) {
    return new StorageRetry(backoff, triesMax, listener, liveness::step, elsewhere);
  }

  /**
   * The same for what is done in one table's folder: it is given up sooner, with a {@link
   * TableFaultException}, if storage answers elsewhere meanwhile, and at once if what is there is
   * not what it should be.
   */
  public StorageRetry ofOneFolder(BooleanSupplier storageAnswersElsewhere) {
    return new StorageRetry(backoff, triesMax, listener, step, storageAnswersElsewhere);
  }

  public static StorageRetry forLong(PipelineListener listener) {
    return new StorageRetry(
        Backoff.exponential(Duration.ofMillis(100), Duration.ofSeconds(15)), TRIES_MAX, listener);
  }

  /**
   * @param doing what is tried, with its table or file: for messages
   * @throws PipelineStoppedException UNREACHABLE after all tries, PROTECTED if a file is missing,
   *     CLOSED if the thread is interrupted
   */
  public <T> T run(String doing, Call<T> call) {
    for (int attempt = 1; ; attempt++) {
      step.run();
      try {
        T result = call.call();
        step.run();
        if (attempt > 1) {
          LOG.info("Storage answers again: {}", doing);
          listener.storageRecovered(doing);
        }
        return result;
      } catch (InterruptedIOException | ClosedByInterruptException e) {
        throw interrupted(doing, e);
      } catch (IOException | StorageException e) {
        afterFailure(doing, e, attempt);
      } catch (LsmException e) {
        throw elsewhere == null ? e : damaged(doing, e);
      }
    }
  }

  /** Trying again doesn't help; the other tables are as sound as before. */
  private static TableFaultException damaged(String doing, LsmException failure) {
    return new TableFaultException(
        Reason.PROTECTED, "Failed at " + doing + ": " + failure.getMessage(), failure);
  }

  public void run(String doing, Action action) {
    this.<Boolean>run(
        doing,
        () -> {
          action.run();
          return Boolean.TRUE;
        });
  }

  private void afterFailure(String doing, Exception failure, int attempt) {
    if (Thread.currentThread().isInterrupted()) {
      throw interrupted(doing, failure);
    }
    listener.storageFailed(doing, failure, attempt);
    boolean missing =
        failure instanceof FileNotFoundException || failure instanceof NoSuchFileException;
    boolean manyTries = attempt % FOLDER_TRIES == 0 || attempt >= triesMax;
    BooleanSupplier answers = elsewhere;
    if (answers != null
        && (manyTries || missing && attempt >= MISSING_FILE_TRIES)
        && answers.getAsBoolean()) {
      throw new TableFaultException(
          missing ? Reason.PROTECTED : Reason.UNREACHABLE,
          "Storage refused " + doing + " " + attempt + " times, and answers elsewhere: " + failure,
          failure);
    }
    if (missing && attempt >= MISSING_FILE_TRIES) {
      throw new PipelineStoppedException(
          Reason.PROTECTED,
          "Stopped at " + doing + ": a file that must be there is missing: " + failure.getMessage(),
          failure);
    }
    if (attempt >= triesMax) {
      throw new PipelineStoppedException(
          Reason.UNREACHABLE,
          "Gave up "
              + doing
              + " after "
              + attempt
              + " tries: "
              + failure
              + ". Nothing is lost; make the warehouse writable and start again.",
          failure);
    }
    // The first, the second, the fourth ...: said soon, and not a hundred times.
    if (Integer.bitCount(attempt) == 1) {
      LOG.warn(
          "Storage fails, {} (try {} of {}): {}", doing, attempt, triesMax, failure.toString());
    }
    try {
      backoff.pause(attempt);
    } catch (IOException e) {
      throw interrupted(doing, e);
    }
  }

  private static PipelineStoppedException interrupted(String doing, Exception cause) {
    Thread.currentThread().interrupt();
    return new PipelineStoppedException(Reason.CLOSED, "Interrupted while " + doing, cause);
  }
}
