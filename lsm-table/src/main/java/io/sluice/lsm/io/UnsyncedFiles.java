package io.sluice.lsm.io;

import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Files of a local disk that are complete and not yet durable, and the barrier that makes them so.
 *
 * <ul>
 *   <li>A barrier syncs files and their folders side by side: they share a commit of the file
 *       system's journal, so that all of them together take little longer than one.
 *   <li>A file stays open until it is synced: for certain an error of writing its bytes back is
 *       told only to who has held it open since.
 *   <li>A sync that failed is never tried again. The system may have dropped the bytes, and would
 *       call a second one done: the file stays undurable for every barrier until it is deleted.
 *   <li>So that not too many are open, the eldest is synced when there are more than a bound.
 * </ul>
 *
 * <p>Thread safe.
 */
final class UnsyncedFiles {

  private static final int OPEN_MAX = 256;
  private static final int THREADS = 8;
  private static final int THREAD_IDLE_SECONDS = 10;

  private final Map<Path, Sync> files = new LinkedHashMap<>();
  private int open;

  /** Threads come with work and go without it. */
  private final ThreadPoolExecutor threads =
      new ThreadPoolExecutor(
          THREADS,
          THREADS,
          THREAD_IDLE_SECONDS,
          TimeUnit.SECONDS,
          new LinkedBlockingQueue<>(),
          work -> {
            Thread thread = new Thread(work, "disk-sync");
            thread.setDaemon(true);
            return thread;
          });

  UnsyncedFiles() {
    threads.allowCoreThreadTimeOut(true);
  }

  /** One file or folder to be synced, once, by whichever thread comes first. */
  private static class Sync extends FutureTask<Boolean> {
    final Path path;

    Sync(Path path, Callable<Boolean> work) {
      super(work);
      this.path = path;
    }
  }

  private final class OpenFile extends Sync {
    final FileOutputStream stream;

    OpenFile(Path path, FileOutputStream stream) {
      super(
          path,
          () -> {
            try (stream) {
              stream.getFD().sync();
            }
            return true;
          });
      this.stream = stream;
    }

    @Override
    protected void done() {
      synchronized (UnsyncedFiles.this) {
        open--;
      }
    }
  }

  /** Takes over a file whose bytes are all written. */
  void add(Path file, FileOutputStream stream) {
    Sync eldest = null;
    synchronized (this) {
      files.put(file, new OpenFile(file, stream));
      open++;
      if (open > OPEN_MAX) {
        eldest = files.values().stream().filter(sync -> !sync.isDone()).findFirst().orElse(null);
      }
    }
    if (eldest != null) {
      eldest.run();
      // A failure is told to who asks for the file.
      if (failure(eldest) == null) {
        remove(eldest);
      }
    }
  }

  /** The file is deleted. */
  void forget(Path file) throws IOException {
    Sync sync;
    synchronized (this) {
      sync = files.remove(file);
    }
    if (sync instanceof OpenFile unsynced && unsynced.cancel(false)) {
      // Another thread may be syncing it; then that one closes it as well, which does no harm.
      unsynced.stream.close();
    }
  }

  private synchronized void remove(Sync done) {
    files.remove(done.path, done);
  }

  /**
   * Makes files durable, with their names in the folders. Files that were not added, or synced
   * since, are synced by their path; those that do not exist are none of this method's business.
   *
   * @throws NotDurableException if any of them is not durable
   */
  void sync(Collection<Path> wanted, Collection<Path> folders) throws IOException {
    List<Sync> all = new ArrayList<>();
    // Never one that somebody else has begun before the file was there.
    Set<Path> distinct = new LinkedHashSet<>(folders);
    distinct.forEach(folder -> all.add(new Sync(folder, () -> syncIfThere(folder))));
    synchronized (this) {
      for (Path file : wanted) {
        Sync sync = files.get(file);
        all.add(sync != null ? sync : new Sync(file, () -> syncIfThere(file)));
      }
    }
    for (int i = 1; i < all.size(); i++) {
      threads.execute(all.get(i));
    }
    // This thread takes its share, and all of it where no other is free.
    all.forEach(FutureTask::run);
    NotDurableException failed = null;
    for (Sync sync : all) {
      Throwable failure = failure(sync);
      if (failure == null) {
        remove(sync);
      } else if (failed == null) {
        failed =
            new NotDurableException(
                "Cannot make "
                    + sync.path
                    + " durable: "
                    + failure
                    + ". Nothing refers to it yet. Look into the disk's health and room",
                failure);
      } else {
        failed.addSuppressed(failure);
      }
    }
    if (failed != null) {
      throw failed;
    }
  }

  /** Waits for the end, whoever interrupts. */
  private static @Nullable Throwable failure(Sync sync) {
    boolean interrupted = false;
    try {
      while (true) {
        try {
          sync.get();
          return null;
        } catch (ExecutionException e) {
          return e.getCause();
        } catch (java.util.concurrent.CancellationException e) {
          return e;
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private static boolean syncIfThere(Path path) throws IOException {
    try {
      syncByPath(path);
    } catch (NoSuchFileException | NotDirectoryException e) {
      return false;
    }
    return true;
  }

  /** Syncs a folder, or a file by its path. */
  static void syncByPath(Path path) throws IOException {
    try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }
}
