package io.sluice.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code sluice demo}, as a person types it. */
class DemoIT {
  @TempDir Path folder;

  private record Ended(int code, String text) {}

  @Test
  void endsWithSourceAndLakeEqualAndReplacesAnEarlierDemo() throws Exception {
    Path lake = folder.resolve("lake");
    Ended first =
        demo("--dir", lake.toString(), "--seconds", "12", "--rate", "500", "--rows", "20000");
    assertThat(first.text())
        .contains("Source and lake are EQUAL")
        .contains("until a scan of the lake shows it: p50");
    assertThat(first.code()).isZero();
    Ended second =
        demo(
            "--dir",
            lake.toString(),
            "--seconds",
            "5",
            "--rate",
            "500",
            "--rows",
            "5000",
            "--source",
            "mysql");
    assertThat(second.text()).contains("is replaced").contains("Source and lake are EQUAL");
    assertThat(second.code()).isZero();
  }

  @Test
  void comparesWhenItIsStopped() throws Exception {
    Process process =
        start("--dir", folder.resolve("lake").toString(), "--rate", "500", "--rows", "5000");
    try {
      Path log = folder.resolve("demo.log");
      io.sluice.it.support.Await.until(
          java.time.Duration.ofSeconds(90),
          () -> "the demo runs",
          () -> Files.readString(log).contains("first copy done"));
      // Ctrl-C is SIGINT and goes the same way, but a shell that runs the tests in the background
      // has its children ignore it.
      new ProcessBuilder("kill", "-TERM", Long.toString(process.pid())).start().waitFor();
      Ended ended = await(process);
      assertThat(ended.text()).contains("Source and lake are EQUAL");
      assertThat(ended.code()).isZero();
    } finally {
      process.destroyForcibly();
    }
  }

  @Test
  void leavesAFolderAloneThatIsNotItsOwn() throws Exception {
    Path precious = Files.writeString(folder.resolve("precious.txt"), "keep me");
    Path elsewhere = Files.createDirectories(folder.resolve("mine"));
    Files.copy(precious, elsewhere.resolve("precious.txt"));
    Ended ended = demo("--dir", elsewhere.toString(), "--seconds", "1");
    assertThat(ended.code()).isEqualTo(2);
    assertThat(ended.text()).contains("--dir");
    assertThat(elsewhere.resolve("precious.txt")).hasContent("keep me");
  }

  private Ended demo(String... options) throws Exception {
    return await(start(options));
  }

  private Process start(String... options) throws IOException {
    Path log = folder.resolve("demo.log");
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        List.of(
            "-Xmx512m",
            "-XX:+UseSerialGC",
            "-Duser.timezone=America/St_Johns",
            "-cp",
            System.getProperty("java.class.path")));
    command.addAll(List.of("io.sluice.replicator.cli.Sluice", "demo", "--http", "127.0.0.1:0"));
    command.addAll(List.of(options));
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(log.toFile())
        .start();
  }

  private Ended await(Process process) throws Exception {
    boolean ended = process.waitFor(300, TimeUnit.SECONDS);
    process.destroyForcibly();
    String text = Files.readString(folder.resolve("demo.log"), StandardCharsets.UTF_8);
    assertThat(ended).as("ends within 300 s; it said:\n%s", text).isTrue();
    return new Ended(process.exitValue(), text);
  }
}
