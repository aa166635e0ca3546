package io.sluice.replicator.daemon;

import io.sluice.lsm.io.FileIO;
import io.sluice.sinks.PipelineStoppedException;
import io.sluice.sinks.PipelineStoppedException.Reason;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * {@code _sluice/<pipeline>/lease}: a courtesy that keeps a second daemon of one pipeline from
 * starting by mistake. It fences nothing: that is done by the epoch files. So a lease that names
 * another daemon is no reason to stop; it is one to look who owns the newest epoch.
 */
final class Lease implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(Lease.class);

  /** How often it is renewed. */
  static final Duration RENEWAL = Duration.ofSeconds(5);

  private static final Duration LOOK = Duration.ofSeconds(1);

  /** So many looks without a renewal: nobody holds it. By this process's own clock. */
  static final int LOOKS = 15;

  /** The same for a rival's lease while this daemon is the owner, in renewals. */
  private static final int RIVAL_LOOKS = 3;

  /** This process's own time; a test has another. */
  interface Time {
    /** A clock that only goes forward. */
    long nanos();

    /** Whether it was completed within this time. */
    boolean await(CompletableFuture<?> future, Duration time);
  }

  private static final Time REAL_TIME =
      new Time() {
        @Override
        public long nanos() {
          return System.nanoTime();
        }

        @Override
        public boolean await(CompletableFuture<?> future, Duration time) {
          return Lease.await(future, time);
        }
      };

  /** Whether the pipeline has another owner by now: the newest epoch tells. */
  interface Overtaken {
    boolean check() throws IOException;
  }

  private final FileIO fileIO;
  private final String folder;
  private final String path;
  private final String id;
  private final ProcessTable processes;
  private final Time time;
  private final CompletableFuture<Void> closed = new CompletableFuture<>();
  private boolean fromTheLiving;
  private long beat;
  private byte @Nullable [] rival;
  private int rivalLooks;
  private int failures;

  /**
   * @param folder {@code _sluice/<pipeline>} of the warehouse
   * @param id of this daemon, new at every start
   */
  Lease(FileIO fileIO, String folder, String id, ProcessTable processes, Time time) {
    this.fileIO = fileIO;
    this.folder = folder;
    this.path = folder + "/lease";
    this.id = id;
    this.processes = processes;
    this.time = time;
  }

  Lease(FileIO fileIO, String folder, String id) {
    this(fileIO, folder, id, new LinuxProcesses(), REAL_TIME);
  }

  /**
   * Takes the lease: at once if nobody has it, if its holder is known to be dead, or to take over;
   * else after watching for 15 s that nobody renews it.
   *
   * @param stop ends the watching
   * @throws PipelineStoppedException PROTECTED if another daemon renews it, UNREACHABLE if the
   *     warehouse can't be written, CLOSED if stopped
   */
  void take(boolean takeOver, CompletableFuture<Void> stop) {
    take(takeOver, true, stop);
  }

  /**
   * Takes the lease if nobody has it, if its holder is known to be dead, or gives it back while it
   * is watched. For work that only the lease protects, which doesn't keep a daemon that was asleep
   * from going on.
   *
   * @throws PipelineStoppedException as {@link #take}; PROTECTED, too, if the holder may be asleep:
   *     its lease is left alone
   */
  void takeFromNobody(CompletableFuture<Void> stop) {
    take(false, false, stop);
  }

  private void take(boolean takeOver, boolean fromSleepers, CompletableFuture<Void> stop) {
    try {
      fileIO.makeFolder(folder);
      byte[] present = read();
      while (present == null) {
        if (fileIO.createExclusively(path, nextText())) {
          return;
        }
        // Two begin at once: the other one was faster, or an earlier try of our own.
        present = read();
      }
      LeaseHolder holder = LeaseHolder.parse(present);
      if (holder.id().equals(id)) {
        return;
      }
      if (processes.isKnownDead(holder.process())) {
        LOG.info("The lease {} is of {}, which has died: going on at once", path, holder);
      } else if (takeOver) {
        fromTheLiving = true;
        LOG.warn("Taking over from {}, which has the lease {}", holder, path);
      } else {
        boolean free = watch(present, holder, stop);
        if (!free && !fromSleepers) {
          throw new PipelineStoppedException(
              Reason.PROTECTED,
              holder
                  + " has the lease "
                  + path
                  + ". It has not renewed it for 15 s, but may be asleep, and would go on with files"
                  + " that only it knows. Nothing was changed. Stop that daemon first; if it is gone"
                  + " for good, delete "
                  + path
                  + ".");
        }
        if (!free) {
          LOG.warn("{} hasn't renewed the lease: going on without it", holder);
        }
        fromTheLiving = true;
      }
      write();
    } catch (IOException e) {
      throw new PipelineStoppedException(
          Reason.UNREACHABLE, "The lease " + path + " can't be written: " + e, e);
    }
  }

  /** After {@link #take}: whether it was taken from a daemon that may be alive. */
  boolean wasTakenFromTheLiving() {
    return fromTheLiving;
  }

  /** The lease's text; null if there is none. */
  private byte @Nullable [] read() throws IOException {
    try {
      return fileIO.readAll(path);
    } catch (FileNotFoundException e) {
      return null;
    }
  }

  /** True if it was given back, false if nobody has renewed it. */
  private boolean watch(byte[] present, LeaseHolder holder, CompletableFuture<Void> stop)
      throws IOException {
    LOG.info(
        "The lease {} is of {}; watching for {} s whether it is renewed ('sluice run --take-over'"
            + " doesn't wait)",
        path,
        holder,
        LOOK.multipliedBy(LOOKS).toSeconds());
    for (int look = 0; look < LOOKS; look++) {
      if (time.await(stop, LOOK)) {
        throw new PipelineStoppedException(Reason.CLOSED, "Asked to stop");
      }
      byte[] now = read();
      if (now == null) {
        return true;
      }
      if (!Arrays.equals(now, present)) {
        throw new PipelineStoppedException(
            Reason.PROTECTED,
            "Another daemon runs this pipeline: "
                + LeaseHolder.parse(now)
                + " has just renewed "
                + path
                + ". Nothing was changed. Stop that one first; if it can't be stopped, 'sluice run"
                + " --take-over' takes the pipeline from it.");
      }
    }
    return false;
  }

  private byte[] nextText() {
    return new LeaseHolder(processes.own(), id, ++beat).write();
  }

  private void write() throws IOException {
    fileIO.replace(path, nextText());
  }

  /**
   * Keeps the lease renewed until {@link #close}, on a thread of its own.
   *
   * @param lost hears once, on that thread, that the pipeline has another owner
   */
  void keep(String threadName, Overtaken overtaken, Runnable lost) {
    var thread =
        new Thread(
            () -> {
              while (!time.await(closed, RENEWAL)) {
                if (!renew(overtaken)) {
                  lost.run();
                  return;
                }
              }
            },
            threadName);
    thread.setDaemon(true);
    thread.start();
  }

  /**
   * Renews it, unless another daemon has written it: its lease is left alone while it is renewed,
   * for that one may be about to take over. Who has the newest epoch is the owner.
   *
   * @return false if the pipeline has another owner
   */
  synchronized boolean renew(Overtaken overtaken) {
    if (closed.isDone()) {
      return true;
    }
    try {
      boolean mine = renewOrNot(overtaken);
      if (failures > 0) {
        LOG.info("The lease {} is renewed again, after {} tries that failed", path, failures);
        failures = 0;
      }
      return mine;
    } catch (IOException | RuntimeException e) {
      failures++;
      // The first, the second, the fourth ...: said soon, and not each time.
      if (Integer.bitCount(failures) == 1) {
        LOG.warn("The lease {} can't be renewed (try {}): {}", path, failures, e.toString());
      }
      return true;
    }
  }

  private boolean renewOrNot(Overtaken overtaken) throws IOException {
    long began = time.nanos();
    byte[] present = read();
    if (present != null && LeaseHolder.parse(present).id().equals(id)) {
      rival = null;
      write();
      // Who was put to sleep between the two may have written over another's lease.
      return time.nanos() - began < RENEWAL.toNanos() || !overtaken.check();
    }
    if (overtaken.check()) {
      return false;
    }
    if (present == null) {
      fileIO.createExclusively(path, nextText());
    } else if (rival == null || !Arrays.equals(rival, present)) {
      rival = present;
      rivalLooks = 0;
    } else if (++rivalLooks >= RIVAL_LOOKS) {
      rival = null;
      write();
    }
    return true;
  }

  /** Whether it was completed within this time. */
  static boolean await(CompletableFuture<?> future, Duration time) {
    try {
      future.get(time.toMillis(), TimeUnit.MILLISECONDS);
      return true;
    } catch (TimeoutException e) {
      return false;
    } catch (ExecutionException e) {
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return true;
    }
  }

  /** Gives it back: the next daemon needn't wait. */
  @Override
  public synchronized void close() {
    closed.complete(null);
    try {
      byte[] present = read();
      if (present != null && LeaseHolder.parse(present).id().equals(id)) {
        fileIO.delete(path);
        if (fileIO.list(folder).isEmpty()) {
          // Of a pipeline that was ended meanwhile, or never came to an epoch.
          fileIO.deleteQuietly(folder);
        }
      }
    } catch (IOException e) {
      LOG.debug("The lease {} was not given back", path, e);
    }
  }
}
