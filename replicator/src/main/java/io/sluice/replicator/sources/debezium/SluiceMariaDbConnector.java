package io.sluice.replicator.sources.debezium;

import io.debezium.connector.mariadb.MariaDbConnector;
import org.apache.kafka.connect.connector.Task;

/** Debezium's MariaDB connector with {@link SluiceMariaDbTask}. */
public final class SluiceMariaDbConnector extends MariaDbConnector {
  @Override
  public Class<? extends Task> taskClass() {
    return SluiceMariaDbTask.class;
  }
}
