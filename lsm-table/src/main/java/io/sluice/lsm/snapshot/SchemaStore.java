package io.sluice.lsm.snapshot;

import io.sluice.lsm.error.CommitConflictException;
import io.sluice.lsm.error.CorruptTableException;
import io.sluice.lsm.io.FileIO;
import io.sluice.lsm.io.TablePaths;
import io.sluice.lsm.schema.TableSchema;
import io.sluice.lsm.schema.TableSchemaJson;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The schema files of a table: {@code schema-0}, {@code schema-1} and so on without a gap; a file
 * never changes once it is there, so what was read is kept. Thread safe.
 */
public final class SchemaStore {

  private static final String PREFIX = "schema-";

  private final FileIO fileIO;
  private final TablePaths paths;
  private final Map<Long, TableSchema> known = new ConcurrentHashMap<>();
  private volatile long newestKnown = -1;

  public SchemaStore(FileIO fileIO, TablePaths paths) {
    this.fileIO = fileIO;
    this.paths = paths;
  }

  /** All ids there are, ascending. */
  public List<Long> listIds() throws IOException {
    List<Long> ids = new ArrayList<>();
    for (FileIO.FileStatus file : fileIO.list(paths.schemaFolder())) {
      long id = Ids.parse(file.name(), PREFIX);
      if (id >= 0 && !file.folder()) {
        ids.add(id);
      }
    }
    Collections.sort(ids);
    return ids;
  }

  /** The newest schema there is now; null if the folder is no table. */
  public @Nullable TableSchema findLatest() throws IOException {
    long id = findLatestId();
    return id < 0 ? null : read(id);
  }

  /** Id of the newest schema there is now, or -1. */
  public long findLatestId() throws IOException {
    long id = newestKnown;
    if (id < 0) {
      List<Long> ids = listIds();
      id = ids.isEmpty() ? -1 : ids.get(ids.size() - 1);
    } else {
      // Schemas are numbered without a gap and stay, so the first missing one ends the row.
      while (fileIO.exists(paths.schema(id + 1))) {
        id++;
      }
    }
    newestKnown = Math.max(newestKnown, id);
    return id;
  }

  /**
   * A schema by its id.
   *
   * @throws CorruptTableException if there is none: files written with it cannot be read
   */
  public TableSchema read(long id) throws IOException {
    TableSchema schema = known.get(id);
    if (schema == null) {
      String path = paths.schema(id);
      byte[] content;
      try {
        content = fileIO.readAll(path);
      } catch (FileNotFoundException e) {
        throw new CorruptTableException(
            path
                + " is missing, though the table refers to schema "
                + id
                + ". Restore the file from a copy; without it its data files cannot be read.",
            e);
      }
      schema = TableSchemaJson.read(content, path);
      if (schema.id() != id) {
        throw new CorruptTableException(path + " says that it is schema " + schema.id());
      }
      known.put(id, schema);
    }
    return schema;
  }

  /**
   * Creates {@code schema-<id>} with this text, or finds it there with the very same text.
   *
   * @throws CommitConflictException if it is there with another text: somebody altered the table
   * @throws IOException the outcome is unknown; the same call again finds out
   */
  public void createExclusively(long id, String text) throws IOException {
    String path = paths.schema(id);
    byte[] content = text.getBytes(StandardCharsets.UTF_8);
    TableSchema schema = TableSchemaJson.read(content, path);
    if (schema.id() != id) {
      throw new IllegalArgumentException(
          "The text for " + path + " is that of schema " + schema.id());
    }
    if (!fileIO.createExclusively(path, content) && !Arrays.equals(content, fileIO.readAll(path))) {
      throw new CommitConflictException(
          "Table "
              + paths.root()
              + " was altered by another writer: "
              + path
              + " exists with another content than the one to be created. Compare the two schemas,"
              + " undo the foreign change or resync the table.");
    }
    known.put(id, schema);
    newestKnown = Math.max(newestKnown, id);
  }
}
