package io.sluice.lsm.snapshot;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A file that should hold JSON does not, or not yet: read it again before giving up. */
final class IncompleteJsonException extends IOException {

  private static final long serialVersionUID = 1L;

  IncompleteJsonException(String file, @Nullable Throwable cause) {
    super(file + " holds no complete JSON", cause);
  }
}
