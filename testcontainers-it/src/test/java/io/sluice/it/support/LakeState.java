package io.sluice.it.support;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** What a killed daemon left behind, by the lake's files alone. */
public final class LakeState {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Pattern EPOCH = Pattern.compile("epoch-(\\d+)");
  private static final Pattern SNAPSHOT = Pattern.compile("snapshot-(\\d+)");

  private LakeState() {}

  /** Highest epoch file of the pipeline; 0 when there is none. */
  public static long highestEpoch(PipelineFolder pipeline) {
    return highest(pipeline.stateFolder(), EPOCH);
  }

  /** Number of the newest snapshot of a table; 0 when there is none. */
  public static long newestSnapshot(PipelineFolder pipeline, String database, String table) {
    return highest(pipeline.table(database, table).resolve("snapshot"), SNAPSHOT);
  }

  /**
   * What the newest epoch file tells.
   *
   * @param tablesOfEpoch tables that the epoch changes
   * @param tablesLackingEpoch of these, how many have no snapshot of it
   * @param backfilling whether a table was being copied
   */
  public record Left(int tablesOfEpoch, int tablesLackingEpoch, boolean backfilling) {}

  /** Where the daemon was, by what it left. */
  public static Left left(PipelineFolder pipeline, String database) {
    long epoch = highestEpoch(pipeline);
    if (epoch == 0) {
      return new Left(0, 0, false);
    }
    try {
      JsonNode root =
          JSON.readTree(pipeline.stateFolder().resolve(epochFile(pipeline, epoch)).toFile());
      int changed = 0;
      int lacking = 0;
      for (JsonNode change : root.path("changes")) {
        changed++;
        if (newestEpochOf(pipeline, database, change.path("table").asText()) < epoch) {
          lacking++;
        }
      }
      boolean copying = root.path("sources").isEmpty();
      for (JsonNode source : root.path("sources")) {
        copying |= !source.path("backfill").asText().contains("consistent");
      }
      return new Left(changed, lacking, copying);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String epochFile(PipelineFolder pipeline, long epoch) throws IOException {
    try (Stream<Path> files = Files.list(pipeline.stateFolder())) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> number(name, EPOCH) == epoch)
          .findFirst()
          .orElseThrow(() -> new NoSuchFileException("epoch-" + epoch));
    }
  }

  private static long newestEpochOf(PipelineFolder pipeline, String database, String table)
      throws IOException {
    Path folder = pipeline.table(database, table).resolve("snapshot");
    for (long id = newestSnapshot(pipeline, database, table); id > 0; id--) {
      Path file = folder.resolve("snapshot-" + id);
      if (!Files.exists(file)) {
        return 0;
      }
      JsonNode epoch = JSON.readTree(file.toFile()).path("properties").path("sluice.epoch");
      if (!epoch.isMissingNode()) {
        return epoch.asLong();
      }
    }
    return 0;
  }

  private static long highest(Path folder, Pattern pattern) {
    if (!Files.isDirectory(folder)) {
      return 0;
    }
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .mapToLong(file -> number(file.getFileName().toString(), pattern))
          .max()
          .orElse(0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static long number(String name, Pattern pattern) {
    Matcher matcher = pattern.matcher(name);
    return matcher.matches() ? Long.parseLong(matcher.group(1)) : 0;
  }
}
