package io.sluice.sinks.epoch;

import io.sluice.lsm.error.CommitConflictException;
import io.sluice.lsm.schema.TableSchema;
import io.sluice.lsm.schema.TableSchemaJson;
import io.sluice.lsm.snapshot.SchemaStore;
import io.sluice.sinks.PipelineStoppedException.Reason;
import io.sluice.sinks.epoch.EpochFile.SchemaText;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/**
 * Creates the schema files that an epoch names, with the id and text that stand in the epoch file:
 * a DDL is replayed after a crash, and a DDL is not idempotent.
 */
public final class SchemaPublisher {

  private SchemaPublisher() {}

  /**
   * @throws IOException nothing is known; call again
   * @throws TableFaultException PROTECTED if the id is taken by another text: somebody else altered
   *     the table
   */
  static void publish(LakeTable table, SchemaStore schemas, SchemaText schema) throws IOException {
    try {
      schemas.createExclusively(schema.id(), schema.text());
    } catch (CommitConflictException e) {
      throw new TableFaultException(
          Reason.PROTECTED,
          "Stopped at schema-"
              + schema.id()
              + " of table "
              + table
              + ", which somebody else has created: "
              + e.getMessage(),
          e);
    }
  }

  /** A schema as an epoch file holds it. */
  public static SchemaText text(TableSchema schema) {
    return new SchemaText(
        schema.id(), new String(TableSchemaJson.write(schema), StandardCharsets.UTF_8));
  }
}
