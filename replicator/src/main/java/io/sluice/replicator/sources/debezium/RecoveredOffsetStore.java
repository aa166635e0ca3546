package io.sluice.replicator.sources.debezium;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import org.apache.kafka.connect.runtime.WorkerConfig;
import org.apache.kafka.connect.storage.OffsetBackingStore;
import org.apache.kafka.connect.util.Callback;
import org.jspecify.annotations.Nullable;

/**
 * Gives Debezium the position that the pipeline recovered, and takes none: positions stand in epoch
 * files only. Made by name (engine property {@code offset.storage}).
 */
public final class RecoveredOffsetStore implements OffsetBackingStore {

  private @Nullable EngineSession session;

  @Override
  public void configure(WorkerConfig config) {
    session = EngineSession.of(config.originalsStrings().get(EngineSession.PROPERTY));
  }

  @Override
  public void start() {}

  @Override
  public void stop() {}

  @Override
  public Future<Map<ByteBuffer, ByteBuffer>> get(Collection<ByteBuffer> keys) {
    Map<String, Object> offset = session == null ? null : session.offset();
    var result = new HashMap<ByteBuffer, ByteBuffer>();
    if (offset != null) {
      byte[] value;
      try {
        value = new ObjectMapper().writeValueAsBytes(offset);
      } catch (JsonProcessingException e) {
        throw new IllegalStateException("A position that is not JSON: " + offset, e);
      }
      keys.forEach(key -> result.put(key, ByteBuffer.wrap(value)));
    }
    return CompletableFuture.completedFuture(result);
  }

  @Override
  public Future<Void> set(Map<ByteBuffer, ByteBuffer> values, Callback<Void> callback) {
    throw new IllegalStateException(
        "Debezium tried to store an offset; positions are stored by epochs alone");
  }

  @Override
  public Set<Map<String, Object>> connectorPartitions(String connectorName) {
    return Set.of();
  }
}
