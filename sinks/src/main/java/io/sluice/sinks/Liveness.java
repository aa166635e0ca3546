package io.sluice.sinks;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.LongSupplier;

/**
 * Whether the stages of one run still move, for a watchdog outside. A stage that works must give a
 * sign of life for each small step; a stage that waits, for input, for room behind it, for another
 * stage, needn't: whom it waits for is a stage of its own. Storage that fails and is tried again is
 * a step each time; a storage call that never answers is none.
 *
 * <p>Thread safe; a sign of life costs a read of the clock.
 */
public final class Liveness {

  private final LongSupplier nanos;
  private final List<Stage> stages = new CopyOnWriteArrayList<>();
  private final Map<Thread, Stage> byThread = new ConcurrentHashMap<>();

  /**
   * @param nanos a monotonic clock
   */
  public Liveness(LongSupplier nanos) {
    this.nanos = nanos;
  }

  public Liveness() {
    this(System::nanoTime);
  }

  /** A stage that waits for its first work. */
  public Stage stage(String name) {
    Stage stage = new Stage(name);
    stages.add(stage);
    return stage;
  }

  /** One stage of the run; it may be several threads, of which any may give its signs of life. */
  public final class Stage {

    private final String name;
    private volatile long lastSign;
    private volatile boolean working;

    private Stage(String name) {
      this.name = name;
      this.lastSign = nanos.getAsLong();
    }

    /** What the calling thread does from here on is this stage's. */
    public void enter() {
      byThread.put(Thread.currentThread(), this);
    }

    /** The calling thread does something else from here on. */
    public void leave() {
      byThread.remove(Thread.currentThread(), this);
    }

    /** A step begins or is done. */
    public void works() {
      lastSign = nanos.getAsLong();
      working = true;
    }

    /** By whoever has work for it: from here on it must move, also if it rests just now. */
    public void hasWork() {
      if (!working) {
        works();
      }
    }

    /** Nothing to do, until {@link #works} or {@link #hasWork}. */
    public void rests() {
      working = false;
    }
  }

  /** The calling thread's stage, if it has one, gives a sign of life. */
  public void step() {
    Stage stage = byThread.get(Thread.currentThread());
    if (stage != null) {
      stage.lastSign = nanos.getAsLong();
    }
  }

  /** A wait, or work, that is over when it is closed. */
  public interface Wait extends AutoCloseable {
    @Override
    void close();
  }

  /** The calling thread's stage, if it has one, works until this is closed, and rests then. */
  public Wait working() {
    Stage stage = byThread.get(Thread.currentThread());
    if (stage == null) {
      return () -> {};
    }
    stage.works();
    return stage::rests;
  }

  /** The calling thread's stage, if it has one, waits for another one. */
  public Wait waiting() {
    Stage stage = byThread.get(Thread.currentThread());
    if (stage == null || !stage.working) {
      return () -> {};
    }
    stage.rests();
    return stage::works;
  }

  /** Stages that have worked for longer than this without a sign of life, with their time. */
  public List<String> hung(Duration limit) {
    List<String> result = new ArrayList<>();
    for (Stage stage : stages) {
      long since = nanos.getAsLong() - stage.lastSign;
      if (stage.working && since > limit.toNanos()) {
        result.add(stage.name + " (for " + Duration.ofNanos(since).toSeconds() + " s)");
      }
    }
    return result;
  }
}
