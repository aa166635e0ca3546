package io.sluice.lsm.row;

/** The entries of a MAP or MULTISET, in the order in which they were written. */
public interface MapValues {

  int size();

  /** The keys: {@link #size} of them. */
  Values keys();

  /** The value of each key, at the same position. */
  Values values();
}
