package io.sluice.sinks.shard;

import io.sluice.lsm.write.MemoryPool;
import io.sluice.sinks.Liveness;
import io.sluice.sinks.epoch.StorageRetry;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;

/** The workers of one pipeline and their threads. Thread safe. */
public final class ShardPool {

  private final List<ShardWorker> workers = new ArrayList<>();
  private final List<Thread> threads = new ArrayList<>();

  /**
   * @param onFailure called once or more, on a worker's thread; the worker has ended
   */
  public ShardPool(
      String pipeline,
      int workerCount,
      long queueBytesMax,
      int rememberedDeletesMax,
      MemoryPool memory,
      StorageRetry retry,
      Liveness liveness,
      Consumer<Throwable> onFailure) {
    for (int i = 0; i < workerCount; i++) {
      ShardWorker worker =
          new ShardWorker(
              queueBytesMax,
              memory,
              retry,
              liveness.stage("shard worker " + i),
              rememberedDeletesMax,
              Collections.unmodifiableList(workers),
              onFailure);
      workers.add(worker);
      Thread thread = new Thread(worker, pipeline + "-shard-" + i);
      thread.setDaemon(true);
      threads.add(thread);
    }
  }

  public void start() {
    threads.forEach(Thread::start);
  }

  public List<ShardWorker> workers() {
    return Collections.unmodifiableList(workers);
  }

  /** To every worker, behind all that was pushed before. REQUIRES: the router's lock. */
  public void pushToAll(ShardMessage message) {
    workers.forEach(worker -> worker.push(message));
  }

  /** Ends all workers; what they hold is dropped. */
  public void close() {
    workers.forEach(ShardWorker::close);
    threads.forEach(Thread::interrupt);
  }

  /** After {@link #close}: waits until the threads are gone. */
  public void join(long millis) throws InterruptedException {
    for (Thread thread : threads) {
      if (thread != Thread.currentThread()) {
        thread.join(millis);
      }
    }
  }
}
