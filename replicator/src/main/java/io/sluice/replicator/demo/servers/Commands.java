package io.sluice.replicator.demo.servers;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Runs short programs to their end. */
final class Commands {
  private static final long LIMIT_SECONDS = 180;

  private Commands() {}

  /** Standard output and error of the program, which must end well. */
  static String output(List<String> command, Path log) throws IOException {
    int code = run(command, null, log);
    String text = Files.readString(log, StandardCharsets.ISO_8859_1);
    if (code != 0) {
      throw new IOException(command.get(0) + " ended with exit code " + code + ":\n" + tail(text));
    }
    return text;
  }

  /**
   * Feeds {@code input} to the program and waits for it; its output goes to {@code log}. Returns
   * its exit code.
   */
  static int run(List<String> command, @Nullable Path input, Path log) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
    builder.redirectInput(input == null ? Path.of("/dev/null").toFile() : input.toFile());
    Process process = builder.start();
    try {
      if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
        throw new IOException(
            command.get(0)
                + " did not end within "
                + LIMIT_SECONDS
                + " s; its output is in "
                + log);
      }
      return process.exitValue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while waiting for " + command.get(0), e);
    } finally {
      process.destroyForcibly();
    }
  }

  /** The last lines of a log. */
  static String tail(String text) {
    List<String> lines = text.lines().toList();
    return String.join("\n", lines.subList(Math.max(0, lines.size() - 15), lines.size()));
  }
}
