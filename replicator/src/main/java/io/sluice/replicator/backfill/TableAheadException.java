package io.sluice.replicator.backfill;

import java.sql.SQLException;

/** The source's table has been altered, and the stream has not come to it yet: wait. */
final class TableAheadException extends SQLException {

  private static final long serialVersionUID = 1L;

  TableAheadException(String message) {
    super(message);
  }
}
