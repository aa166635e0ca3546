package io.sluice.lsm.row;

/**
 * Read access to one row by column position, whatever holds it (a binary row, a place in a columnar
 * batch). See {@link Values} for the rules.
 */
public interface Row extends Values {

  /** +I where the holder has no kind. */
  RowKind kind();
}
