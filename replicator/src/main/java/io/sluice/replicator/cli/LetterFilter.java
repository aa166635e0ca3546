package io.sluice.replicator.cli;

import io.sluice.replicator.letters.LetterSelection;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which letters a command is about, besides their names. */
final class LetterFilter {

  @Option(
      names = "--table",
      paramLabel = "DB.TABLE",
      description = "Those that were meant for this lake table.")
  private @Nullable String table;

  @Option(
      names = "--source",
      paramLabel = "TOPIC",
      description = "Those that came from this topic.")
  private @Nullable String source;

  @Option(
      names = "--reason",
      paramLabel = "REASON",
      description = "malformed, incomplete, value, key, schema or unrouted.")
  private @Nullable String reason;

  @Option(
      names = "--since",
      paramLabel = "TIME",
      description = "Set aside then or later: 2026-01-31T10:00:00Z, or so long ago: 12h, 7d.")
  private @Nullable String since;

  boolean isEmpty() {
    return table == null && source == null && reason == null && since == null;
  }

  LetterSelection of(List<String> names, Context context) {
    return new LetterSelection(
        names,
        Optional.ofNullable(table),
        Optional.ofNullable(source),
        Optional.ofNullable(reason),
        since == null ? 0 : moment(since, context));
  }

  private static long moment(String text, Context context) {
    return text.strip().matches("\\d+\\s*[A-Za-z]+")
        ? context.clock().millis() - ExpireCommand.duration(text).toMillis()
        : SnapshotArgument.millis(text);
  }
}
