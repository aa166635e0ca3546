package io.sluice.replicator.backfill;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.evolution.SourceColumn;
import io.sluice.evolution.SourceTableId;
import io.sluice.sinks.KeyStretch;
import java.math.BigInteger;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ChunkSqlTest {

  private static final SourceTableId TABLE = new SourceTableId("d`b", "t");

  private static KeyColumn key(String name, String type, @Nullable String charset) {
    return KeyColumn.of(new SourceColumn(name, type, 10, null, false, charset, List.of(), null));
  }

  private static ChunkSql sql(KeyColumn... keys) {
    return new ChunkSql(TABLE, List.of(keys));
  }

  @Test
  void aTupleComparisonIsWrittenOut() {
    ChunkSql sql = sql(key("a", "INT", null), key("b", "VARCHAR", "latin1"));
    assertThat(sql.rows("`a`", new KeyRange(List.of("-1", "E4"), List.of("7", ""))))
        .isEqualTo(
            "SELECT `a` FROM `d``b`.`t` FORCE INDEX (PRIMARY)"
                + " WHERE ((`a` > -1) OR (`a` = -1 AND `b` > _latin1 X'E4'))"
                + " AND ((`a` < 7) OR (`a` = 7 AND `b` <= _latin1 X''))");
    assertThat(sql.rows("*", KeyRange.ALL)).doesNotContain("WHERE");
    // Bounds of the first column take all keys that begin so, or none of them.
    KeyStretch keys = new KeyStretch("a", new BigInteger("5"), new BigInteger("7"));
    assertThat(sql.rows("`a`", KeyRange.of(keys))).endsWith(" WHERE ((`a` > 4)) AND ((`a` <= 7))");
  }

  @Test
  void theServerNamesTheKeyOfTheNthRow() {
    ChunkSql sql = sql(key("a", "VARBINARY", null), key("b", "DATE", null));
    assertThat(sql.boundary(new KeyRange(List.of("00", "2024-02-29"), null), 100))
        .isEqualTo(
            "SELECT HEX(`a`), CAST(`b` AS CHAR) FROM `d``b`.`t` FORCE INDEX (PRIMARY)"
                + " WHERE ((`a` > X'00') OR (`a` = X'00' AND `b` > '2024-02-29'))"
                + " ORDER BY `a`, `b` LIMIT 1 OFFSET 99");
  }

  @Test
  void chunksAreCutBeforeAColumnWithoutSafeConstants() {
    assertThat(sql(key("a", "INT", null), key("f", "FLOAT", null), key("c", "INT", null)).keys())
        .extracting(KeyColumn::name)
        .containsExactly("a");
    assertThat(sql(key("e", "ENUM", "utf8mb4")).keys()).isEmpty();
  }

  @Test
  void nothingButAValueOfTheKeyReachesTheStatement() {
    for (KeyColumn key :
        List.of(
            key("a", "INT", null),
            key("a", "DATETIME", null),
            key("a", "VARCHAR", "utf8mb4"),
            key("a", "BINARY", null))) {
      assertThatThrownBy(() -> key.sqlLiteral("1' OR 1=1"))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("key column a");
    }
    assertThatThrownBy(
            () -> sql(key("a", "INT", null)).rows("*", new KeyRange(List.of("1", "2"), null)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aDenseIntegerKeyIsCutByArithmetic() throws Exception {
    ChunkSql sql = sql(key("a", "BIGINT UNSIGNED", null));
    ChunkCutter cutter =
        new ChunkCutter(sql, BigInteger.TEN, new BigInteger("18446744073709551615"), 1.5, 1);
    var nobody = new ScriptedServer(asked -> List.of()).connection();
    assertThat(cutter.boundary(nobody, KeyRange.ALL, 100)).containsExactly("159");
    assertThat(cutter.boundary(nobody, new KeyRange(List.of("-1000000"), List.of("200")), 100))
        .containsExactly("159");
    assertThat(cutter.boundary(nobody, new KeyRange(List.of("18446744073709551600"), null), 10))
        .isNull();
    assertThat(cutter.boundary(nobody, new KeyRange(List.of("15"), List.of("30")), 10)).isNull();
    assertThat(cutter.boundary(nobody, new KeyRange(List.of("14"), List.of("30")), 10))
        .containsExactly("29");
  }

  @Test
  void aSparseKeyIsCutByTheServer() throws Exception {
    ChunkSql sql = sql(key("a", "INT", null));
    ScriptedServer server = new ScriptedServer(asked -> List.of(List.of("77")));
    ChunkCutter cutter = new ChunkCutter(sql, null, null, 1, 50);
    assertThat(cutter.boundary(server.connection(), KeyRange.ALL, 10)).containsExactly("77");
    // The range's own end leaves nothing behind it.
    assertThat(cutter.boundary(server.connection(), new KeyRange(null, List.of("77")), 10))
        .isNull();
  }
}
