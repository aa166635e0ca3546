package io.sluice.sinks.epoch;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.evolution.SourceTableId;
import io.sluice.lsm.commit.PreparedDelta;
import io.sluice.lsm.error.CorruptTableException;
import io.sluice.sinks.Parked;
import io.sluice.sinks.epoch.EpochFile.Kind;
import io.sluice.sinks.epoch.EpochFile.SchemaText;
import io.sluice.sinks.epoch.EpochFile.SourceFacts;
import io.sluice.sinks.epoch.EpochFile.TableChange;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class EpochJsonTest {

  private static final LakeTable ORDERS = new LakeTable("ods", "订单.x");
  private static final LakeTable ITEMS = new LakeTable("ods", "items");

  private static EpochFile full() {
    return new EpochFile(
        7,
        "shop",
        "an-incarnation",
        "{\"gtids\":\"a:1-7\"}",
        1_768_485_600_000_001L,
        1_768_485_600_123L,
        Long.MAX_VALUE - 1,
        List.of(
            new TableChange(
                ORDERS,
                Kind.APPEND,
                List.of(new SchemaText(0, "{\n \"id\" : 0\n}"), new SchemaText(1, "ü\"\\")),
                new PreparedDelta("manifest-list-1", 1234, -5, 3),
                12),
            new TableChange(ITEMS, Kind.OVERWRITE, List.of(), null, 0)),
        new TreeMap<>(Map.of(ORDERS, 7L, ITEMS, 3L)),
        Map.of(
            new SourceTableId("shop", "a.b"), new SourceFacts(ORDERS, "{\"state\":\"again\"}"),
            new SourceTableId("shop.a", "b"), new SourceFacts(ITEMS, null),
            new SourceTableId("shop", "p"),
                new SourceFacts(
                    ITEMS, null, new Parked(3, "{\"x\":1}", "column ü was dropped", 9), 0),
            new SourceTableId("shop", "q"),
                new SourceFacts(ITEMS, "{}", new Parked(0, null, "no key", 10), 77)),
        "history-6-x",
        List.of("{\"ddl\":\"CREATE TABLE\\n\"}", "2"),
        1_768_485_599_000L);
  }

  @Test
  void comesBackAsItWas() {
    assertThat(EpochJson.read(EpochJson.write(full()), "epoch-7")).isEqualTo(full());
    EpochFile least =
        new EpochFile(
            1, "p", "i", null, 0, 0, 0, List.of(), new TreeMap<>(), Map.of(), null, List.of());
    assertThat(EpochJson.read(EpochJson.write(least), "epoch-1")).isEqualTo(least);
  }

  @Test
  void namesTheFileThatCannotBeRead() {
    for (String text : List.of("", "{", "[]", "{\"version\":2}", "{\"version\":1,\"epoch\":1}")) {
      assertThatThrownBy(() -> EpochJson.read(text.getBytes(UTF_8), "/lake/_sluice/p/epoch-9"))
          .as(text)
          .isInstanceOf(CorruptTableException.class)
          .hasMessageContaining("/lake/_sluice/p/epoch-9");
    }
  }

  @Test
  void historyComesBackAsItWas() {
    List<String> records = List.of("a\nb", "", "{\"x\":\"ü\"}");
    assertThat(EpochJson.readHistory(EpochJson.writeHistory(records), "h")).isEqualTo(records);
  }
}
