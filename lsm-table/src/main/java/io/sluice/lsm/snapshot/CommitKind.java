package io.sluice.lsm.snapshot;

/** Why a snapshot exists; spelled as in the snapshot file. */
public enum CommitKind {
  APPEND,
  COMPACT,
  OVERWRITE,
  ANALYZE
}
