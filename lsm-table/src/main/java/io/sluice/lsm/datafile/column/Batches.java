package io.sluice.lsm.datafile.column;

import java.io.Closeable;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** The batches of a {@link BatchSource}, which it owns, in their order. One thread. */
public interface Batches<B> extends Closeable {

  /** Something else to do for a thread that would have to wait. */
  @FunctionalInterface
  interface Help {
    /** False if there was nothing. */
    boolean help();
  }

  /**
   * The next one, good until the next call; null at the end.
   *
   * @param help what is done while another thread is at it
   */
  @Nullable B next(Help help) throws IOException;

  /** Decodes a batch for later, if nobody does; false: there was nothing to do. */
  boolean help();

  /** Decodes each when it is asked for. */
  static <B> Batches<B> onDemand(BatchSource<B> source, B batch) {
    return new Batches<>() {
      @Override
      public @Nullable B next(Help help) throws IOException {
        return source.read(batch) ? batch : null;
      }

      @Override
      public boolean help() {
        return false;
      }

      @Override
      public void close() throws IOException {
        source.close();
      }
    };
  }
}
