package io.sluice.replicator.backfill;

import io.sluice.evolution.SourceColumn;
import io.sluice.lsm.binary.BinaryRowWriter;
import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.schema.RowType;
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
  private final BackfillInput input;
  private final VisibilityWait wait;
  private volatile @Nullable Connection connection;

  ChunkReader(JdbcSource source, BackfillInput input, AtomicBoolean running) {
    this.source = source;
    this.input = input;
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
    BackfillInput.Chunk chunk = input.openChunk(work.table());
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
    List<SourceColumn> live = LiveTable.columns(on, work.copy().id());
    Optional<String> difference =
        LiveTable.difference(source.flavor(), work.table().source(), live);
    if (difference.isPresent()) {
      throw new TableAheadException(difference.get());
    }
    return LiveTable.rowBytesMax(live);
  }

  private long stream(
      Connection on, TableCopy.Work work, BackfillInput.Chunk chunk, long rowBytesMax)
      throws SQLException, ChunkOutdatedException, InterruptedException {
    RowType lake = work.table().lakeSchema().rowType();
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
          if (encoder == null) {
            ValueEncoders.writeNull(writer, i, lake.type(i));
          } else {
            encoder.encode(rows, column++, writer, i);
          }
        }
        chunk.row(writer.finish(RowKind.INSERT));
        count++;
      }
    }
    return count;
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
