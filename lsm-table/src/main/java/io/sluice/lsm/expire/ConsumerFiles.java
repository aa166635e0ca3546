package io.sluice.lsm.expire;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.lsm.error.CorruptTableException;
import io.sluice.lsm.io.FileIO;
import io.sluice.lsm.io.TablePaths;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * The consumer files of a table: {@code consumer/consumer-<id>} with {@code {"nextSnapshot": N}}
 * keeps snapshots from N on from expiring, by Paimon's rules as by ours. Thread safe.
 */
public final class ConsumerFiles {

  private static final String PREFIX = "consumer-";
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private final FileIO fileIO;
  private final TablePaths paths;

  public ConsumerFiles(FileIO fileIO, TablePaths paths) {
    this.fileIO = fileIO;
    this.paths = paths;
  }

  /** The first snapshot that a consumer still needs; empty if there is no such consumer. */
  public OptionalLong read(String id) throws IOException {
    String path = paths.consumer(id);
    try {
      return OptionalLong.of(parse(fileIO.readAll(path), path));
    } catch (FileNotFoundException e) {
      return OptionalLong.empty();
    }
  }

  /**
   * Creates a consumer, or moves it forward. It never moves back: a smaller number than the present
   * one changes nothing, since what lies before may be gone.
   *
   * @return the number that stands there now
   */
  public synchronized long advance(String id, long nextSnapshot) throws IOException {
    byte[] content =
        ("{\n  \"nextSnapshot\" : " + nextSnapshot + "\n}").getBytes(StandardCharsets.UTF_8);
    OptionalLong present = read(id);
    if (present.isEmpty() && fileIO.createExclusively(paths.consumer(id), content)) {
      return nextSnapshot;
    }
    // Somebody may have created it just now.
    present = read(id);
    if (present.isPresent() && present.getAsLong() >= nextSnapshot) {
      return present.getAsLong();
    }
    fileIO.replace(paths.consumer(id), content);
    return nextSnapshot;
  }

  /** Ends a consumer; snapshots may expire without regard to it. */
  public void delete(String id) throws IOException {
    fileIO.delete(paths.consumer(id));
  }

  /**
   * All consumers with the first snapshot that each still needs.
   *
   * @throws CorruptTableException if a file holds no such number: nothing may be expired then
   */
  public Map<String, Long> list() throws IOException {
    Map<String, Long> result = new TreeMap<>();
    for (FileIO.FileStatus file : fileIO.list(paths.consumerFolder())) {
      if (!file.folder() && file.name().startsWith(PREFIX)) {
        String id = file.name().substring(PREFIX.length());
        OptionalLong next = read(id);
        if (next.isPresent()) {
          result.put(id, next.getAsLong());
        }
      }
    }
    return result;
  }

  private static long parse(byte[] content, String path) {
    IOException cause = new IOException("nextSnapshot is missing or no whole number");
    try {
      JsonNode next = MAPPER.readTree(content).path("nextSnapshot");
      if (next.isIntegralNumber() && next.canConvertToLong()) {
        return next.longValue();
      }
    } catch (IOException e) {
      cause = e;
    }
    throw new CorruptTableException(
        path
            + " holds no nextSnapshot. No snapshot expires until the file is mended or, if its"
            + " reader is gone for good, deleted.",
        cause);
  }
}
