package io.sluice.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TablePatternTest {

  /** Pattern, database, table, whether they match. */
  @ParameterizedTest
  @CsvSource({
    "db.t,              db,        t,        true",
    "db.t,              db_backup, t,        false",
    "db.t,              db,        t1,       false",
    "db.t,              db,        T,        false",
    "db.t,              DB,        t,        false",
    "db.*,              db,        anything, true",
    "db.*,              db2,       anything, false",
    "d*.t,              db_backup, t,        true",
    "db.t_*_x,          db,        t_1_x,    true",
    "db.t_*_x,          db,        t_1_y,    false",
    "*.*,               any,       thing,    true",
    "a.b+c,             a,         b+c,      true",
    "a.b+c,             a,         bbc,      false",
    "a.(b),             a,         (b),      true",
    "a.b?,              a,         b?,       true",
    "a.b?,              a,         b,        false",
    "a.order-items,     a,         order-items, true",
    "`x.y`.t,           x.y,       t,        true",
    "`x.y`.t,           xzy,       t,        false",
    "db.`x.y`,          db,        x.y,      true",
    "db.`a*`,           db,        a*,       true",
    "db.`a*`,           db,        ab,       false",
    "db.`a``b`,         db,        a`b,      true",
    "/db\\.t[0-9]+/,    db,        t12,      true",
    "/db\\.t[0-9]+/,    db,        t12x,     false",
    "/db.t/,            db,        T,        false",
    "db./t(1|2)/,       db,        t2,       true",
    "db./t(1|2)/,       db,        t3,       false",
    "/d./.t,            db,        t,        true",
    "/d./.t,            dbx,       t,        false",
    "db./a\\/b/,        db,        a/b,      true",
    "shop.订单*,         shop,      订单明细,  true",
    "shop.😀x*,          shop,      😀x1,      true",
  })
  void matches(String pattern, String database, String table, boolean expected) {
    assertThat(TablePattern.parse(pattern).matches(database, table)).isEqualTo(expected);
  }

  @Test
  void regexQuotesInANameStandForThemselves() {
    assertThat(TablePattern.parse("a.\\Ex\\Q").matches("a", "\\Ex\\Q")).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "t",
        "db.",
        ".t",
        "a.b.c",
        " db.t",
        "db.t ",
        "db.`t",
        "`db`t",
        "/a",
        "db./(/",
        "d/b.t",
        "db.t`x`",
        "/a/./b/.c"
      })
  void whatIsNoPatternIsRefused(String text) {
    assertThatThrownBy(() -> TablePattern.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("\"" + text + "\"");
  }

  @Test
  void knowsWhetherOneTableAtMostCanMatch() {
    assertThat(TablePattern.parse("db.t").isLiteral()).isTrue();
    assertThat(TablePattern.parse("db.`*`").isLiteral()).isTrue();
    assertThat(TablePattern.parse("db.*").isLiteral()).isFalse();
    assertThat(TablePattern.parse("/db.t/").isLiteral()).isFalse();
  }

  @Test
  void knowsWhetherADatabaseMayHoldATable() {
    assertThat(TablePattern.parse("db.t").matchesDatabase("db")).isTrue();
    assertThat(TablePattern.parse("db.t").matchesDatabase("db2")).isFalse();
    assertThat(TablePattern.parse("/x/").matchesDatabase("any")).isTrue();
  }

  /** Debezium splits lists of regular expressions at commas and ignores case. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "db.t | db | db\\.t",
        "d*b.order-items | d.*b | d.*b\\.order\\-items",
        "`x.y`.`a,b` | x\\.y | x\\.y\\.a\\,b",
        "db.订单 | db | db\\.订单",
        "/a{1,2}.b/ | .* | .*",
        "/a|b.c/ | .* | (?:a|b.c)",
        "/a|b/./c|d/ | (?:a|b) | (?:a|b)\\.(?:c|d)",
      })
  void givesRegexesForLists(String text) {
    String[] cells = text.split(" \\| ");
    TablePattern pattern = TablePattern.parse(cells[0]);
    assertThat(pattern.databaseRegex()).isEqualTo(cells[1]);
    assertThat(pattern.tableRegex()).isEqualTo(cells[2]);
  }
}
