package io.sluice.lsm.io;

import java.io.IOException;

/**
 * A file could not be made durable, and never will be: the bytes may be lost already, whatever a
 * second try says. Nothing that needs the file was created. Write it anew under another name.
 */
public final class NotDurableException extends IOException {
  private static final long serialVersionUID = 1L;

  public NotDurableException(String message, Throwable cause) {
    super(message, cause);
  }
}
