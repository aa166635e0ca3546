package io.sluice.bench;

import io.sluice.lsm.schema.TableSchema;
import java.nio.file.Path;

/** An engine at work on one table: takes rows from one thread, compacts in another. */
interface TableSession extends AutoCloseable {

  /** Takes the row that the source stands on. */
  void write(RowSource rows) throws Exception;

  /** Makes a snapshot of what was written since the last one. */
  void commit() throws Exception;

  /** The same, and waits until no compaction is due. */
  void commitLast() throws Exception;

  /** Everything becomes one sorted run in each bucket. */
  void compactFully() throws Exception;

  @Override
  void close() throws Exception;

  /** Opens a session on a table that is there. */
  @FunctionalInterface
  interface Engine {
    TableSession open(Path table, TableSchema schema, Compaction compaction) throws Exception;
  }

  /** Whether the session compacts by itself. */
  enum Compaction {
    IN_BACKGROUND,
    NONE
  }
}
