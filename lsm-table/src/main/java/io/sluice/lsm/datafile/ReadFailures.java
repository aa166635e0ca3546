package io.sluice.lsm.datafile;

import io.sluice.lsm.error.CorruptTableException;
import io.sluice.lsm.error.LsmException;
import io.sluice.lsm.error.StorageException;
import io.sluice.lsm.error.UnsupportedTableException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/** What to say when a data file can't be read, whatever its format. */
public final class ReadFailures {

  private ReadFailures() {}

  /** What is read first: the footer of a file, or its head. */
  public static final String METADATA = "its metadata";

  /**
   * Storage that failed, a file that is gone, or bytes that are wrong.
   *
   * @param part of the file that was decoded: {@link #METADATA}, {@link #records}
   * @param storage what storage said, null if it gave all bytes that were asked for
   * @param failure what came of it: whatever the format's library throws
   */
  public static RuntimeException of(
      String path, String part, @Nullable IOException storage, Exception failure) {
    if (failure instanceof LsmException known) {
      return naming(path, known);
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
        "The data file "
            + path
            + " is damaged: "
            + part
            + " can't be decoded"
            + inBrackets(reason(failure))
            + ". Restore it from a copy.",
        failure);
  }

  /** What was thrown where nobody knows the path. */
  private static LsmException naming(String path, LsmException known) {
    String message = String.valueOf(known.getMessage());
    if (message.contains(path)) {
      return known;
    }
    if (known instanceof CorruptTableException) {
      return new CorruptTableException(path + ": " + message, known);
    }
    if (known instanceof UnsupportedTableException) {
      return new UnsupportedTableException(path + ": " + message, known);
    }
    return known;
  }

  /**
   * The part of a file that is read after its metadata.
   *
   * @param from records before it, from 0
   */
  public static String records(long from) {
    return "its records from " + from + " on";
  }

  private static String inBrackets(@Nullable String reason) {
    return reason == null ? "" : " (" + reason + ")";
  }

  /**
   * What a decoder says of wrong bytes, in words. Decoders fail by what Java throws, too: an index
   * out of bounds, an object that is null. That says nothing to whoever has to mend the file.
   *
   * @return null if it says nothing
   */
  public static @Nullable String reason(Throwable failure) {
    for (Throwable said = failure; said != null; said = said.getCause()) {
      String message = said.getMessage();
      if (message != null && speaks(said, message)) {
        return message.strip();
      }
    }
    return null;
  }

  private static boolean speaks(Throwable said, String message) {
    boolean java =
        said instanceof NullPointerException
            || said instanceof IndexOutOfBoundsException
            || said instanceof ClassCastException
            || said instanceof NegativeArraySizeException
            || said instanceof ArithmeticException
            || said instanceof NumberFormatException
            || said instanceof NoSuchElementException;
    Throwable cause = said.getCause();
    boolean causes = cause != null && message.equals(cause.toString());
    return !java
        && !causes
        && !message.isBlank()
        && !message.contains("java.lang.")
        && !message.startsWith("Cannot invoke ");
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
