package io.sluice.bench;

import io.sluice.replicator.demo.FreshnessMeter;
import io.sluice.replicator.demo.FreshnessWatch;
import io.sluice.replicator.demo.Lake;
import io.sluice.replicator.demo.Shop;
import io.sluice.replicator.demo.ShopWorkload;
import io.sluice.replicator.demo.servers.NativeMySql;
import io.sluice.replicator.demo.servers.ServerFiles;
import io.sluice.replicator.demo.servers.ThrowawayServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * How long a committed transaction takes until a scan of the lake shows it, at several rates: the
 * demo's shop and workload, the daemon in a process of its own with a heap of 512 MiB and a commit
 * interval of 200 ms. Also watches that the live files of a bucket stay below the stop trigger plus
 * the levels. Arguments: seconds of each rate (default 60), rates (default 2000 10000 rows/s).
 */
public final class FreshnessBench {

  private static final String HEAP = "-Xmx512m";
  private static final int WARM_UP_SECONDS = 15;

  /** Paimon's defaults: stop trigger 5 + 3 runs, and 5 + 1 levels. */
  private static final long FILES_PER_BUCKET_MAX = 8 + 6;

  private FreshnessBench() {}

  public static void main(String[] arguments) throws Exception {
    int seconds = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 60;
    List<Integer> rates =
        arguments.length > 1
            ? java.util.Arrays.stream(arguments).skip(1).map(Integer::valueOf).toList()
            : List.of(2_000, 10_000);
    for (int rate : rates) {
      run(rate, seconds);
    }
  }

  private static void run(int rate, int seconds) throws Exception {
    Path folder = Files.createTempDirectory("freshness-bench");
    try (ThrowawayServer server = NativeMySql.start()) {
      Shop.Size size = Shop.Size.of(100_000);
      Shop.create(server::connect, size);
      Path config = BenchConfig.write(folder, server, "shop.*");
      Process daemon = startDaemon(config, folder);
      FreshnessMeter meter = new FreshnessMeter();
      Path warehouse = folder.resolve("warehouse");
      try (FreshnessWatch watch = new FreshnessWatch(warehouse, meter);
          ShopWorkload workload = ShopWorkload.start(server::connect, size, rate, meter)) {
        while (!watch.allTablesThere() && daemon.isAlive()) {
          TimeUnit.MILLISECONDS.sleep(100);
        }
        TimeUnit.SECONDS.sleep(WARM_UP_SECONDS);
        long rowsBefore = workload.rows();
        long start = System.nanoTime();
        meter.start();
        long files = 0;
        Lake lake = new Lake(warehouse);
        while (System.nanoTime() - start < TimeUnit.SECONDS.toNanos(seconds) && daemon.isAlive()) {
          files = Math.max(files, lake.filesPerBucketMax());
          TimeUnit.MILLISECONDS.sleep(500);
        }
        FreshnessMeter.Percentiles all = meter.all();
        System.out.printf(
            Locale.ROOT,
            "asked %,d rows/s, done %,.0f rows/s: readable after p50 %.3f s, p99 %.3f s, at most %.3f s (%,d"
                + " transactions); at most %d live files in a bucket (bound %d)%s%n",
            rate,
            (workload.rows() - rowsBefore) / ((System.nanoTime() - start) / 1e9),
            all.p50Seconds(),
            all.p99Seconds(),
            all.maxSeconds(),
            all.count(),
            files,
            FILES_PER_BUCKET_MAX,
            daemon.isAlive() ? "" : "; THE DAEMON HAS ENDED, see its log above");
      } finally {
        daemon.destroy();
        daemon.waitFor(30, TimeUnit.SECONDS);
        daemon.destroyForcibly();
      }
    } finally {
      ServerFiles.deleteTree(folder);
    }
  }

  private static Process startDaemon(Path config, Path folder) throws Exception {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            HEAP,
            "-XX:+UseG1GC",
            "-cp",
            System.getProperty("java.class.path"),
            "io.sluice.replicator.cli.Sluice",
            "run",
            "-c",
            config.toString())
        .directory(folder.toFile())
        .inheritIO()
        .start();
  }
}
