package io.sluice.replicator.sources.debezium;

import com.github.shyiko.mysql.binlog.BinaryLogClient;
import com.github.shyiko.mysql.binlog.event.deserialization.EventDeserializer;
import java.util.function.Consumer;

/** A binlog client whose reader of events is prepared before it is taken into use. */
final class GuardedClient extends BinaryLogClient {

  private final Consumer<EventDeserializer> prepare;

  GuardedClient(
      String host, int port, String user, String password, Consumer<EventDeserializer> prepare) {
    super(host, port, user, password);
    this.prepare = prepare;
  }

  @Override
  public void setEventDeserializer(EventDeserializer reader) {
    prepare.accept(reader);
    super.setEventDeserializer(reader);
  }
}
