package io.sluice.it.support;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
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
        if (!makesSnapshot(change)) {
          continue;
        }
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

  /** Tables of which the newest epoch makes a snapshot, by their lake name without the database. */
  public static List<String> tablesOfNewestEpoch(PipelineFolder pipeline) {
    List<String> result = new ArrayList<>();
    for (JsonNode change : newestEpochFile(pipeline).path("changes")) {
      if (makesSnapshot(change)) {
        result.add(change.path("table").asText());
      }
    }
    return result;
  }

  /** A change of the schema alone makes none. */
  private static boolean makesSnapshot(JsonNode change) {
    return change.has("delta") || change.path("kind").asText().equals("OVERWRITE");
  }

  /** Sources, as {@code database.table}, whose copy is complete and settled. */
  public static Set<String> consistentSources(PipelineFolder pipeline) {
    Set<String> result = new HashSet<>();
    for (JsonNode source : newestEpochFile(pipeline).path("sources")) {
      if (source.path("backfill").asText().contains("consistent")) {
        result.add(source.path("database").asText() + "." + source.path("table").asText());
      }
    }
    return result;
  }

  private static JsonNode newestEpochFile(PipelineFolder pipeline) {
    long epoch = highestEpoch(pipeline);
    if (epoch == 0) {
      return JSON.createObjectNode();
    }
    try {
      return JSON.readTree(pipeline.stateFolder().resolve(epochFile(pipeline, epoch)).toFile());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The epochs that a table's snapshots carry, by snapshot id. */
  public static SortedMap<Long, Long> epochs(
      PipelineFolder pipeline, String database, String table) {
    Path folder = pipeline.table(database, table).resolve("snapshot");
    SortedMap<Long, Long> result = new TreeMap<>();
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.toList()) {
        long id = number(file.getFileName().toString(), SNAPSHOT);
        JsonNode epoch =
            id == 0
                ? JSON.missingNode()
                : JSON.readTree(file.toFile()).path("properties").path("sluice.epoch");
        if (!epoch.isMissingNode()) {
          result.put(id, epoch.asLong());
        }
      }
      return result;
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
