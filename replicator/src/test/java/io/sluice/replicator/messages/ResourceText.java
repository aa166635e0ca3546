package io.sluice.replicator.messages;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/** Example messages of the test resources. */
public final class ResourceText {

  private ResourceText() {}

  /** The text of a file under {@code messages/}. */
  public static String of(String name) {
    try (InputStream in = ResourceText.class.getResourceAsStream("/messages/" + name)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
