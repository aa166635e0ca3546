package io.sluice.sinks.epoch;

import io.sluice.lsm.expire.ConsumerFiles;
import io.sluice.lsm.snapshot.Snapshot;
import java.io.IOException;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Moves the consumer files of tables that no epoch changes but others may: else nothing of theirs
 * would expire. Seldom, one table an epoch; a pin that lags costs storage alone.
 *
 * <p>A pin must never pass the base of an epoch that is still to be put into its table. So the
 * newest snapshot is looked up between two epochs, before the next one looks up its bases, and the
 * pin is moved after that next one has been created and no later owner's epoch was seen: another
 * owner looks up its bases after it has written its first epoch. On the epoch thread.
 */
final class IdlePins {

  private static final Logger log = LoggerFactory.getLogger(IdlePins.class);
  private static final long NANOS_BETWEEN_LOOKS = TimeUnit.HOURS.toNanos(1);

  private final LakeTables tables;
  private final String consumer;
  private final LongSupplier nanoTime;
  private final Map<LakeTable, Long> looked = new HashMap<>();
  private final Map<LakeTable, Long> found = new HashMap<>();

  IdlePins(LakeTables tables, String consumer, LongSupplier nanoTime) {
    this.tables = tables;
    this.consumer = consumer;
    this.nanoTime = nanoTime;
  }

  /**
   * An epoch has been created by this process and is in all its tables.
   *
   * @param all tables of the pipeline
   * @param changed those that have a snapshot of it: their pins are moved by their expiry
   */
  void afterEpoch(Set<LakeTable> all, Set<LakeTable> changed) {
    move();
    long now = nanoTime.getAsLong();
    looked.keySet().retainAll(all);
    for (LakeTable table : all) {
      Long last = looked.putIfAbsent(table, now);
      if (changed.contains(table)) {
        looked.put(table, now);
      } else if (last != null && now - last >= NANOS_BETWEEN_LOOKS) {
        looked.put(table, now);
        look(table);
        return;
      }
    }
  }

  /** A start begins again: what was looked up may be above another owner's bases. */
  void forget() {
    found.clear();
  }

  private void look(LakeTable table) {
    try {
      Snapshot newest = tables.snapshots(table).findLatest();
      if (newest != null) {
        found.put(table, newest.id());
      }
    } catch (IOException | RuntimeException e) {
      log.warn("Could not look at table {}, and will again: {}", table, e.toString());
    }
  }

  private void move() {
    Iterator<Map.Entry<LakeTable, Long>> entries = found.entrySet().iterator();
    while (entries.hasNext()) {
      Map.Entry<LakeTable, Long> entry = entries.next();
      LakeTable table = entry.getKey();
      entries.remove();
      try {
        new ConsumerFiles(tables.fileIO(), table.paths(tables.warehouse()))
            .advance(consumer, entry.getValue());
      } catch (IOException | RuntimeException e) {
        log.warn(
            "Could not move the consumer file of table {}, and will again: {}",
            table,
            e.toString());
      }
    }
  }
}
