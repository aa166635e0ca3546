package io.sluice.config;

import java.util.Arrays;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import java.util.stream.Collectors;

/**
 * Matches topics, exactly and case-sensitively: a name in which every character stands for itself,
 * dots too, but {@code *} for any number of characters; or {@code /regex/}, a Java regular
 * expression that must match the whole name.
 */
public final class TopicPattern {

  private final String text;
  private final Pattern pattern;

  private TopicPattern(String text, Pattern pattern) {
    this.text = text;
    this.pattern = pattern;
  }

  /**
   * @throws IllegalArgumentException if it is no pattern; the message says why
   */
  public static TopicPattern parse(String text) {
    if (text.isBlank() || !text.equals(text.strip())) {
      throw new IllegalArgumentException(
          "\"" + text + "\" is no topic: it is empty, or begins or ends with a blank");
    }
    if (!text.startsWith("/")) {
      String regex =
          Arrays.stream(text.split("\\*", -1))
              .map(Pattern::quote)
              .collect(Collectors.joining(".*"));
      return new TopicPattern(text, Pattern.compile(regex, Pattern.DOTALL));
    }
    if (text.length() < 3 || !text.endsWith("/")) {
      throw new IllegalArgumentException("\"" + text + "\" lacks a closing slash");
    }
    try {
      return new TopicPattern(
          text, Pattern.compile(text.substring(1, text.length() - 1), Pattern.DOTALL));
    } catch (PatternSyntaxException e) {
      throw new IllegalArgumentException(
          "\"" + text + "\" is no valid regular expression: " + e.getDescription(), e);
    }
  }

  public boolean matches(String topic) {
    return pattern.matcher(topic).matches();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof TopicPattern that && text.equals(that.text);
  }

  @Override
  public int hashCode() {
    return text.hashCode();
  }

  /** The text it was made from. */
  @Override
  public String toString() {
    return text;
  }
}
