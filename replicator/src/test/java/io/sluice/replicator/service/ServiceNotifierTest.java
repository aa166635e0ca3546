package io.sluice.replicator.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.replicator.metrics.DaemonStatus;
import io.sluice.replicator.metrics.DaemonStatus.State;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** What the service manager is told, over a real socket. */
@EnabledOnOs(OS.LINUX)
class ServiceNotifierTest {

  @TempDir Path folder;

  private volatile State state = State.STARTING;
  private volatile String problem;
  private volatile List<String> hung = List.of();
  private volatile Duration limit = Duration.ZERO;

  private final ServiceNotifier.Service service =
      new ServiceNotifier.Service() {
        @Override
        public DaemonStatus status() {
          return new DaemonStatus(
              "shop",
              state,
              Optional.ofNullable(problem),
              0,
              0,
              Optional.empty(),
              OptionalDouble.empty(),
              Map.of());
        }

        @Override
        public List<String> hung(Duration asked) {
          limit = asked;
          return hung;
        }
      };

  private ServiceNotifier start(String name, String watchdogMicros) {
    return ServiceNotifier.start(
            Map.of("NOTIFY_SOCKET", name, "WATCHDOG_USEC", watchdogMicros), service)
        .orElseThrow();
  }

  private void tellsAStory(String name) {
    try (ManagerSocket manager = new ManagerSocket(name);
        ServiceNotifier notifier = start(name, "200000")) {
      problem = "The source has not executed a transaction\nyet";
      manager.await(m -> m.equals("STATUS=Starts: The source has not executed a transaction yet"));
      manager.await(m -> m.contains("EXTEND_TIMEOUT_USEC="));
      assertThat(manager.all()).noneMatch(m -> m.contains("READY"));
      problem = null;
      state = State.RUNNING;
      manager.await(m -> m.equals("READY=1\nSTATUS=Runs"));
      manager.await(m -> m.equals("WATCHDOG=1"));
      assertThat(limit).isEqualTo(Duration.ofMillis(100));

      hung = List.of("committer (for 1 s)");
      awaitSilence(manager);
      hung = List.of();
      manager.await(m -> m.equals("WATCHDOG=1"));

      notifier.stopping();
      manager.await(m -> m.startsWith("STOPPING=1\nSTATUS=Commits a last epoch\nEXTEND_TIMEOUT"));
      state = State.STOPPED;
      problem = "Pipeline shop is fenced";
      notifier.ended(service.status());
      manager.await(m -> m.equals("STOPPING=1\nSTATUS=Stopped: Pipeline shop is fenced"));
    }
  }

  /** Nothing comes for five times as long as between two signs of life. */
  private static void awaitSilence(ManagerSocket manager) {
    long limit = System.nanoTime() + Duration.ofSeconds(30).toNanos();
    long since = System.nanoTime();
    while (System.nanoTime() - since < Duration.ofMillis(250).toNanos()) {
      if (manager.poll() != null) {
        since = System.nanoTime();
      }
      assertThat(since).as("they don't end: %s", manager.all()).isLessThan(limit);
      Thread.yield();
    }
  }

  @Test
  void tellsAStoryOverAPath() {
    tellsAStory(folder.resolve("notify").toString());
  }

  @Test
  void tellsAStoryOverAnAbstractName() {
    tellsAStory("@sluice-test-" + UUID.randomUUID());
  }

  @Test
  void asksForNoMoreTimeWhileAStartHangs() {
    String name = folder.resolve("notify").toString();
    try (ManagerSocket manager = new ManagerSocket(name);
        ServiceNotifier notifier = start(name, "200000")) {
      manager.await(m -> m.contains("EXTEND_TIMEOUT_USEC="));
      hung = List.of("committer (for 1 s)");
      awaitSilence(manager);
      assertThat(notifier).isNotNull();
    }
  }

  @Test
  void nobodyAsksNobodyIsTold() {
    assertThat(ServiceNotifier.start(Map.of(), service)).isEmpty();
    assertThat(ServiceNotifier.start(Map.of("NOTIFY_SOCKET", "no-path"), service)).isEmpty();
  }

  @Test
  void readsTheWatchdogsTime() {
    assertThat(ServiceNotifier.watchdog(Map.of("WATCHDOG_USEC", "3000000"), 7))
        .contains(Duration.ofSeconds(3));
    assertThat(ServiceNotifier.watchdog(Map.of("WATCHDOG_USEC", "3000000", "WATCHDOG_PID", "7"), 7))
        .contains(Duration.ofSeconds(3));
    assertThat(ServiceNotifier.watchdog(Map.of("WATCHDOG_USEC", "3000000", "WATCHDOG_PID", "8"), 7))
        .isEmpty();
    assertThat(ServiceNotifier.watchdog(Map.of("WATCHDOG_USEC", "0"), 7)).isEmpty();
    assertThat(ServiceNotifier.watchdog(Map.of("WATCHDOG_USEC", "x"), 7)).isEmpty();
    assertThat(ServiceNotifier.watchdog(Map.of(), 7)).isEmpty();
  }

  @Test
  void refusesNamesThatAreNoSockets() {
    assertThatThrownBy(() -> NotifySocket.addressOf("/" + "x".repeat(120)))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
