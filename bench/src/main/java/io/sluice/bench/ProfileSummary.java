package io.sluice.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordingFile;

/**
 * Sums up a flight recording of a benchmark: percentages of its samples (Java code, and native code
 * such as compression and waiting for the disk) by what was being done. A sample belongs to the
 * first group that any frame of its stack is in.
 *
 * <pre>ProfileSummary FILE.jfr [text that a frame must contain] [text that no frame may contain]
 * </pre>
 */
public final class ProfileSummary {

  /** Prefixes of "class.method" by group; groups are tried in this order, the inmost first. */
  private static final Map<String, List<String>> GROUPS = groups();

  private ProfileSummary() {}

  private static Map<String, List<String>> groups() {
    Map<String, List<String>> groups = new LinkedHashMap<>();
    groups.put("zstd", List.of("com.github.luben.zstd.", "io.airlift.compress."));
    groups.put(
        "waiting for the disk (fsync)",
        List.of(
            "io.sluice.lsm.io.LocalFileIO.writeSynced",
            "io.sluice.lsm.io.UnsyncedFiles",
            "io.sluice.lsm.io.LocalFileIO$BufferedFile.close"));
    groups.put("other file operations", List.of("io.sluice.lsm.io."));
    groups.put("ORC encoding", List.of("org.apache.orc.impl.WriterImpl.addRowBatch"));
    groups.put("ORC decoding", List.of("org.apache.orc.impl.RecordReaderImpl.nextBatch"));
    groups.put("ORC, beginning and end of files", List.of("org.apache.orc."));
    groups.put("rows into ORC's vectors", List.of("io.sluice.lsm.datafile.orc.OrcColumnWriter"));
    groups.put("merging", List.of("io.sluice.lsm.merge."));
    groups.put("data files, the rest", List.of("io.sluice.lsm.datafile.", "io.sluice.lsm.level."));
    groups.put(
        "memtable and sorting", List.of("io.sluice.lsm.write.", "io.sluice.lsm.binary.Bucket"));
    groups.put(
        "manifests and snapshots",
        List.of("io.sluice.lsm.manifest.", "io.sluice.lsm.snapshot.", "io.sluice.lsm.commit."));
    groups.put("compaction, the rest", List.of("io.sluice.lsm.compaction."));
    groups.put("rows of a scan", List.of("io.sluice.lsm.scan.", "io.sluice.lsm.table."));
    groups.put("the benchmark itself", List.of("io.sluice.bench."));
    return groups;
  }

  public static void main(String[] args) throws IOException {
    Arguments arguments = new Arguments(args);
    String needed = arguments.text(1, "");
    String refused = arguments.text(2, "");
    Map<String, Integer> counts = new LinkedHashMap<>();
    int all = 0;
    try (RecordingFile file = new RecordingFile(Path.of(args[0]))) {
      while (file.hasMoreEvents()) {
        RecordedEvent event = file.readEvent();
        List<String> frames = frames(event);
        if (frames.isEmpty()
            || frames.stream().noneMatch(frame -> frame.contains(needed))
            || !refused.isEmpty() && frames.stream().anyMatch(frame -> frame.contains(refused))
            // What a benchmark looks at and clears away behind the measured part.
            || frames.stream().anyMatch(frame -> frame.contains("bench.TableContent"))
            || frames.stream().anyMatch(frame -> frame.contains("bench.BenchFolder"))) {
          continue;
        }
        counts.merge(group(frames), 1, Integer::sum);
        all++;
      }
    }
    System.out.printf("%,d samples%n", all);
    List<Map.Entry<String, Integer>> sorted = new ArrayList<>(counts.entrySet());
    sorted.sort(Map.Entry.<String, Integer>comparingByValue().reversed());
    for (Map.Entry<String, Integer> entry : sorted) {
      System.out.printf(
          Locale.ROOT, "%5.1f %% %s%n", 100.0 * entry.getValue() / all, entry.getKey());
    }
  }

  /** "class.method" from the top; none for other events, and for stacks without this project. */
  private static List<String> frames(RecordedEvent event) {
    String type = event.getEventType().getName();
    if (!type.equals("jdk.ExecutionSample") && !type.equals("jdk.NativeMethodSample")
        || event.getStackTrace() == null) {
      return List.of();
    }
    List<String> frames = new ArrayList<>();
    for (RecordedFrame frame : event.getStackTrace().getFrames()) {
      frames.add(frame.getMethod().getType().getName() + "." + frame.getMethod().getName());
    }
    return frames.stream().anyMatch(frame -> frame.startsWith("io.sluice.")) ? frames : List.of();
  }

  private static String group(List<String> frames) {
    for (Map.Entry<String, List<String>> group : GROUPS.entrySet()) {
      for (String frame : frames) {
        if (group.getValue().stream().anyMatch(frame::startsWith)) {
          return group.getKey();
        }
      }
    }
    return "others";
  }
}
