package io.sluice.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.config.WidePart.OnDelete;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WideRuleTest {

  private static final String REQUIRED =
      """
      sluice.pipeline = wide
      sluice.warehouse = "file:///lake/warehouse"
      sluice.source { type = kafka, bootstrap-servers = "k1:9092", topics = ["*"], format = json }
      """;

  @TempDir Path folder;
  private ConfigFiles files;

  @BeforeEach
  void folder() {
    files = new ConfigFiles(folder);
  }

  @Test
  void everyKey() throws Exception {
    Path file =
        files.write(
            REQUIRED
                + """
                sluice.tables.rules = [
                  { into = "dwd.order_wide", primary-key = [order_id], merge-engine = partial-update
                    bucket = 2, types { order_id = BIGINT, user_id = BIGINT, pay_amount = "DECIMAL(12, 2)", _seq_orders_updated_at = "TIMESTAMP(3)" }
                    options { a = b }
                    from = [
                      { name = orders, match = "shop.orders", table = "shop.orders", on-delete = delete-row
                        columns { order_id = id, user_id = user_id }, sequence = [updated_at] }
                      { name = pays, elsewhere = true, aggregate { pay_amount = sum }
                        columns { order_id = order_id, pay_amount = amount } } ] }
                  { match = "/.*/" } ]
                """);
    SluiceConfig config = ConfigLoader.load(file, Map.of());
    assertThat(config.tables().topicRules()).hasSize(1);
    assertThat(config.tables().wideRules())
        .containsExactly(
            new WideRule(
                "dwd",
                "order_wide",
                List.of("order_id"),
                OptionalInt.of(2),
                List.of(),
                Map.of(
                    "order_id",
                    "BIGINT",
                    "user_id",
                    "BIGINT",
                    "pay_amount",
                    "DECIMAL(12, 2)",
                    "_seq_orders_updated_at",
                    "TIMESTAMP(3)"),
                List.of(
                    new WidePart(
                        "orders",
                        Optional.of(TopicPattern.parse("shop.orders")),
                        Optional.of(TablePattern.parse("shop.orders")),
                        Map.of("order_id", "id", "user_id", "user_id"),
                        List.of("updated_at"),
                        OnDelete.DELETE_ROW,
                        Map.of(),
                        Optional.empty()),
                    new WidePart(
                        "pays",
                        Optional.empty(),
                        Optional.empty(),
                        Map.of("order_id", "order_id", "pay_amount", "amount"),
                        List.of(),
                        OnDelete.CLEAR,
                        Map.of("pay_amount", "sum"),
                        Optional.empty())),
                Map.of("a", "b")));
    assertThat(config.tables().wideRules().get(0).isShared()).isTrue();
  }

  private static final String NESTED =
      "nested { column = xs, key = [i], columns { i = id, v = w }, types { i = INT, v = STRING } }";

  @Test
  void readsAPartWhoseRowsAreElements() throws Exception {
    Path file =
        files.write(
            REQUIRED
                + "sluice.tables.rules = [ { into = \"d.w\", primary-key = [k], from = ["
                + " { name = a, match = t, columns { k = k, s = v }, aggregate { s = sum }, "
                + NESTED
                + " } ] } ]");
    assertThat(
            ConfigLoader.load(file, Map.of()).tables().wideRules().get(0).parts().get(0).nested())
        .contains(
            new WideArray(
                "xs",
                List.of("i"),
                Map.of("i", "id", "v", "w"),
                Map.of("i", "INT", "v", "STRING")));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "nested { column = xs, columns { i = id }, types { i = INT } } | tells the elements of a row apart",
        "nested { key = [i], columns { i = id }, types { i = INT } } | is missing",
        "nested { column = xs, key = [j], columns { i = id }, types { i = INT } } | key field j is not filled",
        "nested { column = xs, key = [i], columns { i = id } } | no type is given for i",
        "nested { column = xs, key = [i], columns { i = id }, types { i = INT, j = INT } } | no field of an element",
        "nested { column = xs, key = [i], columns { i = id, _deleted = d }, types { i = INT, _deleted = INT } } | says whether an element is deleted",
        "nested { column = xs, keys = [i] } | no such key",
        "nested = xs | not a block",
        "sequence = [s], %s | which of two versions of an element",
        "on-delete = delete-row, %s | would go with one of its elements",
        "columns { k = k, xs = v }, aggregate { xs = sum }, %s | filled by columns, too",
        "columns { k = k, o = v }, %s | value of any of the rows",
        "%s }, { name = b, elsewhere = true, columns { k = k } | mix up versions",
        "%s }, { name = b, match = u, columns { k = k, xs = w } | filled by part a",
      })
  void whatAnArrayCannotBeIsRefused(String line, String what) {
    String rule =
        "sluice.tables.rules = [ { into = \"d.w\", primary-key = [k], from = [ { name = a, match = t,"
            + " columns { k = k }, "
            + line.replace("%s", NESTED)
            + " } ] } ]";
    assertThat(files.problemsOf(REQUIRED + rule))
        .anySatisfy(problem -> assertThat(problem.what()).contains(what));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "from = [] | there is no part",
        "from = [ { match = a, columns { k = k } } ] | is missing",
        "from = [ { name = a, columns { k = k } } ] | is missing",
        "from = [ { name = a, match = t } ] | key column k is not filled",
        "from = [ { name = a, match = t, elsewhere = true, columns { k = k } } ] | fills this part",
        "from = [ { name = a, match = t, columns { k = k }, aggregate { x = sum } } ] | no column of this part",
        "from = [ { name = a, match = t, columns { k = k }, on-delete = drop } ] | not possible",
        "from = [ { name = a, match = t, columns { k = k, v = v } }, { name = b, match = u, columns { k = k, v = w } } ] | filled by part a",
        "from = [ { name = a, match = t, columns { k = k } }, { name = a, match = u, columns { k = k } } ] | is called a, too",
        "types { x = INT }, from = [ { name = a, match = t, columns { k = k } } ] | column of no part",
        "options { ignore-delete = true }, from = [ { name = a, match = t, columns { k = k } } ] | can't be set",
        "merge-engine = aggregation, from = [ { name = a, match = t, columns { k = k } } ] | merged by partial-update",
        "metadata { x = key }, from = [ { name = a, match = t, columns { k = k } } ] | no such key",
        "from = [ { name = a, elsewhere = true, columns { k = k, v = v } } ] | no type is given for k, v",
      })
  void whatCannotBeIsRefused(String line, String what) {
    String rule = "sluice.tables.rules = [ { into = \"d.w\", primary-key = [k], " + line + " } ]";
    assertThat(files.problemsOf(REQUIRED + rule))
        .anySatisfy(problem -> assertThat(problem.what()).contains(what));
  }

  @Nested
  class OfADatabase {
    private static final String MYSQL =
        """
        sluice.pipeline = wide
        sluice.warehouse = "file:///lake/warehouse"
        sluice.source { type = mysql, host = db, user = u, include = ["shop.*"] }
        """;

    @Test
    void partsAreTables() throws Exception {
      SluiceConfig config =
          ConfigLoader.load(
              files.write(
                  MYSQL
                      + """
                      sluice.tables.rules = [
                        { into = "dwd.order_wide", primary-key = [order_id]
                          types { order_id = BIGINT, user_id = BIGINT, paid = BIGINT }
                          from = [
                            { name = orders, match = "shop.orders", columns { order_id = id, user_id = user_id } }
                            { name = pays, elsewhere = true, aggregate { paid = sum }
                              columns { order_id = order_id, paid = amount } } ] }
                        { match = "shop.items", into = "ods.*" } ]
                      """),
              Map.of());
      WideRule rule = config.routing().wideRules().get(0);
      assertThat(rule.parts().get(0).isElsewhere()).isFalse();
      assertThat(rule.parts().get(1).isElsewhere()).isTrue();
      assertThat(config.routing().fillsPart("shop", "orders")).isTrue();
      assertThat(config.routing().target("shop", "orders", SourceSize.UNKNOWN)).isEmpty();
      assertThat(config.routing().target("shop", "items", SourceSize.UNKNOWN)).isPresent();
      assertThat(config.routing().target(rule, new SourceSize(0, 5L << 30)).buckets()).isEqualTo(3);
    }

    @ParameterizedTest
    @CsvSource(
        delimiter = '|',
        value = {
          "from = [ { name = a, columns { k = k } } ] | is missing",
          "from = [ { name = a, match = t, columns { k = k } } ] | names no table",
          "from = [ { name = a, match = s.t, table = s.t, columns { k = k } } ] | comes from topics",
          "from = [ { name = a, match = s.t, columns { k = k, v = v }, aggregate { v = sum } } ] | would count twice",
        })
    void whatCannotBeIsRefused(String line, String what) {
      String rule = "sluice.tables.rules = [ { into = \"d.w\", primary-key = [k], " + line + " } ]";
      assertThat(files.problemsOf(MYSQL + rule))
          .anySatisfy(problem -> assertThat(problem.what()).contains(what));
    }
  }
}
