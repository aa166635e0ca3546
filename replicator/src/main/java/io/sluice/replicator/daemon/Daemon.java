package io.sluice.replicator.daemon;

import io.sluice.config.ConfigProblemsException;
import io.sluice.config.SluiceConfig;
import io.sluice.config.TableErrorPolicy;
import io.sluice.evolution.SourceTableId;
import io.sluice.lsm.error.LsmException;
import io.sluice.lsm.io.FileIO;
import io.sluice.lsm.io.FileIOs;
import io.sluice.replicator.http.StatusServer;
import io.sluice.replicator.metrics.DaemonStatus;
import io.sluice.replicator.metrics.DaemonStatus.State;
import io.sluice.replicator.metrics.PipelineMetrics;
import io.sluice.replicator.service.ServiceNotifier;
import io.sluice.sinks.Liveness;
import io.sluice.sinks.PipelineStoppedException;
import io.sluice.sinks.PipelineStoppedException.Reason;
import io.sluice.sinks.Succession;
import io.sluice.sinks.epoch.EpochFile;
import io.sluice.sinks.epoch.EpochFile.SourceFacts;
import io.sluice.sinks.epoch.EpochStore;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One pipeline's daemon: takes the lease, looks at the source, runs the pipeline, and starts it
 * anew from the last committed epoch when the source fails in a way that may pass. Several may run
 * in one JVM. Thread safe.
 */
