package io.sluice.replicator.sources.debezium;

import io.debezium.connector.mysql.MySqlConnector;
import org.apache.kafka.connect.connector.Task;

/** Debezium's MySQL connector with {@link SluiceMySqlTask}. */
public final class SluiceMySqlConnector extends MySqlConnector {
  @Override
  public Class<? extends Task> taskClass() {
    return SluiceMySqlTask.class;
  }
}
