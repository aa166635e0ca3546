package io.sluice.sinks;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.evolution.SourceTableId;
import io.sluice.lsm.binary.BinaryRow;
import java.io.IOException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The backfill's way into the pipeline (design: backfill by LSM sequence numbers). Thread safe;
 * each chunk belongs to one thread.
 */
public interface BackfillInput {

  /**
   * The progress that the pipeline itself sets, at an ALTER that existing rows must be read again
   * for: every row of the table is to be copied once more.
   */
  String AGAIN = "{\"state\":\"again\"}";

  /** The progress of a table that has no rows to copy: all of them come by the stream. */
  String NOTHING_TO_COPY = "{\"state\":\"consistent\",\"rows\":0}";

  /** As {@link #AGAIN}, for a stretch of keys of a table that is copied already. */
  static String again(KeyStretch keys) {
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    node.put("state", "again");
    keys.writeTo(node.putObject("within"));
    return node.toString();
  }

  /**
   * In one step with the delivery of events: notes what has been delivered, draws the chunk's
   * number r, and begins to remember the stream's deletes in this table. The SELECT may start only
   * when the server has {@link Chunk#delivered} visible.
   *
   * <p>A table that was altered or truncated since {@code table} was handed out gives a chunk whose
   * first row or end throws ChunkOutdatedException.
   */
  Chunk openChunk(RoutedTable table);

  /**
   * Progress without a chunk (settled, consistent, nothing to copy); part of the next epoch.
   *
   * @return false if the table was altered or truncated since {@code table} was handed out: nothing
   *     was taken
   */
  boolean progress(RoutedTable table, String progress);

  /**
   * A table's rows can't be copied: it is left behind, as {@link ChangeInput#park}.
   *
   * @return false if this pipeline parks no tables: the caller has to stop
   */
  default boolean park(SourceTableId table, String reason) {
    return false;
  }

  /**
   * Whether the table was copied over rows that it had: when all rows are copied, {@link #sweep} is
   * still to be called.
   */
  default boolean mustSweep(SourceTableId table) {
    return false;
  }

  /**
   * Deletes the rows that were there before a copy began which neither it nor the stream has
   * written since: the source hasn't them any more. Waits until everything handed over before can
   * be read.
   *
   * @param keys those that were copied; null: all
   * @return how many
   * @throws ChunkOutdatedException the table was altered, truncated or parked meanwhile: nothing
   *     counts
   * @throws IOException the lake can't be read now
   */
  default long sweep(RoutedTable table, @Nullable KeyStretch keys)
      throws ChunkOutdatedException, InterruptedException, IOException {
    throw new UnsupportedOperationException("sweep of " + table.lakeTable());
  }

  /** Progress as the newest epoch and what came since have it. */
  Map<SourceTableId, String> progress();

  /** One SELECT's rows. Ends with {@link #done} or {@link #abandon}. */
  interface Chunk {

    /** The sequence number of all its rows. */
    long readNumber();

    /** What the stream had delivered when r was drawn, in the source's words. */
    String delivered();

    RoutedTable table();

    /**
     * One row (+I) in the table's lake schema; bytes are copied. Blocks while the pipeline is
     * behind.
     *
     * @throws ChunkOutdatedException the table was altered or truncated meanwhile, or more was
     *     deleted than can be remembered: abandon, and read again if the table still wants it
     */
    void row(BinaryRow row) throws ChunkOutdatedException, InterruptedException;

    /**
     * All rows are handed over; the progress becomes part of the epoch that commits the last of
     * them.
     *
     * @throws ChunkOutdatedException as {@link #row}; then nothing of the progress was taken
     */
    void done(String progress) throws ChunkOutdatedException, InterruptedException;

    void abandon();
  }
}
