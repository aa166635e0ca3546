package io.sluice.replicator.daemon;

import io.sluice.config.SluiceConfig;
import io.sluice.evolution.SourceTableId;
import io.sluice.lsm.error.LsmException;
import io.sluice.lsm.io.FileIO;
import io.sluice.lsm.io.FileIOs;
import io.sluice.replicator.http.StatusServer;
import io.sluice.replicator.metrics.DaemonStatus;
import io.sluice.replicator.metrics.DaemonStatus.State;
import io.sluice.replicator.metrics.PipelineMetrics;
import io.sluice.replicator.sources.debezium.SourcePreflight;
import io.sluice.replicator.sources.debezium.SourceSettings;
import io.sluice.replicator.sources.mysql.preflight.SourceCheck;
import io.sluice.sinks.PipelineStoppedException;
import io.sluice.sinks.PipelineStoppedException.Reason;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
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

  private final SluiceConfig config;
  private final Clock clock = Clock.systemUTC();
  private final long startedMillis = clock.millis();
  private final CompletableFuture<Void> stopRequested = new CompletableFuture<>();
  private final CompletableFuture<Integer> exit = new CompletableFuture<>();
  private final PipelineMetrics metrics;
  private final Thread thread;
  private volatile boolean killed;
  private volatile State state = State.STARTING;
  private volatile @Nullable String problem;
  private volatile @Nullable PipelineRun current;
  private volatile @Nullable StatusServer http;
  private volatile boolean everRan;
  private volatile Map<SourceTableId, Long> rowEstimates = Map.of();

  private Daemon(SluiceConfig config) {
    this.config = config;
    this.metrics = new PipelineMetrics(config.pipeline(), this::status);
    this.thread = new Thread(this::runToEnd, "daemon-" + config.pipeline());
  }

  /**
   * Runs until it is stopped or can't go on; SIGTERM and SIGINT stop it well.
   *
   * @return the process's exit code: 0 stopped, 1 something can't be followed, 2 config and lake
   *     contradict each other, 3 source or warehouse unreachable, 4 stopped to protect data
   */
  public static int run(SluiceConfig config) {
    Daemon daemon = start(config);
    var hook = new Thread(daemon::closeAndHalt, "sluice-stop");
    Runtime.getRuntime().addShutdownHook(hook);
    int code = daemon.awaitExit();
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      LOG.debug("The JVM is shutting down already", e);
    }
    return code;
  }

  /** In the JVM's shutdown: without halt the exit code would be the signal's. */
  private void closeAndHalt() {
    close();
    Runtime.getRuntime().halt(awaitExit());
  }

  /** Starts in threads of its own and returns at once. */
  public static Daemon start(SluiceConfig config) {
    var daemon = new Daemon(config);
    daemon.thread.start();
    return daemon;
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
        run == null ? Map.of() : run.estimatedRows());
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
    startHttp();
    try (Lease lease = Lease.take(fileIO, warehouse, config.pipeline(), freshId(), stopRequested)) {
      return repeat(fileIO);
    }
  }

  private static String freshId() {
    return UUID.randomUUID().toString();
  }

  private void startHttp() {
    if (!config.http().enabled()) {
      return;
    }
    try {
      StatusServer server = StatusServer.start(config.http(), this::status, metrics);
      http = server;
      LOG.info("Status page: {}", server.url());
    } catch (IOException e) {
      throw new PipelineStoppedException(Reason.MISCONFIGURED, String.valueOf(e.getMessage()), e);
    }
  }

  private int repeat(FileIO fileIO) {
    Duration pause = FIRST_PAUSE;
    while (true) {
      long began = clock.millis();
      PipelineStoppedException why = runOnce(fileIO);
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
      if (Lease.await(stopRequested, pause)) {
        return Reason.CLOSED.exitCode();
      }
      pause = pause.multipliedBy(2);
      pause = pause.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : pause;
    }
  }

  /** One run; the reason why it ended, CLOSED if it was asked to. */
  private PipelineStoppedException runOnce(FileIO fileIO) {
    try {
      SourceSettings settings =
          ConfigMapping.source(
              config, ConfigMapping.targets(config, id -> rowEstimates.getOrDefault(id, 0L)));
      lookAtSource(settings);
      Runtime jvm = Runtime.getRuntime();
      var parts =
          new PipelineRun.Parts(
              config,
              fileIO,
              clock,
              Daemon::freshId,
              metrics,
              metrics,
              jvm.availableProcessors(),
              jvm.maxMemory());
      PipelineRun run = PipelineRun.start(parts, settings);
      current = run;
      try {
        return attend(run);
      } finally {
        current = null;
      }
    } catch (PipelineStoppedException e) {
      return e;
    }
  }

  /** Waits until the source can be followed, or throws if it can't. */
  private void lookAtSource(SourceSettings settings) {
    SourceCheck.require(config);
    Optional<String> notYet = SourcePreflight.notYet(settings);
    while (notYet.isPresent()) {
      if (!notYet.get().equals(problem)) {
        LOG.info("Pipeline {}: {}", config.pipeline(), notYet.get());
        problem = notYet.get();
      }
      if (Lease.await(stopRequested, FIRST_PAUSE)) {
        throw new PipelineStoppedException(Reason.CLOSED, "Asked to stop");
      }
      notYet = SourcePreflight.notYet(settings);
    }
    try {
      rowEstimates = RowEstimates.read(ConfigMapping.jdbc(config));
    } catch (SQLException e) {
      throw new PipelineStoppedException(
          Reason.UNREACHABLE, "The source's catalog can't be read: " + e.getMessage(), e);
    }
  }

  private PipelineStoppedException attend(PipelineRun run) {
    state = State.RUNNING;
    problem = null;
    LOG.info("Pipeline {} follows its source", config.pipeline());
    CompletableFuture.anyOf(run.ended(), stopRequested).join();
    everRan = true;
    if (run.ended().isDone()) {
      PipelineStoppedException why = run.ended().join();
      run.closeAfter(why);
      return why;
    }
    state = State.STOPPING;
    if (killed) {
      run.dropAll();
      return new PipelineStoppedException(Reason.CLOSED, "Asked to stop at once");
    }
    run.closeWell();
    // What was closed says so; what failed at the last moment says that.
    return run.ended().join();
  }
}
