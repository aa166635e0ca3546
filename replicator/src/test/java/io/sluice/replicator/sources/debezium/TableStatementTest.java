package io.sluice.replicator.sources.debezium;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.evolution.SourceTableId;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TableStatementTest {

  private static List<StatementRules.Effect> effects(String sql) {
    return parse(sql).effects();
  }

  private static TableStatement parse(String sql) {
    return Objects.requireNonNull(TableStatement.parse("s", sql));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ALTER TABLE t DROP c, ADD c INT",
        "alter online table `o`.t drop column if exists `c`, add column if not exists C int",
        "ALTER TABLE t DROP COLUMN c, ADD COLUMN (d INT, c DECIMAL(10, 2))",
        "ALTER TABLE t RENAME COLUMN a TO b, RENAME COLUMN b TO a",
        "ALTER TABLE t CHANGE a b INT, CHANGE COLUMN b a INT",
        "ALTER TABLE t DROP a, RENAME COLUMN b TO a",
        "ALTER TABLE t DROP COLUMN `index`, ADD COLUMN `index` INT",
        "ALTER TABLE t WAIT 5 DROP c, ADD c INT",
        "SET STATEMENT x=1 FOR ALTER TABLE t DROP c, ADD c INT",
        "/*!50000 ALTER */ TABLE t DROP c, ADD c INT -- ends"
      })
  void seesAColumnTakenAwayAndGivenAnew(String sql) {
    assertThat(effects(sql)).singleElement().asString().contains("given anew");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ALTER TABLE t ADD c INT COMMENT 'DROP d, ADD d'",
        "ALTER TABLE t DROP INDEX c, ADD INDEX c (d)",
        "ALTER TABLE t DROP PRIMARY KEY, ADD PRIMARY KEY (c)",
        "ALTER TABLE t DROP FOREIGN KEY c, ADD CONSTRAINT c FOREIGN KEY (a) REFERENCES b (x)",
        "ALTER TABLE t CHANGE c c INT, RENAME INDEX a TO b",
        "ALTER TABLE t ALTER c SET DEFAULT 5, ENGINE=InnoDB",
        "ALTER TABLE t CONVERT TO CHARACTER SET utf8mb4",
        "ALTER TABLE t MODIFY c TIMESTAMP ON UPDATE CURRENT_TIMESTAMP",
        "ALTER TABLE t MODIFY c INT DEFAULT (CAST('1' AS SIGNED))",
        "CREATE TABLE t (`ON` INT, c INT COMMENT 'ON DELETE CASCADE')",
        "ALTER TABLE t"
      })
  void seesNothingWhereNothingIs(String sql) {
    assertThat(effects(sql)).isEmpty();
  }

  @Test
  void seesNewNames() {
    assertThat(effects("ALTER TABLE t ADD c INT, RENAME TO `o`.`u`"))
        .extracting(StatementRules.Effect::table)
        .containsExactly(new SourceTableId("s", "t"), new SourceTableId("o", "u"));
    assertThat(effects("ALTER TABLE t RENAME u")).hasSize(2);
    assertThat(effects("ALTER TABLE t RENAME = u")).hasSize(2);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "CREATE TABLE t (a INT, FOREIGN KEY (a) REFERENCES b (c) ON DELETE CASCADE)",
        "ALTER TABLE t ADD FOREIGN KEY (a) REFERENCES b (c) ON UPDATE SET NULL",
        "CREATE TABLE IF NOT EXISTS t (a INT REFERENCES b (c) ON DELETE/**/SET DEFAULT)"
      })
  void seesCascades(String sql) {
    assertThat(effects(sql))
        .containsExactly(
            new StatementRules.Effect(new SourceTableId("s", "t"), StatementRules.CASCADES));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ALTER TABLE t ENGINE=MEMORY",
        "ALTER TABLE t COMMENT 'x' ENGINE BLACKHOLE",
        "CREATE TABLE t (a INT) ENGINE = 'memory'",
        "ALTER IGNORE TABLE t ADD UNIQUE (c)",
        "ALTER TABLE t MODIFY c INT GENERATED ALWAYS AS (a + 2)",
        "ALTER TABLE t DEFAULT CHARSET = latin1",
        "ALTER TABLE t ENGINE=InnoDB COLLATE latin1_bin"
      })
  void seesWhatChangesRowsOrText(String sql) {
    assertThat(effects(sql)).hasSize(1);
  }

  @Test
  void knowsAddedColumnsInWhichExistingRowsHaveValues() {
    assertThat(
            parse(
                    "ALTER TABLE t ADD a INT AS (b + 1), ADD COLUMN C DATETIME DEFAULT (now()),"
                        + " ADD d INT DEFAULT NULL, ADD (e INT AUTO_INCREMENT, f INT),"
                        + " ADD INDEX g (a), ADD COLUMN IF NOT EXISTS h INT DEFAULT 1")
                .addedWithValues())
        .isEqualTo(Set.of("a", "c", "e", "h"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "CREATE TEMPORARY TABLE t (a INT)",
        "CREATE /*!40005 TEMPORARY */ TABLE t (a INT) ENGINE=MEMORY",
        "CREATE VIEW v AS SELECT 1",
        "DROP TABLE t",
        "ALTER DATABASE d CHARACTER SET latin1",
        ""
      })
  void isNothingElse(String sql) {
    assertThat(TableStatement.parse("s", sql)).isNull();
  }
}
