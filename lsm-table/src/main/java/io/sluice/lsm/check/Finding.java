package io.sluice.lsm.check;

/**
 * Something that is wrong with a table.
 *
 * @param where the file or snapshot, by name
 * @param what is wrong with it
 */
public record Finding(String where, String what) {

  @Override
  public String toString() {
    return where + ": " + what;
  }
}
