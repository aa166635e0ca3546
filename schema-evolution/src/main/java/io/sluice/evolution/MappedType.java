package io.sluice.evolution;

import io.sluice.lsm.schema.DataType;

/** What {@link TypeMapping} makes of a source column. */
public sealed interface MappedType {

  /** The lake column's type. */
  record Lake(DataType type) implements MappedType {}

  /**
   * No lake type holds the column's values without loss.
   *
   * @param reason names the column's type; goes behind "column c: "
   * @param remedy a sentence
   */
  record Refused(String reason, String remedy) implements MappedType {}
}
