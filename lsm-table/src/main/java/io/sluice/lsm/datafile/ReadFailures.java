package io.sluice.lsm.datafile;

import io.sluice.lsm.error.CorruptTableException;
import io.sluice.lsm.error.LsmException;
import io.sluice.lsm.error.StorageException;
import java.io.FileNotFoundException;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** What to say when a data file can't be read, whatever its format. */
public final class ReadFailures {

  private ReadFailures() {}

  /**
   * Storage that failed, a file that is gone, or bytes that are wrong.
   *
   * @param storage what storage said, null if it gave all bytes that were asked for
   * @param failure what came of it
   */
  public static RuntimeException of(String path, @Nullable IOException storage, Exception failure) {
    if (failure instanceof LsmException known) {
      return known;
    }
    if (storage instanceof FileNotFoundException) {
      return new CorruptTableException(
          "The data file "
              + path
              + " is gone although a snapshot names it. Either the snapshot has"
              + " expired while it was read (read a newer one), or the file was deleted by hand"
              + " (restore it, or roll back to a snapshot without it).",
          failure);
    }
    if (storage != null) {
      return new StorageException("Cannot read " + path + ": " + storage, failure);
    }
    return new CorruptTableException(
        "The data file " + path + " is damaged: " + failure + ". Restore it from a copy.", failure);
  }

  /** A file with another number of records than its manifest entry says. */
  public static CorruptTableException count(String path, long found, long expected) {
    return new CorruptTableException(
        path + " has " + found + " records, its manifest says " + expected);
  }

  /** A record whose {@code _VALUE_KIND} is none. */
  public static CorruptTableException kind(String path, long kind) {
    return new CorruptTableException(
        path + ": a record has the kind " + kind + "; there are 0 to 3");
  }
}
