package io.sluice.lsm.snapshot;

import java.time.Duration;
import java.time.LocalDateTime;
import org.jspecify.annotations.Nullable;

/**
 * A tag: a name for a snapshot that stays readable after the snapshot has expired (format
 * description section 12.6).
 *
 * @param snapshot copy of the snapshot
 * @param createTime when it was made, wall clock of the process that made it; null if not told
 * @param timeRetained how long it stays; null for ever
 */
public record Tag(
    String name,
    Snapshot snapshot,
    @Nullable LocalDateTime createTime,
    @Nullable Duration timeRetained) {

  /** Whether its time to live is over at a wall clock time. */
  public boolean isOver(LocalDateTime now) {
    return createTime != null && timeRetained != null && now.isAfter(createTime.plus(timeRetained));
  }
}
