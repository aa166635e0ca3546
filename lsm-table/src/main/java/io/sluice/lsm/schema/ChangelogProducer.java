package io.sluice.lsm.schema;

/** Where a table's changelog files come from: the option {@code changelog-producer}. */
public enum ChangelogProducer {
  NONE("none"),
  INPUT("input"),
  LOOKUP("lookup"),
  FULL_COMPACTION("full-compaction");

  private final String text;

  ChangelogProducer(String text) {
    this.text = text;
  }

  /** The word of the option. */
  public String text() {
    return text;
  }
}
