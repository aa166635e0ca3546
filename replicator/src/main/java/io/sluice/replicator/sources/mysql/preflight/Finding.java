package io.sluice.replicator.sources.mysql.preflight;

/**
 * One thing to be told before a pipeline runs.
 *
 * @param subject what it is about: a table, a pattern, the server
 * @param what is found, a sentence
 * @param remedy what to do, a sentence
 */
public record Finding(Severity severity, String subject, String what, String remedy) {

  /** How bad it is; the worst first. */
  public enum Severity {
    /** The pipeline must not run: it could not replicate rightly. */
    ERROR,
    /** It may run; somebody should look. */
    WARNING
  }

  static Finding error(String subject, String what, String remedy) {
    return new Finding(Severity.ERROR, subject, what, remedy);
  }

  static Finding warning(String subject, String what, String remedy) {
    return new Finding(Severity.WARNING, subject, what, remedy);
  }

  public boolean stops() {
    return severity == Severity.ERROR;
  }

  /** {@code subject: what remedy}. */
  @Override
  public String toString() {
    return subject + ": " + what + " " + remedy;
  }
}
