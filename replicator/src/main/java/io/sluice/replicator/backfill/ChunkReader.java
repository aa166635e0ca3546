package io.sluice.replicator.backfill;

import io.sluice.evolution.SourceColumn;
import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.binary.BinaryRowWriter;
import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.schema.RowType;
import io.sluice.replicator.values.UnencodableValueException;
import io.sluice.replicator.values.ValueEncoder;
import io.sluice.replicator.values.ValueEncoders;
import io.sluice.sinks.BackfillInput;
import io.sluice.sinks.ChunkOutdatedException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads chunks on one connection. One thread; only {@link #abort} may come from another. */
final class ChunkReader implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(ChunkReader.class);

  private final JdbcSource source;
  private final VisibilityWait wait;
  private volatile @Nullable Connection connection;

  ChunkReader(JdbcSource source, AtomicBoolean running) {
    this.source = source;
    this.wait = new VisibilityWait(source.flavor(), running);
  }

  Connection connection() throws SQLException {
    Connection open = connection;
    if (open == null) {
      open = source.connect();
      connection = open;
    }
    return open;
  }

  /**
   * One chunk from its opening to its end.
   *
   * @throws ChunkOutdatedException the pipeline refused it; nothing of it counts
   * @throws TableAheadException the source's table is another already
   * @throws SQLException the server or the way to it failed; the chunk is abandoned
   */
  void read(TableCopy.Work work) throws SQLException, ChunkOutdatedException, InterruptedException {
    Connection on = connection();
    BackfillInput.Chunk chunk = work.copy().copied().openChunk(work.version());
    boolean ended = false;
    try {
      wait.openTransaction(on, work.sql(), chunk.delivered());
      long rowBytesMax = checkDefinition(on, work);
      long rows = stream(on, work, chunk, rowBytesMax);
      try (Statement statement = on.createStatement()) {
        statement.execute("COMMIT");
      }
      work.copy().done(work.segment(), rows, progress -> chunk.done(progress.text(null)));
      ended = true;
    } finally {
      if (!ended) {
        chunk.abandon();
      }
    }
  }

  /**
   * From here to the end of the transaction the table keeps its shape.
   *
   * @return bytes that a row may have
   */
  private long checkDefinition(Connection on, TableCopy.Work work) throws SQLException {
    try (Statement statement = on.createStatement()) {
      statement.executeQuery(work.sql().open()).close();
    }
    List<SourceColumn> live = LiveTable.columns(on, work.copy().copied().source());
    Optional<String> difference =
        LiveTable.difference(source.flavor(), work.version().definition(), live);
    if (difference.isPresent()) {
      throw new TableAheadException(difference.get());
    }
    return LiveTable.rowBytesMax(live);
  }

  private long stream(
      Connection on, TableCopy.Work work, BackfillInput.Chunk chunk, long rowBytesMax)
      throws SQLException, ChunkOutdatedException, InterruptedException {
    RowType lake = work.version().target().lakeSchema().rowType();
    CopiedTable.RowRule rule = work.version().rows();
    @Nullable ValueEncoder[] encoders = work.plan().encoders();
    BinaryRowWriter writer = new BinaryRowWriter(lake.size());
    String sql = work.sql().rows(work.plan().selectList(), work.segment().range);
    long count = 0;
    try (Statement statement = source.streamingStatement(on, rowBytesMax);
        ResultSet rows = statement.executeQuery(sql)) {
      while (rows.next()) {
        writer.reset();
        int column = 1;
        for (int i = 0; i < encoders.length; i++) {
          ValueEncoder encoder = encoders[i];
          if (encoder != null) {
            encoder.encode(rows, column++, writer, i);
          } else if (i == rule.counterField()) {
            writer.writeLong(i, chunk.readNumber());
          } else {
            ValueEncoders.writeNull(writer, i, lake.type(i));
          }
        }
        BinaryRow row = writer.finish(RowKind.INSERT);
        if (isWhole(work, row)) {
          chunk.row(row);
          count++;
        }
      }
    }
    return count;
  }

  /** Whether the row has all that it needs; false: it is passed over. */
  private static boolean isWhole(TableCopy.Work work, BinaryRow row) {
    CopiedTable.RowRule rule = work.version().rows();
    for (int field : rule.keyFields()) {
      if (row.isNullAt(field)) {
        return false;
      }
    }
    for (int field : rule.neededFields()) {
      if (row.isNullAt(field)) {
        String column = work.version().target().lakeSchema().rowType().field(field).name();
        throw new UnencodableValueException(
            work.copy().copied().source(),
            column,
            "A row of "
                + work.copy().copied()
                + " has NULL for "
                + column
                + ", which has to tell which of two rows is newer.");
      }
    }
    return true;
  }

  /** After a failure nobody knows what is open on the connection: the next chunk gets a new one. */
  void dropConnection() {
    Connection open = connection;
    connection = null;
    if (open != null) {
      abort(open);
    }
  }

  /** Another thread's way to end a read that waits for the server. */
  void abort() {
    Connection open = connection;
    if (open != null) {
      abort(open);
    }
  }

  private static void abort(Connection open) {
    try {
      open.abort(Runnable::run);
    } catch (SQLException e) {
      LOG.debug("Nothing left to abort: {}", e.getMessage());
    }
  }

  @Override
  public void close() {
    dropConnection();
  }
}
