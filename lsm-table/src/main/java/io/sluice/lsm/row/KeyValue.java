package io.sluice.lsm.row;

/**
 * One record: a row of some key, the number that orders it among records of that key, and what it
 * says. May be a view that its owner moves on.
 */
public interface KeyValue {

  long sequenceNumber();

  RowKind kind();

  /** The value columns; good until the owner moves on. */
  Row row();

  /** Level of the file that holds the record; 0 for one that is in no file yet. */
  default int level() {
    return 0;
  }
}
