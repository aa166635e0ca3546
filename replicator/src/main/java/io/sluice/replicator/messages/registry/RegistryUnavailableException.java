package io.sluice.replicator.messages.registry;

/**
 * No registry gave a usable answer: unreachable, overloaded, refusing the login, or not a registry
 * at all. The message at hand isn't read and isn't bad either: read it again later, or end the run.
 */
public final class RegistryUnavailableException extends RuntimeException {

  private static final long serialVersionUID = 1;

  /**
   * @param message what each URL answered, without secrets
   */
  public RegistryUnavailableException(String message) {
    super(message);
  }
}
