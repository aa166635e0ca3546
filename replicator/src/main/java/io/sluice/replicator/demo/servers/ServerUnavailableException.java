package io.sluice.replicator.demo.servers;

/**
 * No server of the wanted kind can be started on this machine; the message says why and what to do.
 */
public final class ServerUnavailableException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public ServerUnavailableException(String message) {
    super(message);
  }

  public ServerUnavailableException(String message, Throwable cause) {
    super(message, cause);
  }
}
