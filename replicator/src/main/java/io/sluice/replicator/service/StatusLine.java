package io.sluice.replicator.service;

import io.sluice.replicator.metrics.DaemonStatus;
import io.sluice.sinks.PipelineStatus;
import io.sluice.sinks.PipelineStatus.TableStatus;
import java.util.Locale;

/** A daemon's state in one line, for {@code systemctl status}. Pure. */
final class StatusLine {

  private static final int CHARS_MAX = 300;

  private StatusLine() {}

  static String of(DaemonStatus status) {
    String problem = status.problem().map(StatusLine::oneLine).orElse("");
    return switch (status.state()) {
      case STARTING -> problem.isEmpty() ? "Starts" : "Starts: " + problem;
      case RUNNING -> status.pipeline().map(p -> running(p, status)).orElse("Runs");
      case RETRYING -> "Tries again: " + problem;
      case STOPPING -> "Commits a last epoch";
      case STOPPED -> problem.isEmpty() ? "Stopped" : "Stopped: " + problem;
    };
  }

  private static String running(PipelineStatus pipeline, DaemonStatus status) {
    int copying = 0;
    int parked = 0;
    int catchingUp = 0;
    for (TableStatus table : pipeline.tables()) {
      if (table.parked() != null && table.parked().catchingUp()) {
        catchingUp++;
      } else if (table.parked() != null) {
        parked++;
      } else if (!String.valueOf(table.backfillProgress()).contains("consistent")) {
        copying++;
      }
    }
    StringBuilder line =
        new StringBuilder("Epoch ")
            .append(pipeline.epoch())
            .append(", ")
            .append(pipeline.tables().size())
            .append(pipeline.tables().size() == 1 ? " table" : " tables");
    if (copying > 0) {
      line.append(", ").append(copying).append(" backfilling");
    }
    if (catchingUp > 0) {
      line.append(", ").append(catchingUp).append(" catching up");
    }
    if (parked > 0) {
      line.append(", ").append(parked).append(" parked");
    }
    return line.append(lag(status)).toString();
  }

  private static String lag(DaemonStatus status) {
    return status.sourceLagSeconds().isEmpty()
        ? ""
        : String.format(
            Locale.ROOT, ", lag %.1f s", Math.max(0, status.sourceLagSeconds().getAsDouble()));
  }

  private static String oneLine(String text) {
    String line = text.strip().replaceAll("\\s+", " ");
    return line.length() <= CHARS_MAX ? line : line.substring(0, CHARS_MAX) + "...";
  }
}
