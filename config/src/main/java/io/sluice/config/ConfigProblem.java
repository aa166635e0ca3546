package io.sluice.config;

/**
 * One thing that is wrong in a config file.
 *
 * @param file as given or included
 * @param line from 1; 0 if the problem is that something is missing
 * @param key full path, e.g. {@code sluice.commit-interval}; empty if the text can't be parsed
 * @param what is wrong, a sentence
 * @param remedy what to write instead, a sentence
 */
public record ConfigProblem(String file, int line, String key, String what, String remedy) {

  /** {@code file:line: key: what remedy}. */
  @Override
  public String toString() {
    return file
        + (line > 0 ? ":" + line : "")
        + ": "
        + (key.isEmpty() ? "" : key + ": ")
        + what
        + " "
        + remedy;
  }
}
