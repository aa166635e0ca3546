package io.sluice.replicator.service;

import io.sluice.replicator.metrics.DaemonStatus;
import io.sluice.replicator.metrics.DaemonStatus.State;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells systemd, from a start to the end of the process: ready once it follows its source, what it
 * does, and every few seconds that it is alive; the last only while no stage hangs, so that a hung
 * one is killed and started anew. While it starts and while it stops it asks for more time instead,
 * on the same condition.
 *
 * <p>Two threads: who tells that it is alive takes no lock of the pipeline's.
 */
public final class ServiceNotifier implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(ServiceNotifier.class);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(10);
  private static final Duration STATUS_PAUSE = Duration.ofSeconds(2);

  /** From then on a stage hangs, where no watchdog says when. */
  public static final Duration HUNG_WITHOUT_WATCHDOG = Duration.ofSeconds(150);

  /** What is asked for at each sign of life while it starts or stops. */
  private static final Duration MORE_TIME = Duration.ofSeconds(180);

  /** What there is to tell. */
  public interface Service {
    /** The facts; may wait for a lock. */
    DaemonStatus status();

    /** Stages that haven't given a sign of life for so long. Never waits. */
    List<String> hung(Duration limit);
  }

  private final NotifySocket socket;
  private final Service service;
  private final @Nullable Duration watchdog;
  private final CompletableFuture<Void> closed = new CompletableFuture<>();
  private volatile boolean ready;
  private volatile boolean stopping;
  private List<String> hungBefore = List.of();
  private String statusBefore = "";
  private boolean failed;

  private ServiceNotifier(NotifySocket socket, Service service, @Nullable Duration watchdog) {
    this.socket = socket;
    this.service = service;
    this.watchdog = watchdog;
  }

  /**
   * Starts telling.
   *
   * @param environment of the process
   * @return empty if nobody wants to know
   */
  public static Optional<ServiceNotifier> start(Map<String, String> environment, Service service) {
    return NotifySocket.open(environment)
        .map(
            socket -> {
              var notifier =
                  new ServiceNotifier(
                      socket,
                      service,
                      watchdog(environment, ProcessHandle.current().pid()).orElse(null));
              notifier.startThread("service-alive", notifier::tellAlive, notifier.alivePause());
              notifier.startThread("service-status", notifier::tellStatus, STATUS_PAUSE);
              return notifier;
            });
  }

  /** After so long without a sign of life the process is killed; empty: never. */
  static Optional<Duration> watchdog(Map<String, String> environment, long pid) {
    String micros = environment.getOrDefault("WATCHDOG_USEC", "");
    String whom = environment.getOrDefault("WATCHDOG_PID", "");
    boolean meant = whom.isEmpty() || whom.equals(Long.toString(pid));
    if (!meant || !micros.matches("\\d{1,18}") || Long.parseLong(micros) == 0) {
      return Optional.empty();
    }
    return Optional.of(Duration.ofNanos(Long.parseLong(micros) * 1_000));
  }

  private Duration alivePause() {
    Duration limit = watchdog;
    Duration quarter = limit == null ? LONGEST_PAUSE : limit.dividedBy(4);
    return quarter.compareTo(LONGEST_PAUSE) < 0 ? quarter : LONGEST_PAUSE;
  }

  private Duration hungLimit() {
    Duration limit = watchdog;
    return limit == null ? HUNG_WITHOUT_WATCHDOG : limit.dividedBy(2);
  }

  private void startThread(String name, Runnable tick, Duration pause) {
    var thread =
        new Thread(
            () -> {
              do {
                tick.run();
              } while (!waitFor(pause));
            },
            name);
    thread.setDaemon(true);
    thread.start();
  }

  private boolean waitFor(Duration pause) {
    try {
      closed.get(pause.toNanos(), TimeUnit.NANOSECONDS);
      return true;
    } catch (TimeoutException e) {
      return false;
    } catch (ExecutionException | InterruptedException e) {
      return true;
    }
  }

  private void tellAlive() {
    List<String> hung = service.hung(hungLimit());
    if (hung.isEmpty()) {
      send(
          ready && !stopping
              ? "WATCHDOG=1"
              : "WATCHDOG=1\nEXTEND_TIMEOUT_USEC=" + MORE_TIME.toNanos() / 1_000);
    } else if (hungBefore.isEmpty()) {
      LOG.error(
          "Hangs: {}. No more signs of life to the service manager, which will kill this process"
              + " and start it anew; nothing is lost. The stacks of all threads follow.",
          String.join(", ", hung));
      ThreadStacks.all().forEach(stack -> LOG.error("Thread {}", stack));
    }
    if (hung.isEmpty() && !hungBefore.isEmpty()) {
      LOG.warn("Moves again: {}", String.join(", ", hungBefore));
    }
    hungBefore = hung;
  }

  private void tellStatus() {
    DaemonStatus status;
    try {
      status = service.status();
    } catch (RuntimeException e) {
      LOG.debug("There is no status now", e);
      return;
    }
    String line = StatusLine.of(status);
    if (!ready && status.state() == State.RUNNING) {
      send("READY=1\nSTATUS=" + line);
      ready = true;
    } else if (!line.equals(statusBefore)) {
      send("STATUS=" + line);
    }
    statusBefore = line;
  }

  /** The process has been asked to end and commits a last epoch. */
  public void stopping() {
    stopping = true;
    send(
        "STOPPING=1\nSTATUS=Commits a last epoch\nEXTEND_TIMEOUT_USEC="
            + MORE_TIME.toNanos() / 1_000);
  }

  /** What failed is said once. */
  private synchronized void send(String lines) {
    try {
      socket.send(lines);
      failed = false;
    } catch (IOException e) {
      if (!failed) {
        failed = true;
        LOG.warn("{}: {}", e.getMessage(), String.valueOf(e.getCause()));
      }
    }
  }

  /** Says why it ended, and no more. */
  public void ended(DaemonStatus last) {
    send("STOPPING=1\nSTATUS=" + StatusLine.of(last));
    close();
  }

  @Override
  public void close() {
    closed.complete(null);
  }
}
