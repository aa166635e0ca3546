package io.sluice.lsm.schema;

/** What becomes of several records with one key: the option {@code merge-engine}. */
public enum MergeEngine {
  DEDUPLICATE("deduplicate"),
  PARTIAL_UPDATE("partial-update"),
  AGGREGATION("aggregation"),
  FIRST_ROW("first-row");

  private final String text;

  MergeEngine(String text) {
    this.text = text;
  }

  /** The word of the option. */
  public String text() {
    return text;
  }
}