public final class Daemon implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(Daemon.class);
  private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);

  /** A run that lasted this long was sound: the next pause is short again. */
  private static final long SOUND_RUN_MILLIS = 60_000;

  /** How a start treats a daemon that has the pipeline. */
  public enum Approach {
    /** Refuses to start while another daemon renews its lease. */
    ASK,
    /** Takes the pipeline from another daemon, alive or not. */
    TAKE_OVER
  }

  /**
   * The signs of life of one run.
   *
   * @param stage of who reads its status
   */
  private record RunLiveness(Liveness signs, Liveness.Stage stage) {
    RunLiveness() {
      this(new Liveness());
    }

    private RunLiveness(Liveness signs) {
      this(signs, signs.stage("router"));
    }
  }

  private final Approach approach;
  private final Clock clock = Clock.systemUTC();
  private final long startedMillis = clock.millis();
  private final CompletableFuture<Void> stopRequested = new CompletableFuture<>();
  private final CompletableFuture<Integer> exit = new CompletableFuture<>();
  private final PipelineMetrics metrics;
  private final Thread thread;
  private volatile SluiceConfig config;
  private volatile @Nullable EpochStore epochs;
  private volatile Reload reload = new Reload();

  /** What held before the last change; null if there was none. The daemon's thread only. */
  private @Nullable SluiceConfig fallback;

  private volatile boolean killed;
  private volatile State state = State.STARTING;
  private volatile @Nullable String problem;
  private volatile @Nullable PipelineRun current;
  private volatile @Nullable StatusServer http;
  private volatile @Nullable PipelineStoppedException overtaken;
  private volatile boolean everRan;

  /** The pipeline has an epoch of this process. */
  private volatile boolean began;

  private volatile RunLiveness liveness = new RunLiveness();

  /** A change of the config that is waited for. */
  private static final class Reload {
    final CompletableFuture<SluiceConfig> next = new CompletableFuture<>();
  }

  /** Reads the config file once more. */
  @FunctionalInterface
  public interface ConfigSource {
    /**
     * @throws ConfigProblemsException with all problems of the file
     */
    SluiceConfig read() throws ConfigProblemsException;
  }

  private Daemon(SluiceConfig config, Approach approach) {
    this.config = config;
    this.approach = approach;
    this.metrics = new PipelineMetrics(config.pipeline(), this::status);
    this.thread = new Thread(this::runToEnd, "daemon-" + config.pipeline());
  }

  /**
   * Runs until it is stopped or can't go on; SIGTERM and SIGINT stop it well, SIGHUP makes it read
   * its config again.
   *
   * @param again reads the config file for SIGHUP
   * @param environment of the process: tells whether a service manager wants to know how it is
   * @return the process's exit code: 0 stopped, 1 something can't be followed, 2 config and lake
   *     contradict each other, 3 source or warehouse unreachable, 4 stopped to protect data
   */
  public static int run(
      SluiceConfig config, ConfigSource again, Approach approach, Map<String, String> environment) {
    Daemon daemon = start(config, approach);
    ReloadSignal.install(() -> daemon.reload(again));
    Optional<ServiceNotifier> service = ServiceNotifier.start(environment, daemon.asService());
    var hook = new Thread(() -> daemon.closeAndHalt(service), "sluice-stop");
    Runtime.getRuntime().addShutdownHook(hook);
    int code = daemon.awaitExit();
    service.ifPresent(notifier -> notifier.ended(daemon.status()));
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      LOG.debug("The JVM is shutting down already", e);
    }
    return code;
  }

  /** In the JVM's shutdown: without halt the exit code would be the signal's. */
  private void closeAndHalt(Optional<ServiceNotifier> service) {
    service.ifPresent(ServiceNotifier::stopping);
    close();
    service.ifPresent(notifier -> notifier.ended(status()));
    Runtime.getRuntime().halt(awaitExit());
  }

  private ServiceNotifier.Service asService() {
    return new ServiceNotifier.Service() {
      @Override
      public DaemonStatus status() {
        // Takes the router's lock: who holds it for long hangs.
        Liveness.Stage stage = liveness.stage();
        stage.works();
        try {
          return Daemon.this.status();
        } finally {
          stage.rests();
        }
      }

      @Override
      public List<String> hung(Duration limit) {
        return liveness.signs().hung(limit);
      }
    };
  }

  /** Starts in threads of its own and returns at once. */
  public static Daemon start(SluiceConfig config) {
    return start(config, Approach.ASK);
  }

  /** The same, perhaps taking the pipeline from another daemon. */
  public static Daemon start(SluiceConfig config, Approach approach) {
    var daemon = new Daemon(config, approach);
    daemon.thread.start();
    return daemon;
  }

  /**
   * Goes by a changed config from the next epoch on: the pipeline commits what it has, and begins
   * again at once from there. A config that has problems, or that changes what only a start can
   * change, is refused with a line in the log, and the daemon goes on by the old one.
   *
   * @return whether it goes by the new one
   */
  public synchronized boolean reload(ConfigSource again) {
    SluiceConfig next;
    try {
      next = again.read();
      List<String> fixed = fixedDifferences(config, next);
      if (!fixed.isEmpty()) {
        LOG.error(
            "The changed config is not taken: {} can't be changed while the pipeline runs; start it"
                + " again for that",
            String.join(", ", fixed));
        return false;
      }
      EpochStore store = epochs;
      SourceSide.of(next).require(store == null ? table -> false : leftAside(store));
    } catch (ConfigProblemsException | PipelineStoppedException e) {
      LOG.error("The changed config is not taken, the old one holds: {}", e.getMessage());
      return false;
    }
    if (next.equals(config)) {
      LOG.info("The config has not changed");
      return true;
    }
    LOG.info("The config has changed: pipeline {} goes by the new one", config.pipeline());
    reload.next.complete(next);
    return true;
  }

  /** Keys whose change needs a new start. */
  private static List<String> fixedDifferences(SluiceConfig now, SluiceConfig next) {
    var result = new ArrayList<String>();
    if (!now.pipeline().equals(next.pipeline())) {
      result.add("pipeline");
    }
    if (!now.warehouse().equals(next.warehouse())) {
      result.add("warehouse");
    }
    if (!now.http().equals(next.http())) {
      result.add("http");
    }
    if (now.source().type() != next.source().type()) {
      result.add("source.type");
    }
    return result;
  }

  /** The exit code, once it has ended; never exceptional. */
  public CompletableFuture<Integer> exit() {
    return exit.copy();
  }

  /** Waits for {@link #exit}. */
  public int awaitExit() {
    return exit.join();
  }

  public boolean isRunning() {
    return !exit.isDone();
  }

  /** Commits a last epoch and ends; waits for it. */
  @Override
  public void close() {
    stopRequested.complete(null);
    exit.join();
  }

  /** Ends at once without a last epoch, as far as that goes in one process; waits for it. */
  public void kill() {
    killed = true;
    close();
  }

  /** Address of the status page; empty if there is none. */
  public Optional<String> url() {
    StatusServer server = http;
    return server == null ? Optional.empty() : Optional.of(server.url());
  }

  public DaemonStatus status() {
    PipelineRun run = current;
    return new DaemonStatus(
        config.pipeline(),
        state,
        Optional.ofNullable(problem),
        startedMillis,
        clock.millis(),
        run == null ? Optional.empty() : Optional.of(run.status()),
        run == null ? OptionalDouble.empty() : run.sourceLagSeconds(),
        run == null ? Map.of() : run.estimatedRows(),
        run == null ? List.of() : run.topics(),
        metrics.deadLetters());
  }

  private void runToEnd() {
    int code = Reason.PROTECTED.exitCode();
    try {
      code = runAll();
    } catch (PipelineStoppedException e) {
      code = report(e);
    } catch (RuntimeException e) {
      code = report(PipelineRun.asStop(e));
    } finally {
      state = State.STOPPED;
      StatusServer server = http;
      if (server != null) {
        server.close();
      }
      exit.complete(code);
    }
  }

  private int report(PipelineStoppedException why) {
    problem = why.getMessage();
    if (why.reason() == Reason.CLOSED) {
      LOG.info("Pipeline {} has stopped", config.pipeline());
    } else {
      LOG.error("Pipeline {} stops: {}", config.pipeline(), why.getMessage());
      LOG.debug("Where it came from", why);
    }
    return why.reason().exitCode();
  }

  private int runAll() {
    FileIO fileIO;
    String warehouse;
    try {
      fileIO = FileIOs.forUri(config.warehouse(), Daemon::freshId);
      warehouse = FileIOs.pathOf(config.warehouse());
    } catch (LsmException | IllegalArgumentException e) {
      throw new PipelineStoppedException(Reason.MISCONFIGURED, String.valueOf(e.getMessage()), e);
    }
    Optional<PipelineStoppedException> noPage = startHttp();
    EpochStore store = new EpochStore(fileIO, warehouse, config.pipeline());
    epochs = store;
    // Read before the lease: whoever becomes the owner from here on is noticed.
    Succession succession = Succession.of(newestOwner(store), approach == Approach.TAKE_OVER);
    try (Lease lease = new Lease(fileIO, store.folder(), freshId())) {
      lease.take(approach == Approach.TAKE_OVER, stopRequested);
      noPage.ifPresent(
          why -> {
            if (!lease.wasTakenFromTheLiving()) {
              throw why;
            }
            // The other daemon may have the address still.
            startHttpLater();
          });
      lease.keep(
          config.pipeline() + "-lease",
          () -> hasAnotherOwner(store, succession),
          () -> stopFor(overtaken == null ? fenced(store) : overtaken));
      return repeat(fileIO, store, succession);
    }
  }

  private static Optional<String> ownerIn(EpochStore store) throws IOException {
    return Optional.ofNullable(store.readHighest()).map(EpochFile::incarnation);
  }

  private static Optional<String> newestOwner(EpochStore store) {
    try {
      return ownerIn(store);
    } catch (IOException e) {
      throw new PipelineStoppedException(
          Reason.UNREACHABLE, "The newest epoch in " + store.folder() + " can't be read: " + e, e);
    }
  }

  /** Or none any more. */
  private boolean hasAnotherOwner(EpochStore store, Succession succession) throws IOException {
    Optional<String> owner = ownerIn(store);
    if (began && owner.isEmpty()) {
      overtaken = store.forgotten("there is no epoch in it");
      return true;
    }
    return !succession.admits(owner);
  }

  private PipelineStoppedException fenced(EpochStore store) {
    return new PipelineStoppedException(
        Reason.PROTECTED,
        "Pipeline "
            + config.pipeline()
            + " is fenced: another daemon has taken it over and has the newest epoch in "
            + store.folder()
            + ". Nothing is lost, it goes on there. Run only one.");
  }

  /** Stops at once: nothing that this daemon still has can be committed any more. */
  private void stopFor(PipelineStoppedException why) {
    overtaken = why;
    stopRequested.complete(null);
  }

  /** Why {@link #stopRequested} was completed. */
  private PipelineStoppedException stopReason() {
    PipelineStoppedException why = overtaken;
    return why == null ? new PipelineStoppedException(Reason.CLOSED, "Asked to stop") : why;
  }

  private static String freshId() {
    return UUID.randomUUID().toString();
  }

  /** Why there is no status page although one is wanted. */
  private Optional<PipelineStoppedException> startHttp() {
    if (!config.http().enabled()) {
      return Optional.empty();
    }
    try {
      StatusServer server =
          StatusServer.start(
              config.http(),
              this::status,
              () -> liveness.signs().hung(ServiceNotifier.HUNG_WITHOUT_WATCHDOG),
              metrics);
      http = server;
      LOG.info("Status page: {}", server.url());
      return Optional.empty();
    } catch (IOException e) {
      return Optional.of(
          new PipelineStoppedException(Reason.MISCONFIGURED, String.valueOf(e.getMessage()), e));
    }
  }

  private void startHttpLater() {
    LOG.warn("The status page waits until the other daemon gives its address free");
    var later =
        new Thread(
            () -> {
              while (isRunning() && http == null && !Lease.await(stopRequested, FIRST_PAUSE)) {
                startHttp();
              }
            },
            config.pipeline() + "-page");
    later.setDaemon(true);
    later.start();
  }

  private int repeat(FileIO fileIO, EpochStore store, Succession succession) {
    Duration pause = FIRST_PAUSE;
    while (true) {
      long began = clock.millis();
      PipelineStoppedException why = runOnce(fileIO, store, succession);
      SluiceConfig next = reload.next.getNow(null);
      if (next != null && !stopRequested.isDone()) {
        reload = new Reload();
        fallback = config;
        config = next;
        if (why.reason() == Reason.CLOSED) {
          pause = FIRST_PAUSE;
          continue;
        }
      }
      SluiceConfig before = fallback;
      if (before != null && why.reason() == Reason.MISCONFIGURED && !stopRequested.isDone()) {
        LOG.error(
            "The changed config does not work, the old one holds again: {}", why.getMessage());
        fallback = null;
        config = before;
        continue;
      }
      boolean again = everRan && why.reason() == Reason.UNREACHABLE && !stopRequested.isDone();
      if (!again) {
        return report(why);
      }
      if (clock.millis() - began > SOUND_RUN_MILLIS) {
        pause = FIRST_PAUSE;
      }
      problem = why.getMessage();
      state = State.RETRYING;
      LOG.warn(
          "Pipeline {} goes on from its last epoch in {} s: {}",
          config.pipeline(),
          pause.toSeconds(),
          why.getMessage());
      LOG.debug("Where it came from", why);
      // A changed config may be what helps.
      if (Lease.await(CompletableFuture.anyOf(stopRequested, reload.next), pause)
          && stopRequested.isDone()) {
        return report(stopReason());
      }
      pause = pause.multipliedBy(2);
      pause = pause.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : pause;
    }
  }

  /** One run; the reason why it ended, CLOSED if it was asked to. */
  private PipelineStoppedException runOnce(FileIO fileIO, EpochStore store, Succession succession) {
    RunLiveness signs = new RunLiveness();
    liveness = signs;
    try {
      SourceSide side = SourceSide.of(config);
      lookAtSource(side, store);
      Runtime jvm = Runtime.getRuntime();
      var parts =
          new PipelineRun.Parts(
              config,
              fileIO,
              store.folder(),
              succession,
              signs.signs(),
              clock,
              Daemon::freshId,
              metrics,
              metrics,
              jvm.availableProcessors(),
              jvm.maxMemory());
      if (began && newestOwner(store).isEmpty()) {
        return store.forgotten("there is no epoch in it");
      }
      PipelineRun run = PipelineRun.start(parts, side);
      began = true;
      current = run;
      try {
        return attend(run);
      } finally {
        current = null;
      }
    } catch (PipelineStoppedException e) {
      return e;
    } finally {
      liveness = new RunLiveness();
    }
  }

  /** Waits until the source can be followed, or throws if it can't. */
  private void lookAtSource(SourceSide side, EpochStore store) {
    side.require(leftAside(store));
    Optional<String> notYet = side.notYet();
    while (notYet.isPresent()) {
      if (!notYet.get().equals(problem)) {
        LOG.info("Pipeline {}: {}", config.pipeline(), notYet.get());
        problem = notYet.get();
      }
      if (Lease.await(stopRequested, FIRST_PAUSE)) {
        throw stopReason();
      }
      notYet = side.notYet();
    }
  }

  /**
   * Tables whose faults don't matter to a start: those that are parked, and, where they would be,
   * those that have come up since.
   */
  private Predicate<SourceTableId> leftAside(EpochStore store) {
    EpochFile newest;
    try {
      newest = store.readHighest();
    } catch (IOException e) {
      throw new PipelineStoppedException(
          Reason.UNREACHABLE, "The newest epoch in " + store.folder() + " can't be read: " + e, e);
    }
    if (newest == null) {
      return table -> false;
    }
    boolean parks = config.onTableError() == TableErrorPolicy.PARK;
    return table -> {
      SourceFacts facts = newest.sources().get(table);
      return facts == null ? parks : facts.parked() != null;
    };
  }

  private PipelineStoppedException attend(PipelineRun run) {
    state = State.RUNNING;
    problem = null;
    LOG.info("Pipeline {} follows its source", config.pipeline());
    CompletableFuture.anyOf(run.ended(), stopRequested, reload.next).join();
    everRan = true;
    if (run.ended().isDone()) {
      PipelineStoppedException why = run.ended().join();
      run.closeAfter(why);
      return why;
    }
    state = stopRequested.isDone() ? State.STOPPING : State.STARTING;
    if (killed || overtaken != null) {
      run.dropAll();
      return stopReason();
    }
    run.closeWell();
    // What was closed says so; what failed at the last moment says that.
    return run.ended().join();
  }
}
