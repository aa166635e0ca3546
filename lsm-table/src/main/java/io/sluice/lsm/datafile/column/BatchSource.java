package io.sluice.lsm.datafile.column;

import java.io.Closeable;
import java.io.IOException;

/**
 * Decodes columns of a file, a batch of records at a time. One thread at a time.
 *
 * @param <B> what holds a batch, to be filled again and again
 */
public interface BatchSource<B> extends Closeable {

  /** Puts the next records into a batch, in place of what it held; false at the end. */
  boolean read(B into) throws IOException;
}
