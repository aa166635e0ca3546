package io.sluice.replicator.sources.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.sinks.SourcePosition;
import java.util.Optional;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.Test;

class KafkaPositionTest {

  private static final Uuid ID = new Uuid(1, 2);
  private static final TopicPartition P0 = new TopicPartition("orders", 0);
  private static final TopicPartition P2 = new TopicPartition("orders", 2);

  @Test
  void comesBackFromItsText() {
    var position = new KafkaPosition();
    position.begin("orders", ID);
    position.begin("empty", ID);
    position.put(P2, 5_000_000_000L, Optional.of(7));
    position.put(P0, 3, Optional.empty());
    assertThat(position.toSourcePosition().text())
        .isEqualTo(
            "{\"topics\":{\"empty\":{\"id\":\"%s\",\"offsets\":{}},\"orders\":{\"id\":\"%s\",\"offsets\":{\"0\":3,\"2\":5000000000},\"epochs\":{\"2\":7}}}}"
                .formatted(ID, ID));
    KafkaPosition read = KafkaPosition.parse(position.toSourcePosition());
    assertThat(read.toSourcePosition()).isEqualTo(position.toSourcePosition());
    assertThat(read.place(P2)).isEqualTo(new OffsetAndMetadata(5_000_000_000L, Optional.of(7), ""));
    assertThat(read.offset(new TopicPartition("orders", 1))).isNull();
    assertThat(read.offset(new TopicPartition("orders", 9))).isNull();
    assertThat(read.describe("orders")).isEqualTo("0: 3, 2: 5000000000");
  }

  @Test
  void tellsAnewWhatHasMoved() {
    var position = new KafkaPosition();
    position.begin("orders", ID);
    position.put(P0, 3, Optional.of(1));
    position.toSourcePosition();
    position.put(P0, 4, Optional.of(1));
    assertThat(position.toSourcePosition().text()).contains("{\"0\":4}");
    position.put(P0, 4, Optional.of(2));
    assertThat(position.toSourcePosition().text()).contains("\"epochs\":{\"0\":2}");
    position.begin("orders", new Uuid(3, 4));
    assertThat(position.toSourcePosition().text()).contains("\"offsets\":{}");
  }

  @Test
  void refusesThePositionOfAnotherSource() {
    assertThatThrownBy(() -> KafkaPosition.parse(new SourcePosition("{\"gtids\":\"a:1\"}")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("gtids");
  }
}
