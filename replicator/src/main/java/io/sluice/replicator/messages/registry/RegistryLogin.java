package io.sluice.replicator.messages.registry;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/** How a client makes itself known. Texts of these never show the secret. */
public sealed interface RegistryLogin {

  /** The value of the Authorization header; null for none. */
  @Nullable String header();

  record Anonymous() implements RegistryLogin {
    @Override
    public @Nullable String header() {
      return null;
    }
  }

  record Basic(String user, String password) implements RegistryLogin {
    @Override
    public String header() {
      byte[] pair = (user + ":" + password).getBytes(StandardCharsets.UTF_8);
      return "Basic " + Base64.getEncoder().encodeToString(pair);
    }

    @Override
    public String toString() {
      return "Basic[user=" + user + "]";
    }
  }

  record Bearer(String token) implements RegistryLogin {
    @Override
    public String header() {
      return "Bearer " + token;
    }

    @Override
    public String toString() {
      return "Bearer[]";
    }
  }
}
