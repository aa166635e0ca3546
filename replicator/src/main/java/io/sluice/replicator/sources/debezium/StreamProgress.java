package io.sluice.replicator.sources.debezium;

import io.sluice.replicator.backfill.StreamPosition;
import org.jspecify.annotations.Nullable;

/** How far the stream has come in the binlog of the server it reads now. Thread safe. */
final class StreamProgress implements StreamPosition {

  private volatile @Nullable BinlogPoint passed;

  /** Source thread: everything before this point has been handed to the pipeline. */
  void passed(BinlogPoint point) {
    BinlogPoint before = passed;
    // A reconnect with GTIDs shows earlier points again; they take nothing back.
    if (before == null || before.compareTo(point) < 0) {
      passed = point;
    }
  }

  @Override
  public boolean passed(String binlogFile, long position) {
    BinlogPoint now = passed;
    return now != null && now.compareTo(new BinlogPoint(binlogFile, position)) >= 0;
  }
}
