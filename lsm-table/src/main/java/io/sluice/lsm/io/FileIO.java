package io.sluice.lsm.io;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Collection;
import java.util.List;

/**
 * Storage as the engine needs it. Paths are absolute texts with {@code /} between names: {@code
 * /lake/shop.db/orders/bucket-0/data-x-0.orc} or {@code s3a://lake/...}; implementations accept
 * what {@link #create} made. Thread safe.
 */
public interface FileIO extends AutoCloseable {

  /** Opens for positioned reads. Throws {@link FileNotFoundException} where there is no file. */
  RandomReader open(String path) throws IOException;

  /** The whole file. Throws {@link FileNotFoundException} where there is none. */
  byte[] readAll(String path) throws IOException;

  /**
   * Creates a file under a name that nobody else uses (a fresh uuid), parent folders included. The
   * file is complete and durable once {@code close()} returned; a writer that fails calls {@link
   * #deleteQuietly}.
   */
  OutputStream create(String path) throws IOException;

  /**
   * Like {@link #create}, for a file that is to be durable together with others: after {@code
   * close()} it is complete and can be read, but a power failure may take it away, or a part of it.
   * It is durable once {@link #sync}, or a {@link #createExclusively(String, byte[], Collection)}
   * that needs it, has returned.
   */
  default OutputStream createUnsynced(String path) throws IOException {
    return create(path);
  }

  /**
   * Makes complete files durable, names included, all at once: waiting for many takes little longer
   * than for one. Nothing to do for those that are durable already.
   *
   * @throws NotDurableException if one of them isn't, and won't be
   */
  default void sync(Collection<String> paths) throws IOException {}

  /**
   * Publishes a complete file under a name that others may want, too: exactly one caller gets
   * {@code true}. {@code false}: the name was taken (perhaps by an earlier try of our own: read it
   * back). An IOException leaves the outcome unknown: the file may appear later.
   */
  boolean createExclusively(String path, byte[] content) throws IOException;

  /**
   * The same for a file that leads to others. They are durable before it appears; where it was
   * taken they may not be.
   *
   * @param needed paths of complete files
   * @throws NotDurableException one of them isn't durable and won't be: nothing was created
   */
  default boolean createExclusively(String path, byte[] content, Collection<String> needed)
      throws IOException {
    sync(needed);
    return createExclusively(path, content);
  }

  /** Replaces or creates a small file; readers see the old or the new content, never a mixture. */
  void replace(String path, byte[] content) throws IOException;

  /**
   * Like {@link #replace}, for content that may be lost or garbled by a power failure since nobody
   * trusts it: the hints of a table. Saves waiting for the disk.
   */
  default void replaceHint(String path, byte[] content) throws IOException {
    replace(path, content);
  }

  /** Deletes a file; {@code false} if there was none. */
  boolean delete(String path) throws IOException;

  boolean exists(String path) throws IOException;

  /** Files and folders directly below, in no order; empty where the folder does not exist. */
  List<FileStatus> list(String folder) throws IOException;

  /** Creates a folder and its parents; nothing to do on object stores. */
  void makeFolder(String folder) throws IOException;

  /** Deletes and forgets about failure: for files that orphan cleaning would find as well. */
  void deleteQuietly(String path);

  @Override
  default void close() throws IOException {}

  /**
   * @param path as this FileIO takes it back
   * @param length bytes; 0 for a folder
   */
  record FileStatus(String path, boolean folder, long length, long modifiedMillis) {
    /** The last name of the path. */
    public String name() {
      return path.substring(path.lastIndexOf('/') + 1);
    }
  }

  /** Positioned reads of one file. One thread at a time. */
  interface RandomReader extends AutoCloseable {
    long length() throws IOException;

    /** Fills {@code into[offset, offset+length)} from {@code position}; EOFException if it ends. */
    void readFully(long position, byte[] into, int offset, int length) throws IOException;

    /**
     * How many bytes are best asked for at a time where many are needed: many where each read is a
     * request.
     */
    default int bytesAtOnce() {
      return 8 << 20;
    }

    @Override
    void close() throws IOException;
  }
}
