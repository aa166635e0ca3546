package io.sluice.bench;

import com.sun.management.GarbageCollectionNotificationInfo;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.lang.management.MemoryUsage;
import java.util.concurrent.atomic.AtomicLong;
import javax.management.ListenerNotFoundException;
import javax.management.NotificationEmitter;
import javax.management.NotificationListener;
import javax.management.openmbean.CompositeData;

/**
 * The most heap that this process has had before a collection, and the most that one has left, from
 * its making to its closing.
 */
final class PeakHeap implements AutoCloseable {

  private final AtomicLong before = new AtomicLong();
  private final AtomicLong after = new AtomicLong();
  private final NotificationListener listener =
      (notification, handback) -> {
        if (notification.getUserData() instanceof CompositeData data
            && notification
                .getType()
                .equals(GarbageCollectionNotificationInfo.GARBAGE_COLLECTION_NOTIFICATION)) {
          var info = GarbageCollectionNotificationInfo.from(data).getGcInfo();
          before.accumulateAndGet(heap(info.getMemoryUsageBeforeGc()), Math::max);
          after.accumulateAndGet(heap(info.getMemoryUsageAfterGc()), Math::max);
        }
      };

  PeakHeap() {
    for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
      ((NotificationEmitter) collector).addNotificationListener(listener, null, null);
    }
  }

  private static long heap(java.util.Map<String, MemoryUsage> pools) {
    long bytes = 0;
    for (MemoryPoolMXBean pool : ManagementFactory.getMemoryPoolMXBeans()) {
      MemoryUsage usage = pools.get(pool.getName());
      bytes += pool.getType() == MemoryType.HEAP && usage != null ? usage.getUsed() : 0;
    }
    return bytes;
  }

  long mebibytesBeforeCollections() {
    long now = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    return Math.max(before.get(), now) >> 20;
  }

  long mebibytesAfterCollections() {
    return after.get() >> 20;
  }

  @Override
  public void close() {
    for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
      try {
        ((NotificationEmitter) collector).removeNotificationListener(listener);
      } catch (ListenerNotFoundException e) {
        throw new IllegalStateException(e);
      }
    }
  }
}
