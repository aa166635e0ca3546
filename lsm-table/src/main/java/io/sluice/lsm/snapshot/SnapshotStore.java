package io.sluice.lsm.snapshot;

import io.sluice.lsm.error.CorruptTableException;
import io.sluice.lsm.io.Backoff;
import io.sluice.lsm.io.FileIO;
import io.sluice.lsm.io.TablePaths;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The snapshot files of a table.
 *
 * <p>The newest snapshot is found by listing, never by the hint file {@code LATEST}: hints are
 * written late and out of order, and one may name a snapshot that a slow writer put into a hole
 * that expiry had left. A caller that knows a snapshot of the chain goes on from it with single
 * look-ups ({@link #findLatest(Snapshot)}). Thread safe.
 */
public final class SnapshotStore {

  /** What became of a try to create a snapshot. An IOException: nobody knows. */
  public enum Creation {
    CREATED,
    /** The number is taken; perhaps by an earlier try of the caller's own: read it back. */
    EXISTS
  }

  private static final Logger log = LoggerFactory.getLogger(SnapshotStore.class);
  private static final String PREFIX = "snapshot-";
  private static final int PROBES_MAX = 32;
  private static final int READS_MAX = 10;

  private final FileIO fileIO;
  private final TablePaths paths;
  private final Backoff backoff;

  public SnapshotStore(FileIO fileIO, TablePaths paths) {
    this(fileIO, paths, Backoff.exponential(Duration.ofMillis(20), Duration.ofMillis(400)));
  }

  /**
   * @param backoff between readings of a file that holds no whole JSON yet
   */
  public SnapshotStore(FileIO fileIO, TablePaths paths, Backoff backoff) {
    this.fileIO = fileIO;
    this.paths = paths;
    this.backoff = backoff;
  }

  /** All ids there are, ascending; holes are possible below the chain that ends at the newest. */
  public List<Long> listIds() throws IOException {
    List<Long> ids = new ArrayList<>();
    for (FileIO.FileStatus file : fileIO.list(paths.snapshotFolder())) {
      long id = Ids.parse(file.name(), PREFIX);
      if (id >= 0 && !file.folder()) {
        ids.add(id);
      }
    }
    Collections.sort(ids);
    return ids;
  }

  /** The newest snapshot, found by listing; null if there is none. */
  public @Nullable Snapshot findLatest() throws IOException {
    for (int failures = 1; ; failures++) {
      List<Long> ids = listIds();
      if (ids.isEmpty()) {
        return null;
      }
      Snapshot snapshot = readIfThere(ids.get(ids.size() - 1));
      if (snapshot != null) {
        return snapshot;
      }
      // Gone between listing and reading: a roll-back, or somebody deletes by hand.
      if (failures == READS_MAX) {
        throw new FileNotFoundException(
            paths.snapshot(ids.get(ids.size() - 1)) + " is listed, but cannot be found");
      }
      backoff.pause(failures);
    }
  }

  /**
   * The newest snapshot, looked for from one that was in the chain. Files are deleted from the
   * lowest number up: while {@code known} is there, everything committed after it is there too, so
   * the first missing number ends the chain. Else, or when the file has changed (a roll-back gives
   * its number to another): by listing.
   */
  public @Nullable Snapshot findLatest(@Nullable Snapshot known) throws IOException {
    if (known == null) {
      return findLatest();
    }
    Snapshot latest = known;
    for (int probes = 0; ; probes++) {
      Snapshot next = probes < PROBES_MAX ? readIfThere(latest.id() + 1) : null;
      if (next == null) {
        boolean sureOfEnd = probes < PROBES_MAX && known.equals(readIfThere(known.id()));
        return sureOfEnd ? latest : findLatest();
      }
      latest = next;
    }
  }

  /** Throws {@link FileNotFoundException} where there is no such snapshot. */
  public Snapshot read(long id) throws IOException {
    String path = paths.snapshot(id);
    Snapshot snapshot = parse(path, fileIO.readAll(path));
    if (snapshot.id() != id) {
      throw new CorruptTableException(path + " says that it is snapshot " + snapshot.id());
    }
    return snapshot;
  }

  /** Null where there is no such snapshot. */
  public @Nullable Snapshot readIfThere(long id) throws IOException {
    try {
      return read(id);
    } catch (FileNotFoundException e) {
      return null;
    }
  }

  /** Reads a file that holds a snapshot's JSON under another name, as a tag does. */
  public Snapshot readCopy(String path) throws IOException {
    return parse(path, fileIO.readAll(path));
  }

  public boolean exists(long id) throws IOException {
    return fileIO.exists(paths.snapshot(id));
  }

  /**
   * Publishes a snapshot under its number.
   *
   * @param needed paths of files that lead from it and may not be durable yet: they are before the
   *     snapshot appears
   * @throws io.sluice.lsm.io.NotDurableException one of them isn't: there is no snapshot
   * @throws IOException the outcome is unknown: the file may be there, or still appear
   */
  public Creation tryCreate(Snapshot snapshot, List<String> needed) throws IOException {
    return fileIO.createExclusively(
            paths.snapshot(snapshot.id()), SnapshotJson.write(snapshot), needed)
        ? Creation.CREATED
        : Creation.EXISTS;
  }

  /** Tells readers where to begin to look. Failure is logged: a stale hint only costs a listing. */
  public void writeLatestHint(long id) {
    writeHint(paths.latestHint(), id);
  }

  /** Like {@link #writeLatestHint}, for the oldest snapshot. */
  public void writeEarliestHint(long id) {
    writeHint(paths.earliestHint(), id);
  }

  private void writeHint(String path, long id) {
    try {
      fileIO.replaceHint(path, Long.toString(id).getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      log.warn(
          "Could not write the hint {}: {}. Readers list the folder instead.", path, e.toString());
    }
  }

  private Snapshot parse(String path, byte[] firstBytes) throws IOException {
    byte[] bytes = firstBytes;
    for (int failures = 1; ; failures++) {
      try {
        return SnapshotJson.parse(bytes, path);
      } catch (IncompleteJsonException e) {
        // Storage without atomic visibility shows a file before it is whole.
        if (failures == READS_MAX) {
          throw new CorruptTableException(
              path
                  + " holds no whole JSON after "
                  + READS_MAX
                  + " readings; it begins with: "
                  + SnapshotJson.excerpt(bytes),
              e);
        }
        backoff.pause(failures);
        bytes = fileIO.readAll(path);
      }
    }
  }
}
