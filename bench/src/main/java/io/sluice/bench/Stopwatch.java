package io.sluice.bench;

import java.lang.management.ManagementFactory;

/** Seconds of the clock and of the processor since its start. */
final class Stopwatch {

  private final long start = System.nanoTime();
  private final long cpuStart = cpuNanos();

  double seconds() {
    return (System.nanoTime() - start) / 1e9;
  }

  /** Of all threads; steadier than the clock where others use the machine, too. */
  double cpuSeconds() {
    return (cpuNanos() - cpuStart) / 1e9;
  }

  private static long cpuNanos() {
    return ManagementFactory.getPlatformMXBean(com.sun.management.OperatingSystemMXBean.class)
        .getProcessCpuTime();
  }
}
