package io.sluice.lsm.testing;

import io.sluice.lsm.io.FileIO;
import io.sluice.lsm.io.NotDurableException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Storage that goes wrong where a test says. Every call of the wrapped storage is an operation,
 * numbered from 1 (a created file counts at its creation and at its closing). Thread safe.
 *
 * <pre>
 * for (int n = 1; ; n++) {
 *   var storage = new FaultyFileIO(memory.copy()).inject(n, Fault.FAIL);
 *   ... act ...
 *   if (storage.operations() &lt; n) break; // every operation has had its turn
 * }
 * </pre>
 */
public final class FaultyFileIO implements FileIO {

  /** What happens to an operation. */
  public enum Fault {
    /** Not done; IOException. */
    FAIL,
    /** A file that is being created stays half written; IOException. Else like FAIL. */
    TEAR,
    /** Done, but the answer is an IOException. */
    NO_ANSWER,
    /**
     * Not done now, IOException; done by {@link #landLateRequests}. Writes only, else like FAIL.
     */
    LATE,
    /** Not done, nor any later operation: the process is dead. */
    CRASH,
    /** Done, but no later operation is. */
    CRASH_AFTER
  }

  /** Told of every operation before it is done; may block, or act on the storage itself. */
  @FunctionalInterface
  public interface Observer {
    void before(int number, String verb, String path) throws IOException;
  }

  @FunctionalInterface
  private interface Action<T> {
    T run() throws IOException;
  }

  @FunctionalInterface
  private interface LateRequest {
    void run() throws IOException;
  }

  private final FileIO inner;
  private final Map<Integer, Fault> faults = new HashMap<>();
  private final List<String> log = new ArrayList<>();
  private final List<LateRequest> late = new ArrayList<>();
  private boolean crashed;
  private volatile Observer observer = (number, verb, path) -> {};

  public FaultyFileIO(FileIO inner) {
    this.inner = inner;
  }

  /** Lets the n-th operation, counted from 1 since the beginning, go wrong. */
  public synchronized FaultyFileIO inject(int n, Fault fault) {
    faults.put(n, fault);
    return this;
  }

  /** Lets the next operation go wrong. */
  public synchronized FaultyFileIO injectNext(Fault fault) {
    return inject(log.size() + 1, fault);
  }

  public FaultyFileIO observe(Observer newObserver) {
    this.observer = newObserver;
    return this;
  }

  /** No faults from now on; a crashed process is alive again. */
  public synchronized void heal() {
    faults.clear();
    crashed = false;
  }

  public synchronized int operations() {
    return log.size();
  }

  /** Every operation so far as "verb path". */
  public synchronized List<String> log() {
    return List.copyOf(log);
  }

  public synchronized boolean crashed() {
    return crashed;
  }

  /** Does what LATE has held back, in order. */
  public void landLateRequests() throws IOException {
    List<LateRequest> requests;
    synchronized (this) {
      requests = List.copyOf(late);
      late.clear();
    }
    for (LateRequest request : requests) {
      request.run();
    }
  }

  private synchronized @Nullable Fault next(String verb, String path) throws IOException {
    if (crashed) {
      throw new IOException("The process is dead: " + verb + " " + path);
    }
    log.add(verb + " " + path);
    Fault fault = faults.get(log.size());
    if (fault == Fault.CRASH || fault == Fault.CRASH_AFTER) {
      crashed = true;
    }
    return fault;
  }

  private <T> T operate(
      String verb, String path, Action<T> action, @Nullable LateRequest lateRequest)
      throws IOException {
    Observer watching = observer;
    watching.before(operations() + 1, verb, path);
    Fault fault = next(verb, path);
    if (fault == null) {
      return action.run();
    }
    switch (fault) {
      case FAIL, TEAR, CRASH -> {}
      case NO_ANSWER, CRASH_AFTER -> action.run();
      case LATE -> {
        if (lateRequest != null) {
          synchronized (this) {
            late.add(lateRequest);
          }
        }
      }
    }
    throw new IOException("Injected " + fault + " at: " + verb + " " + path);
  }

  @Override
  public RandomReader open(String path) throws IOException {
    return operate("open", path, () -> inner.open(path), null);
  }

  @Override
  public byte[] readAll(String path) throws IOException {
    return operate("readAll", path, () -> inner.readAll(path), null);
  }

  @Override
  public OutputStream create(String path) throws IOException {
    return ending(path, operate("create", path, () -> inner.create(path), null));
  }

  @Override
  public OutputStream createUnsynced(String path) throws IOException {
    return ending(path, operate("create", path, () -> inner.createUnsynced(path), null));
  }

  @Override
  public void sync(Collection<String> paths) throws IOException {
    String all = String.join(" ", paths);
    observer.before(operations() + 1, "sync", all);
    Fault fault = next("sync", all);
    if (fault == null || fault == Fault.NO_ANSWER || fault == Fault.CRASH_AFTER) {
      inner.sync(paths);
    }
    if (fault != null) {
      String message = "Injected " + fault + " at: sync " + all;
      throw new NotDurableException(message, new IOException(message));
    }
  }

  private OutputStream ending(String path, OutputStream out) {
    return new ByteArrayOutputStream() {
      private boolean closed;

      @Override
      public void close() throws IOException {
        if (closed) {
          return;
        }
        closed = true;
        byte[] content = toByteArray();
        Fault fault = next("close", path);
        int length =
            fault == Fault.TEAR || fault == Fault.CRASH ? content.length / 2 : content.length;
        if (fault == Fault.FAIL || fault == Fault.LATE) {
          throw new IOException("Injected " + fault + " at: close " + path);
        }
        out.write(Arrays.copyOf(content, length));
        out.close();
        if (fault != null) {
          throw new IOException("Injected " + fault + " at: close " + path);
        }
      }
    };
  }

  /** The sync of what is needed, then the creation: two operations. */
  @Override
  public boolean createExclusively(String path, byte[] content, Collection<String> needed)
      throws IOException {
    sync(needed);
    return createExclusively(path, content);
  }

  @Override
  public boolean createExclusively(String path, byte[] content) throws IOException {
    return operate(
        "createExclusively",
        path,
        () -> inner.createExclusively(path, content),
        () -> inner.createExclusively(path, content));
  }

  @Override
  public void replace(String path, byte[] content) throws IOException {
    operate(
        "replace",
        path,
        () -> {
          inner.replace(path, content);
          return true;
        },
        () -> inner.replace(path, content));
  }

  @Override
  public boolean delete(String path) throws IOException {
    return operate("delete", path, () -> inner.delete(path), () -> inner.delete(path));
  }

  @Override
  public boolean exists(String path) throws IOException {
    return operate("exists", path, () -> inner.exists(path), null);
  }

  @Override
  public List<FileStatus> list(String folder) throws IOException {
    return operate("list", folder, () -> inner.list(folder), null);
  }

  @Override
  public void makeFolder(String folder) throws IOException {
    operate(
        "makeFolder",
        folder,
        () -> {
          inner.makeFolder(folder);
          return true;
        },
        null);
  }

  @Override
  public void deleteQuietly(String path) {
    try {
      delete(path);
    } catch (IOException e) {
      // Quietly: the fault has had its effect.
      return;
    }
  }
}
