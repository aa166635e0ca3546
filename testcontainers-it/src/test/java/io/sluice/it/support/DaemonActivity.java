package io.sluice.it.support;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a running daemon is at, by the debug lines of its log ({@link #JVM_OPTION}). A line is
 * written before what it tells of begins and after it has ended, so after {@code kill -9} the log
 * proves what was under way. Not thread safe.
 */
public final class DaemonActivity {

  /** For the daemon's JVM: these lines are debug lines. */
  public static final String JVM_OPTION = "-Dsluice.log.level=DEBUG";

  private static final Pattern INSIDE =
      Pattern.compile(".*RecordInterpreter: Inside transaction (\\S+): (\\d+) changes so far");
  private static final Pattern AT_END =
      Pattern.compile(".*RecordInterpreter: At the end of transaction .*");
  private static final Pattern COMPACTING =
      Pattern.compile(".*CompactionListener: Compacting (.*) of (\\S+): \\d+ bytes.*");
  private static final Pattern COMPACTED =
      Pattern.compile(".*CompactionListener: Compacted (.*) of (\\S+) in snapshot .*");
  private static final Pattern GIVEN_UP =
      Pattern.compile(".*CompactionListener: (?:Compaction of|Table) ([^ :]+)[ :].*");

  private final Path log;
  private final Set<String> compactions = new LinkedHashSet<>();
  private final Map<String, Long> insideTransaction = new LinkedHashMap<>();
  private long offset;

  private DaemonActivity(Path log, long offset) {
    this.log = log;
    this.offset = offset;
  }

  /** Of the daemon that is started next in this folder. */
  public static DaemonActivity ofNext(PipelineFolder pipeline) {
    Path log = pipeline.folder().resolve("daemon.log");
    try {
      return new DaemonActivity(log, Files.exists(log) ? Files.size(log) : 0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Reads what was logged since the last time. */
  public DaemonActivity look() {
    for (String line : newLines()) {
      Matcher inside = INSIDE.matcher(line);
      Matcher compacting = COMPACTING.matcher(line);
      Matcher compacted = COMPACTED.matcher(line);
      Matcher givenUp = GIVEN_UP.matcher(line);
      if (inside.matches()) {
        insideTransaction.clear();
        insideTransaction.put(inside.group(1), Long.parseLong(inside.group(2)));
      } else if (AT_END.matcher(line).matches()) {
        insideTransaction.clear();
      } else if (compacting.matches()) {
        compactions.add(compacting.group(2) + " " + compacting.group(1));
      } else if (compacted.matches()) {
        compactions.remove(compacted.group(2) + " " + compacted.group(1));
      } else if (givenUp.matches()) {
        compactions.removeIf(each -> each.startsWith(givenUp.group(1) + " "));
      }
    }
    return this;
  }

  private String[] newLines() {
    try (RandomAccessFile file = new RandomAccessFile(log.toFile(), "r")) {
      long length = file.length();
      if (length <= offset) {
        return new String[0];
      }
      byte[] bytes = new byte[Math.toIntExact(length - offset)];
      file.seek(offset);
      file.readFully(bytes);
      int end = bytes.length;
      while (end > 0 && bytes[end - 1] != '\n') {
        end--;
      }
      offset += end;
      return new String(bytes, 0, end, StandardCharsets.UTF_8).split("\n");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Buckets whose compaction has begun and isn't committed. */
  public Set<String> compactions() {
    return Set.copyOf(compactions);
  }

  /** Changes handed over of the transaction under way; 0 between transactions. */
  public long changesOfOpenTransaction() {
    return insideTransaction.values().stream().mapToLong(Long::longValue).sum();
  }
}
