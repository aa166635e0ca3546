package io.sluice.lsm.snapshot;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.lsm.error.CorruptTableException;
import io.sluice.lsm.io.FileIO;
import io.sluice.lsm.io.TablePaths;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The tag files of a table: {@code tag/tag-<name>} holds a snapshot's JSON and, where the tag has a
 * time to live, {@code tagCreateTime} as an array of year to nanosecond and {@code tagTimeRetained}
 * in seconds. Thread safe.
 */
public final class TagStore {

  private static final String PREFIX = "tag-";
  private static final int NANO_DIGITS = 9;
  private static final Pattern NUMBER = Pattern.compile("-?\\d+");
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private final FileIO fileIO;
  private final TablePaths paths;
  private final SnapshotStore snapshots;

  /**
   * @param snapshots of the same table or branch
   */
  public TagStore(FileIO fileIO, TablePaths paths, SnapshotStore snapshots) {
    this.fileIO = fileIO;
    this.paths = paths;
    this.snapshots = snapshots;
  }

  /** Names of all tags, in the order of their text. */
  public List<String> names() throws IOException {
    List<String> names = new ArrayList<>();
    for (FileIO.FileStatus file : fileIO.list(paths.tagFolder())) {
      if (!file.folder() && file.name().startsWith(PREFIX)) {
        names.add(file.name().substring(PREFIX.length()));
      }
    }
    names.sort(Comparator.naturalOrder());
    return names;
  }

  /** All tags, by the number of their snapshot, then by name. */
  public List<Tag> list() throws IOException {
    List<Tag> tags = new ArrayList<>();
    for (String name : names()) {
      Tag tag = readIfThere(name);
      if (tag != null) {
        tags.add(tag);
      }
    }
    tags.sort(Comparator.comparingLong((Tag tag) -> tag.snapshot().id()).thenComparing(Tag::name));
    return tags;
  }

  /**
   * Reads a tag.
   *
   * @throws FileNotFoundException if there is none of this name
   * @throws CorruptTableException if its file is no tag
   */
  public Tag read(String name) throws IOException {
    requireName(name);
    String path = paths.tag(name);
    Snapshot snapshot = snapshots.readCopy(path);
    JsonNode json = MAPPER.readTree(fileIO.readAll(path));
    return new Tag(
        name,
        snapshot,
        createTime(json.path("tagCreateTime"), path),
        retained(json.path("tagTimeRetained"), path));
  }

  /** Null where there is no such tag. */
  public @Nullable Tag readIfThere(String name) throws IOException {
    try {
      return read(name);
    } catch (FileNotFoundException e) {
      return null;
    }
  }

  /**
   * Creates a tag.
   *
   * @return false if there is one of this name already
   * @throws IllegalArgumentException if the name cannot be that of a file
   * @throws FileNotFoundException if the snapshot expired meanwhile: then there is no tag
   */
  public boolean create(Tag tag) throws IOException {
    requireName(tag.name());
    ObjectNode json = (ObjectNode) MAPPER.readTree(SnapshotJson.write(tag.snapshot()));
    LocalDateTime time = tag.createTime();
    if (time != null) {
      ArrayNode parts = json.putArray("tagCreateTime");
      parts.add(time.getYear()).add(time.getMonthValue()).add(time.getDayOfMonth());
      parts.add(time.getHour()).add(time.getMinute()).add(time.getSecond()).add(time.getNano());
    }
    Duration retained = tag.timeRetained();
    if (retained != null) {
      json.put(
          "tagTimeRetained",
          BigDecimal.valueOf(retained.getSeconds())
              .add(BigDecimal.valueOf(retained.getNano(), NANO_DIGITS)));
    }
    if (!fileIO.createExclusively(
        paths.tag(tag.name()), MAPPER.writerWithDefaultPrettyPrinter().writeValueAsBytes(json))) {
      return false;
    }
    // Expiry hides a snapshot before it looks for tags a last time: one of the two sees the other.
    if (!tag.snapshot().equals(snapshots.readIfThere(tag.snapshot().id()))) {
      fileIO.delete(paths.tag(tag.name()));
      throw new FileNotFoundException(
          "Snapshot "
              + tag.snapshot().id()
              + " of "
              + paths.root()
              + " has gone while tag "
              + tag.name()
              + " was made; tag a newer one");
    }
    return true;
  }

  /** Deletes a tag's file alone; false if there was none. */
  public boolean delete(String name) throws IOException {
    requireName(name);
    return fileIO.delete(paths.tag(name));
  }

  private static void requireName(String name) {
    if (name.isBlank() || name.indexOf('/') >= 0 || NUMBER.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "\"" + name + "\" can't be the name of a tag: it must not be blank, a number, or hold /");
    }
  }

  private static @Nullable LocalDateTime createTime(JsonNode json, String path) {
    if (json.isMissingNode() || json.isNull()) {
      return null;
    }
    try {
      return LocalDateTime.of(
          json.path(0).intValue(),
          json.path(1).intValue(),
          json.path(2).intValue(),
          json.path(3).intValue(),
          json.path(4).intValue(),
          json.path(5).intValue(),
          json.path(6).intValue());
    } catch (DateTimeException e) {
      throw new CorruptTableException(path + ": tagCreateTime is no time: " + json, e);
    }
  }

  private static @Nullable Duration retained(JsonNode json, String path) {
    if (json.isMissingNode() || json.isNull()) {
      return null;
    }
    if (!json.isNumber()) {
      throw new CorruptTableException(path + ": tagTimeRetained is no number: " + json);
    }
    BigDecimal seconds = json.decimalValue();
    try {
      return Duration.ofSeconds(
          seconds.longValue(),
          seconds.remainder(BigDecimal.ONE).movePointRight(NANO_DIGITS).longValue());
    } catch (ArithmeticException e) {
      throw new CorruptTableException(path + ": tagTimeRetained is too large: " + json, e);
    }
  }
}
