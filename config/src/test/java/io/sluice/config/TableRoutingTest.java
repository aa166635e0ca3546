package io.sluice.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TableRoutingTest {

  @TempDir Path folder;

  private TableRouting routing(String more) {
    return new ConfigFiles(folder).load(more).routing();
  }

  @Test
  void excludeWinsOverInclude() {
    TableRouting routing = routing("sluice.source.exclude = [\"shop.tmp_*\"]");
    assertThat(routing.captures("shop", "orders")).isTrue();
    assertThat(routing.captures("shop", "tmp_1")).isFalse();
    assertThat(routing.captures("crm", "orders")).isFalse();
    assertThat(routing.target("shop", "tmp_1", 0)).isEmpty();
  }

  @Test
  void theServersOwnDatabasesAreNeverCaptured() {
    TableRouting routing = routing("sluice.source.include = [\"*.*\"]");
    assertThat(routing.captures("mysql", "user")).isFalse();
    assertThat(routing.mayCapture("sys")).isFalse();
    assertThat(routing.mayCapture("shop")).isTrue();
  }

  @Test
  void withoutARuleATableKeepsItsName() {
    assertThat(routing("").target("shop", "orders", 0))
        .contains(
            new LakeTarget(
                "shop", "orders", 1, true, List.of(), Map.of("file.format", "orc"), false));
  }

  @Test
  void theFirstRuleThatMatchesCountsAndDefaultsFillIt() {
    TableRouting routing =
        routing(
            """
            sluice.tables {
              defaults { bucket = 3, options { a = 1, b = 1 }, tinyint1-as-boolean = true }
              rules = [
                { match = shop.orders, into = ods.o, partition-by = [dt], options { b = 2 } }
                { match = "shop.*", into = "ods.*", bucket = 7, tinyint1-as-boolean = false }
              ]
            }
            """);
    assertThat(routing.target("shop", "orders", 0))
        .contains(
            new LakeTarget(
                "ods",
                "o",
                3,
                false,
                List.of("dt"),
                Map.of("file.format", "orc", "a", "1", "b", "2"),
                true));
    assertThat(routing.target("shop", "items", 0))
        .contains(
            new LakeTarget(
                "ods",
                "items",
                7,
                false,
                List.of(),
                Map.of("file.format", "orc", "a", "1", "b", "1"),
                false));
  }

  @Test
  void aRuleMayGoBackToAutomaticBuckets() {
    TableRouting routing =
        routing(
            "sluice.tables { defaults { bucket = 3 }, rules = [ { match = shop.a, bucket = auto }"
                + " ] }");
    assertThat(routing.target("shop", "a", 2_000_001).orElseThrow().buckets()).isEqualTo(3);
    assertThat(routing.target("shop", "a", 2_000_001).orElseThrow().bucketsAuto()).isTrue();
    assertThat(routing.target("shop", "b", 2_000_001).orElseThrow().bucketsAuto()).isFalse();
  }

  @ParameterizedTest
  @CsvSource({
    "-1, 1",
    "0, 1",
    "1000000, 1",
    "1000001, 2",
    "2000000, 2",
    "4000000, 4",
    "20000000, 4",
    "20000001, 5",
    "100000000, 20",
    "640000000, 128",
    "9000000000000, 128"
  })
  void automaticBucketsGrowWithTheTable(long rows, int buckets) {
    assertThat(TableRouting.autoBuckets(rows)).isEqualTo(buckets);
  }
}
