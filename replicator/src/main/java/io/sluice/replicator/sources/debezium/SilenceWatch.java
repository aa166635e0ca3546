package io.sluice.replicator.sources.debezium;

import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Notices that the source is gone though nobody says so: a connection that stays open and brings
 * nothing. Asked once a second; counts the seconds in which nothing moved and nobody but the source
 * could have moved it. One thread.
 *
 * <p>While the engine starts it reads definitions by JDBC, whose reads have a limit of their own,
 * and may work for long on a history; so it gets more time. Once the binlog is followed, the server
 * sends a heartbeat every two seconds; before its first event it may search for the position.
 */
final class SilenceWatch {

  /** Seconds without progress while the engine starts, beyond the limit of one read. */
  static final int START_SECONDS_MAX = 300;

  /** Seconds without an event before the first one that is not made up for the connection. */
  static final int SEARCH_SECONDS_MAX = 120;

  /** Seconds without any event, heartbeats included. */
  static final int SILENT_SECONDS_MAX = 15;

  /** A rotation and a format description are sent at once, whatever the position. */
  private static final long EVENTS_OF_CONNECTING = 2;

  private final long readSeconds;
  private @Nullable Seen last;
  private int still;

  SilenceWatch(Duration readTimeout) {
    this.readSeconds = Math.max(1, readTimeout.toSeconds());
  }

  /**
   * What can be seen of a run.
   *
   * @param events of the binlog
   * @param handled batches handed over, definitions stored
   * @param connected the binlog is followed
   * @param consuming a batch is being handed over: the pipeline holds the source up
   */
  record Seen(long events, long handled, boolean connected, boolean consuming) {}

  /** Why the source is taken for lost; empty while it is not. */
  Optional<String> tick(Seen now) {
    boolean moved = now.consuming() || !now.equals(last);
    last = now;
    still = moved ? 0 : still + 1;
    if (still < limit(now)) {
      return Optional.empty();
    }
    return Optional.of(
        now.connected()
            ? "The source has sent nothing for "
                + still
                + " s, not even a heartbeat: the connection is taken for lost"
            : "The source could not be followed within "
                + still
                + " s: the connection is taken for lost");
  }

  private long limit(Seen now) {
    if (!now.connected()) {
      return START_SECONDS_MAX + readSeconds;
    }
    long most = now.events() <= EVENTS_OF_CONNECTING ? SEARCH_SECONDS_MAX : SILENT_SECONDS_MAX;
    // Two heartbeats at least.
    return Math.max(5, Math.min(most, readSeconds));
  }
}
