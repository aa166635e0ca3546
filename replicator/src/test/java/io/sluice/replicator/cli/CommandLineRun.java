package io.sluice.replicator.cli;

import java.io.ByteArrayOutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/** One run of the command line inside the test. */
record CommandLineRun(int exitCode, String out, byte[] bytes, String err) {

  /** Tables that Paimon 1.4.2 wrote, with what it reads from them. */
  static final Path GOLDEN = Path.of("../lsm-table/src/test/resources/golden");

  private static final AtomicInteger IDS = new AtomicInteger();

  static CommandLineRun of(String... args) {
    StringWriter out = new StringWriter();
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    StringWriter err = new StringWriter();
    Context context =
        new Context(
            new PrintWriter(out),
            bytes,
            new PrintWriter(err),
            Map.of(),
            Clock.systemUTC(),
            () -> "test-" + IDS.incrementAndGet());
    int exitCode = Sluice.run(context, args);
    context.out().flush();
    context.err().flush();
    return new CommandLineRun(exitCode, out.toString(), bytes.toByteArray(), err.toString());
  }

  List<String> lines() {
    return out.lines().toList();
  }
}
