package io.sluice.config;

import java.util.Objects;

/** A text that must not be seen: it prints as {@code ***}. */
public final class Secret {

  private final String text;

  public Secret(String text) {
    this.text = Objects.requireNonNull(text);
  }

  /** The text itself, for whoever hands it to the server. */
  public String reveal() {
    return text;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Secret that && text.equals(that.text);
  }

  @Override
  public int hashCode() {
    return text.hashCode();
  }

  @Override
  public String toString() {
    return "***";
  }
}
