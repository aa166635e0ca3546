package io.sluice.replicator.sources.debezium;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CollationsTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "CREATE TABLE t (a VARCHAR(9)) COLLATE latin1_bin",
        "create table if not exists t (a TEXT COLLATE utf8mb4_bin) engine=InnoDB collate = 'latin1_bin'",
        "CREATE TABLE t (a VARCHAR(9) CHARSET utf8mb4) DEFAULT COLLATE=`latin1_bin`"
      })
  void seesATablesCollationThatStandsAlone(String sql) {
    assertThat(statement(sql).collationAlone()).isEqualTo("latin1_bin");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "CREATE TABLE t (a VARCHAR(9) COLLATE latin1_bin)",
        "CREATE TABLE t (a TEXT) CHARSET latin1 COLLATE latin1_bin",
        "CREATE TABLE t (a TEXT) COLLATE latin1_bin DEFAULT CHARACTER SET = latin1",
        "CREATE TABLE t (a TEXT) COMMENT 'COLLATE latin1_bin'",
        "ALTER TABLE t ADD a TEXT COLLATE latin1_bin"
      })
  void seesNoneWhereTheCharacterSetIsKnown(String sql) {
    assertThat(statement(sql).collationAlone()).isNull();
  }

  private static TableStatement statement(String sql) {
    return Objects.requireNonNull(TableStatement.parse("s", sql));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ALTER DATABASE d COLLATE latin1_bin",
        "ALTER SCHEMA COLLATE = latin1_bin",
        "CREATE DATABASE IF NOT EXISTS d DEFAULT COLLATE latin1_bin",
        "CREATE OR REPLACE DATABASE d COLLATE latin1_bin"
      })
  void seesADatabasesCollationThatStandsAlone(String sql) {
    assertThat(Collations.ofDatabase(sql)).isEqualTo("latin1_bin");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ALTER DATABASE d CHARACTER SET latin1 COLLATE latin1_bin",
        "CREATE DATABASE d",
        "CREATE TABLE t (a INT) COLLATE latin1_bin",
        ""
      })
  void seesNoDatabaseElsewhere(String sql) {
    assertThat(Collations.ofDatabase(sql)).isNull();
  }

  @ParameterizedTest
  @CsvSource({
    "ALTER DATABASE COLLATE latin1_bin, s.",
    "CREATE SCHEMA IF NOT EXISTS `x` COLLATE latin1_bin, x.",
    "CREATE TABLE t (a INT) COLLATE latin1_bin, s.t",
    "CREATE TABLE u.t (a INT) COLLATE latin1_bin, u.t"
  })
  void tellsWhatACollationAloneIsOf(String sql, String of) {
    var told = new ArrayList<String>();
    Collations.alone("s", sql, (table, collation) -> told.add(table + " " + collation));
    assertThat(told).containsExactly(of + " latin1_bin");
  }

  @ParameterizedTest
  @CsvSource({
    "latin1_bin, latin1, true",
    "UTF8_bin, utf8mb3, true",
    "utf8mb3_general_ci, utf8, true",
    "utf8mb4_0900_ai_ci, utf8mb3, false",
    "binary, binary, true",
    "binary, latin1, false",
    "uca1400_ai_ci, latin1, true"
  })
  void knowsTheCharacterSetOfACollation(String collation, String characterSet, boolean same) {
    assertThat(Collations.belongTo(collation, characterSet)).isEqualTo(same);
  }

  @Test
  void takesNothingForKnown() {
    assertThat(Collations.belongTo("latin1_bin", null)).isFalse();
  }
}
