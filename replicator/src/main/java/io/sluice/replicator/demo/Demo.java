package io.sluice.replicator.demo;

import io.sluice.config.ConfigLoader;
import io.sluice.config.ConfigProblemsException;
import io.sluice.replicator.daemon.Daemon;
import io.sluice.replicator.demo.servers.ServerUnavailableException;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * {@code sluice demo}: a throwaway database with a small shop in it and a live workload, replicated
 * into a folder by the real daemon; in the end source and lake are compared row by row.
 */
@Command(
    name = "demo",
    mixinStandardHelpOptions = true,
    description = {
      "Starts a throwaway database with a small shop and a live workload, replicates it into a folder, and shows how fresh the lake is.",
      "Ctrl-C (or --seconds) ends the workload, compares every row of source and lake, and cleans up; the lake stays.",
      "Exit codes: 0 source and lake are equal, 1 they differ or the daemon failed, 2 wrong usage, 3 no database."
    })
public final class Demo implements Callable<Integer> {
  private static final int WELL = 0;
  private static final int DIFFERS = 1;
  private static final int USAGE = 2;
  private static final int UNREACHABLE = 3;
  private static final long REPORT_MILLIS = 2_000;
  private static final long CATCH_UP_SECONDS = 180;
  private static final long EXIT_SECONDS = 240;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--dir",
      defaultValue = "demo-lake",
      description = "Folder of the lake (default: ${DEFAULT-VALUE}); a former demo's is replaced.")
  private Path dir = Path.of("demo-lake");

  @Option(
      names = "--rate",
      defaultValue = "2000",
      description = "Rows that the workload changes per second (default: ${DEFAULT-VALUE}).")
  private int rate;

  @Option(
      names = "--seconds",
      defaultValue = "0",
      description = "End after so many seconds; 0: at Ctrl-C (default).")
  private int seconds;

  @Option(
      names = "--source",
      defaultValue = "mariadb",
      description =
          "mariadb or mysql (a throwaway server), or mysql://USER:PASSWORD@HOST:PORT (default: ${DEFAULT-VALUE}).")
  private String source = "mariadb";

  @Option(
      names = "--rows",
      defaultValue = "100000",
      description = "Rows in the shop before the daemon starts (default: ${DEFAULT-VALUE}).")
  private int rows;

  @Option(
      names = "--http",
      defaultValue = "127.0.0.1:9300",
      description = "Where the status page listens (default: ${DEFAULT-VALUE}).")
  private String http = "127.0.0.1:9300";

  private final PrintStream out = System.out;
  private final CountDownLatch interrupted = new CountDownLatch(1);
  private final CountDownLatch ended = new CountDownLatch(1);
  private volatile int exitCode = DIFFERS;

  @Override
  public Integer call() {
    if (rate < 1 || rate > 1_000_000 || rows < 100 || rows > 100_000_000 || seconds < 0) {
      throw new ParameterException(
          spec.commandLine(),
          "--rate takes 1 to 1000000, --rows 100 to 100000000, --seconds 0 or more");
    }
    // Ctrl-C lets the main thread finish in order; the JVM waits for this hook.
    Thread hook = new Thread(this::endInOrder, "demo-end");
    Runtime.getRuntime().addShutdownHook(hook);
    try {
      exitCode = runInFolder();
      return exitCode;
    } finally {
      ended.countDown();
      try {
        Runtime.getRuntime().removeShutdownHook(hook);
      } catch (IllegalStateException e) {
        // Ctrl-C: the hook itself waits for this thread and ends the JVM with the exit code.
        exitCode = exitCode | 0;
      }
    }
  }

  private void endInOrder() {
    interrupted.countDown();
    try {
      if (ended.await(EXIT_SECONDS, TimeUnit.SECONDS)) {
        Runtime.getRuntime().halt(exitCode);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private int runInFolder() {
    try (DemoFolder folder = DemoFolder.take(dir)) {
      if (folder.renewed()) {
        say("The lake of an earlier demo in %s is replaced: its database is gone.", folder.root());
      }
      return runWithSource(folder);
    } catch (DemoFolder.RefusedException e) {
      say("Cannot start: %s", String.valueOf(e.getMessage()));
      return USAGE;
    } catch (IOException e) {
      say("Cannot use %s: %s", dir.toAbsolutePath(), String.valueOf(e.getMessage()));
      return UNREACHABLE;
    }
  }

  private int runWithSource(DemoFolder folder) throws IOException {
    say("Starting a database (%s) ...", source.contains(":") ? "your own" : source);
    try (DemoSource database = DemoSource.open(source)) {
      Shop.Size size = Shop.Size.of(rows);
      say("Filling the shop with %,d rows ...", rows);
      database.makeShop(size);
      return replicate(folder, database, size);
    } catch (IllegalArgumentException | ConfigProblemsException e) {
      say("%s", String.valueOf(e.getMessage()));
      return USAGE;
    } catch (ServerUnavailableException e) {
      say("No database: %s", String.valueOf(e.getMessage()));
      return UNREACHABLE;
    } catch (SQLException e) {
      say("The database failed: %s", String.valueOf(e.getMessage()));
      return UNREACHABLE;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return DIFFERS;
    }
  }

  private int replicate(DemoFolder folder, DemoSource database, Shop.Size size)
      throws IOException, SQLException, InterruptedException, ConfigProblemsException {
    Path config = writeConfig(folder, database);
    FreshnessMeter meter = new FreshnessMeter();
    Lake lake = new Lake(folder.warehouse());
    try (Daemon daemon = Daemon.start(ConfigLoader.load(config, System.getenv()));
        FreshnessWatch watch = new FreshnessWatch(folder.warehouse(), meter);
        ShopWorkload workload = ShopWorkload.start(database::connect, size, rate, meter)) {
      sayWhereThingsAre(folder, database, config, daemon);
      long until =
          seconds == 0 ? Long.MAX_VALUE : System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
      DemoReport report = new DemoReport(out, daemon, workload, meter, watch, lake);
      while (System.nanoTime() < until
          && daemon.isRunning()
          && workload.failure() == null
          && watch.failure() == null) {
        long left = TimeUnit.NANOSECONDS.toMillis(until - System.nanoTime());
        if (interrupted.await(Math.max(1, Math.min(REPORT_MILLIS, left)), TimeUnit.MILLISECONDS)) {
          break;
        }
        report.line();
      }
      workload.stop();
      report.summary();
      int code = finish(database, lake, daemon, workload, watch);
      if (code == WELL) {
        sayWhatNext(folder);
      }
      return code;
    }
  }

  private int finish(
      DemoSource database, Lake lake, Daemon daemon, ShopWorkload workload, FreshnessWatch watch)
      throws IOException, SQLException, InterruptedException {
    SQLException workloadFailure = workload.failure();
    IOException watchFailure = watch.failure();
    if (workloadFailure != null) {
      throw workloadFailure;
    }
    if (watchFailure != null) {
      throw watchFailure;
    }
    say("");
    say(
        "The workload has ended; waiting until the lake has caught up, then comparing every row of every table through a scan ...");
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(CATCH_UP_SECONDS);
    while (true) {
      if (!daemon.isRunning()) {
        say(
            "The daemon has ended by itself (exit code %d): %s",
            daemon.awaitExit(), daemon.status().problem().orElse("see its log above"));
        return DIFFERS;
      }
      List<Comparison.Result> results = Comparison.compare(database::connect, lake);
      boolean equal = results.stream().allMatch(result -> result.differing() == 0);
      if (equal || System.nanoTime() > deadline) {
        report(results, equal);
        return equal ? WELL : DIFFERS;
      }
      TimeUnit.MILLISECONDS.sleep(300);
    }
  }

  private void report(List<Comparison.Result> results, boolean equal) {
    long compared = 0;
    for (Comparison.Result result : results) {
      compared += result.sourceRows();
      say(
          "  %-12s %,10d rows at the source, %,10d in the lake, %s",
          result.table(),
          result.sourceRows(),
          result.lakeRows(),
          result.differing() == 0 ? "equal" : result.differing() + " DIFFER");
      result.differences().forEach(line -> say("      %s", line));
    }
    say(
        equal
            ? "Source and lake are EQUAL: all %,d rows, every column."
            : "Source and lake DIFFER (%,d rows at the source).",
        compared);
  }

  private Path writeConfig(DemoFolder folder, DemoSource database) throws IOException {
    String text =
        """
        # Written by 'sluice demo'. A pipeline's config file holds what differs from the defaults.
        sluice {
          pipeline = demo
          warehouse = %s
          commit-interval = 200ms
          source {
            type = %s, host = %s, port = %d
            user = %s, password = %s
            include = ["%s.*"]
          }
          retention { time = 10m }
          http.listen = %s
        }
        """
            .formatted(
                quoted(folder.warehouse().toString()),
                database.kind().sourceType(),
                quoted(database.host()),
                database.port(),
                quoted(database.replicationUser()),
                quoted(database.replicationPassword()),
                Shop.DATABASE,
                quoted(http));
    Files.createDirectories(folder.warehouse());
    return Files.writeString(folder.root().resolve("demo.conf"), text, StandardCharsets.UTF_8);
  }

  private static String quoted(String text) {
    return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
  }

  private void sayWhereThingsAre(
      DemoFolder folder, DemoSource database, Path config, Daemon daemon) {
    say("");
    say(
        "  database     %s%s",
        database.clientCommand(), database.isThrowaway() ? "   (gone at the end)" : "");
    say("  lake         %s", folder.warehouse());
    say("  config       %s", config);
    say("  status page  %s", daemon.url().orElse("http://" + http + "/"));
    say("  workload     %,d rows/s over five tables; Ctrl-C ends it and compares", rate);
    say("");
  }

  private void sayWhatNext(DemoFolder folder) {
    Path warehouse = folder.warehouse();
    say("");
    say("The lake stays in %s. It holds Apache Paimon tables; read them with", warehouse);
    say("");
    say("  Sluice     ./sluice scan -w %s %s.orders --limit 10", warehouse, Shop.DATABASE);
    say("             ./sluice snapshots -w %s %s.orders", warehouse, Shop.DATABASE);
    say(
        "  Flink SQL  CREATE CATALOG lake WITH ('type' = 'paimon', 'warehouse' = 'file:%s');",
        warehouse);
    say("             SELECT status, COUNT(*) FROM lake.%s.orders GROUP BY status;", Shop.DATABASE);
    say(
        "  Spark SQL  spark-sql --conf spark.sql.catalog.lake=org.apache.paimon.spark.SparkCatalog \\");
    say("                       --conf spark.sql.catalog.lake.warehouse=file:%s", warehouse);
    say("             SELECT status, COUNT(*) FROM lake.%s.orders GROUP BY status;", Shop.DATABASE);
  }

  private void say(String format, Object... arguments) {
    out.println(String.format(Locale.ROOT, format, arguments));
    out.flush();
  }
}
