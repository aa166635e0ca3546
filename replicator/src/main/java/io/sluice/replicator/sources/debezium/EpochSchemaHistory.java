package io.sluice.replicator.sources.debezium;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.debezium.config.Configuration;
import io.debezium.document.Document;
import io.debezium.document.DocumentReader;
import io.debezium.relational.history.AbstractSchemaHistory;
import io.debezium.relational.history.HistoryRecord;
import io.debezium.relational.history.HistoryRecordComparator;
import io.debezium.relational.history.SchemaHistoryException;
import io.debezium.relational.history.SchemaHistoryListener;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Debezium's schema history, kept by epochs: what is recovered is exactly what was consumed before
 * the position, and what Debezium stores goes to the consumer, which takes the n-th record with the
 * n-th schema change it sees (Debezium stores a change before the consumer gets to it, so the store
 * itself runs ahead). Made by name (engine property {@code schema.history.internal}).
 */
public final class EpochSchemaHistory extends AbstractSchemaHistory {

  static final String SESSION_PROPERTY = "schema.history.internal." + EngineSession.PROPERTY;

  private static final ObjectMapper JSON = new ObjectMapper();

  private @Nullable EngineSession session;

  /**
   * The comparator isn't used: Debezium's compares positions as far as it can (without GTIDs it
   * can't), whereas this history is already cut, so all of it holds.
   */
  @Override
  public void configure(
      Configuration config,
      HistoryRecordComparator comparator,
      SchemaHistoryListener listener,
      boolean useCatalogBeforeSchema) {
    var everything =
        new HistoryRecordComparator() {
          @Override
          protected boolean isPositionAtOrBefore(Document recorded, Document wanted) {
            return true;
          }
        };
    super.configure(config, everything, listener, useCatalogBeforeSchema);
    session = EngineSession.of(config.getString(SESSION_PROPERTY));
  }

  private EngineSession session() {
    if (session == null) {
      throw new IllegalStateException("The schema history is used before it is configured");
    }
    return session;
  }

  @Override
  protected void storeRecord(HistoryRecord record) throws SchemaHistoryException {
    try {
      session().historyStored(JSON.readTree(record.document().toString()));
    } catch (JsonProcessingException e) {
      throw new SchemaHistoryException("A history record that is not JSON: " + record, e);
    }
  }

  @Override
  protected void recoverRecords(Consumer<HistoryRecord> records) {
    for (String text : session().history()) {
      try {
        records.accept(new HistoryRecord(DocumentReader.defaultReader().read(text)));
      } catch (IOException e) {
        throw new UncheckedIOException("A history record can't be read: " + text, e);
      }
    }
  }

  @Override
  public boolean exists() {
    return session().offset() != null;
  }

  @Override
  public boolean storageExists() {
    return true;
  }

  @Override
  public String toString() {
    return "schema history of the epochs";
  }
}
