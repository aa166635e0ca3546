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
    assertThat(routing.target("shop", "tmp_1", SourceSize.UNKNOWN)).isEmpty();
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
    assertThat(routing("").target("shop", "orders", SourceSize.UNKNOWN))
        .contains(
            new LakeTarget(
                "shop",
                "orders",
                1,
                "auto: the source tells no size",
                List.of(),
                Map.of("file.format", "orc"),
                false));
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
    assertThat(routing.target("shop", "orders", SourceSize.UNKNOWN))
        .contains(
            new LakeTarget(
                "ods",
                "o",
                3,
                "",
                List.of("dt"),
                Map.of("file.format", "orc", "a", "1", "b", "2"),
                true));
    assertThat(routing.target("shop", "items", SourceSize.UNKNOWN))
        .contains(
            new LakeTarget(
                "ods",
                "items",
                7,
                "",
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
    SourceSize size = new SourceSize(9, (5L << 30) + 1);
    LakeTarget auto = routing.target("shop", "a", size).orElseThrow();
    assertThat(auto.buckets()).isEqualTo(3);
    assertThat(auto.bucketsText()).isEqualTo("3 buckets (auto: about 5121 MiB in the source)");
    LakeTarget fixed = routing.target("shop", "b", size).orElseThrow();
    assertThat(fixed.buckets()).isEqualTo(3);
    assertThat(fixed.bucketsText()).isEqualTo("3 buckets");
  }

  @Test
  void nobodyKnowsTheSizeOfAPartition() {
    LakeTarget target =
        routing("sluice.tables.rules = [ { match = shop.a, partition-by = [day] } ]")
            .target("shop", "a", new SourceSize(1, 1L << 40))
            .orElseThrow();
    assertThat(target.bucketsText()).isEqualTo("1 bucket (auto: one in each partition)");
  }

  @Test
  void aNewTableGetsOneBucket() {
    assertThat(routing("").target("shop", "a", SourceSize.UNKNOWN).orElseThrow().bucketsText())
        .isEqualTo("1 bucket (auto: the source tells no size)");
  }

  /** A bucket is to have 1000 bytes, which are 2000 in the source. */
  @ParameterizedTest
  @CsvSource({
    "-1, 0, 1",
    "0, 0, 1",
    "0, 1999, 1",
    "0, 2000, 1",
    "0, 2002, 2",
    "900, 2002, 2",
    "0, 20000, 10",
    "0, 256000, 128",
    "0, 9000000000000, 128",
    "150, 0, 10"
  })
  void automaticBucketsGrowWithTheTable(long rows, long bytes, int buckets) {
    assertThat(TableRouting.autoBuckets(List.of(), new SourceSize(rows, bytes), 1000))
        .isEqualTo(buckets);
  }
}
