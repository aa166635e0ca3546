package io.sluice.evolution;

import static io.sluice.evolution.Columns.table;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.DataTypes;
import io.sluice.lsm.schema.RowType;
import io.sluice.lsm.schema.TableSchema;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SchemaDiffTest {

  private static TableSchema lake(SourceTable source) {
    PlanOptions options = new PlanOptions("shop", "t", 1, List.of(), Map.of(), false);
    return ((PlannedTable.Planned) TablePlanner.plan(source, options, 7)).schema();
  }

  private static SchemaChange diff(SourceTable before, SourceTable now) {
    return SchemaDiff.diff(before, now, lake(before), false, 9);
  }

  private static String refusal(SchemaChange change) {
    assertThat(change).isInstanceOf(SchemaChange.Refused.class);
    return ((SchemaChange.Refused) change).reason();
  }

  @Test
  void anUnchangedTableOfAllTypesIsCompatibleAtARestart() {
    SourceTable all =
        table(
            "id",
            "id BIGINT UNSIGNED NOT NULL",
            "q DECIMAL(10,3)",
            "w DECIMAL(65,30)",
            "v VARCHAR(20) CHARSET latin1",
            "c CHAR(3)",
            "b BIT(9)",
            "o BIT(1)",
            "y YEAR",
            "t TIME(3)",
            "d DATETIME(6)",
            "s TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP",
            "e ENUM(a,b)",
            "f FLOAT(7,4)",
            "n BINARY(16)",
            "j JSON",
            "x TINYINT(1) NOT NULL");
    assertThat(diff(all, all)).isInstanceOf(SchemaChange.None.class);
    assertThat(SchemaDiff.diff(null, all, lake(all), false, 9))
        .isInstanceOf(SchemaChange.None.class);
  }

  @Test
  void addedColumnsGoToTheEndWithFreshIdsWhereverTheSourceHasThem() {
    SourceTable before = table("id", "id INT NOT NULL", "v INT");
    SchemaChange change =
        diff(before, table("id", "z INT", "id INT NOT NULL", "m BIGINT NOT NULL", "v INT"));
    SchemaChange.Evolve evolve = (SchemaChange.Evolve) change;
    assertThat(evolve.schema().rowType().fields())
        .extracting(field -> field.id() + " " + field.name() + " " + field.type())
        .containsExactly("0 id INT NOT NULL", "1 v INT", "2 z INT", "3 m BIGINT");
    assertThat(evolve.schema().id()).isEqualTo(1);
    assertThat(evolve.schema().highestFieldId()).isEqualTo(3);
    assertThat(evolve.schema().timeMillis()).isEqualTo(9);
    assertThat(evolve.schema().options()).isEqualTo(lake(before).options());
    assertThat(evolve.added())
        .containsExactly(
            new SchemaChange.AddedColumn("z", false), new SchemaChange.AddedColumn("m", true));
  }

  @Test
  void tellsWhetherOldRowsLackTheDefault() {
    SourceTable before = table("id", "id INT NOT NULL");
    assertThat(
            ((SchemaChange.Evolve) diff(before, table("id", "id INT NOT NULL", "c INT")))
                .oldRowsNeedValues())
        .isFalse();
    assertThat(
            ((SchemaChange.Evolve) diff(before, table("id", "id INT NOT NULL", "c INT DEFAULT 5")))
                .oldRowsNeedValues())
        .isTrue();
  }

  @Test
  void idsOfDroppedColumnsAreNotUsedAgain() {
    SourceTable before = table("id", "id INT NOT NULL");
    TableSchema first = lake(before);
    TableSchema current =
        new TableSchema(4, first.rowType(), 11, List.of(), List.of("id"), first.options(), null, 7);
    SchemaChange change =
        SchemaDiff.diff(before, table("id", "id INT NOT NULL", "c INT"), current, false, 9);
    assertThat(((SchemaChange.Evolve) change).schema().rowType().field(1).id()).isEqualTo(12);
  }

  @Test
  void applyingAnAdditionTwiceIsNoChangeTheSecondTime() {
    SourceTable before = table("id", "id INT NOT NULL");
    SourceTable now = table("id", "id INT NOT NULL", "c INT");
    TableSchema evolved = ((SchemaChange.Evolve) diff(before, now)).schema();
    assertThat(SchemaDiff.diff(before, now, evolved, false, 9))
        .isInstanceOf(SchemaChange.None.class);
  }

  @Test
  void aColumnThatOnlyTheLakeHasStays() {
    SourceTable source = table("id", "id INT NOT NULL");
    TableSchema plain = lake(source);
    List<DataField> fields = new ArrayList<>(plain.rowType().fields());
    fields.add(new DataField(1, "note", DataTypes.STRING));
    TableSchema current =
        new TableSchema(
            1, new RowType(fields), 1, List.of(), List.of("id"), plain.options(), null, 7);
    assertThat(SchemaDiff.diff(source, source, current, false, 9))
        .isInstanceOf(SchemaChange.None.class);
  }

  /** Before, after: nothing changes in the lake, neither schema nor rows. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "INT | INT(11)",
        "INT NOT NULL | INT",
        "INT | INT DEFAULT 7",
        "TINYINT(1) | TINYINT",
        "MEDIUMINT | INT",
        "SMALLINT UNSIGNED | INT",
        "INT UNSIGNED | BIGINT",
        "VARCHAR(20) | VARCHAR(40)",
        "VARCHAR(20) | TEXT",
        "VARCHAR(63) | TINYTEXT",
        "TEXT | LONGTEXT",
        "CHAR(3) | CHAR(4)",
        "VARBINARY(3) | BLOB",
        "BIT(9) | BIT(12)",
        "ENUM(a,b) | ENUM(a,b,c)",
        "SET(a) | SET(a,b)",
        "VARCHAR(20) CHARSET latin1 | VARCHAR(20) CHARSET utf8mb4",
      })
  void redefinitionsThatKeepEveryValueAreNoChange(String from, String to) {
    assertThat(
            diff(
                table("id", "id INT NOT NULL", "c " + from),
                table("id", "id INT NOT NULL", "c " + to)))
        .isInstanceOf(SchemaChange.None.class);
  }

  /** Before, after: the lake's type differs, or the source may have rewritten rows silently. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "INT | BIGINT",
        "INT | INT UNSIGNED",
        "INT | MEDIUMINT",
        "INT | INT NOT NULL",
        "BIGINT | INT UNSIGNED",
        "MEDIUMINT | MEDIUMINT UNSIGNED",
        "DECIMAL(10,2) | DECIMAL(12,4)",
        "DECIMAL(50,2) | DECIMAL(50,3)",
        "FLOAT | DOUBLE",
        "FLOAT | FLOAT(7,4)",
        "VARCHAR(40) | VARCHAR(20)",
        "VARCHAR(64) | TINYTEXT",
        "TEXT | VARCHAR(20)",
        "VARCHAR(20) | CHAR(20)",
        "VARCHAR(20) CHARSET utf8mb4 | VARCHAR(20) CHARSET latin1",
        "BINARY(4) | BINARY(8)",
        "TIME | TIME(3)",
        "DATETIME(3) | DATETIME(6)",
        "DATETIME | TIMESTAMP",
        "ENUM(a,b) | ENUM(b,a)",
        "ENUM(a,b) | ENUM(a,x)",
        "ENUM(a,b) | VARCHAR(10)",
        "JSON | TEXT",
        "BIT(12) | BIT(9)",
        "INT | GEOMETRY",
      })
  void otherRedefinitionsAreRefusedByName(String from, String to) {
    String reason =
        refusal(
            diff(
                table("id", "id INT NOT NULL", "c " + from),
                table("id", "id INT NOT NULL", "c " + to)));
    assertThat(reason).startsWith("Table shop.t, column c: ").contains("source.exclude");
  }

  @Test
  void aChangedDecimalNamesBothDefinitions() {
    assertThat(
            refusal(
                diff(
                    table("id", "id INT NOT NULL", "q DECIMAL(10,2)"),
                    table("id", "id INT NOT NULL", "q DECIMAL(12,4) NOT NULL"))))
        .contains("DECIMAL(12,4) NOT NULL", "it was DECIMAL(10,2)", "DECIMAL(12, 4)");
  }

  @Test
  void droppedRenamedAndRekeyedTablesAreRefused() {
    SourceTable before = table("id", "id INT NOT NULL", "a INT", "b INT");
    assertThat(refusal(diff(before, table("id", "id INT NOT NULL", "b INT"))))
        .contains("shop.t", "column a was dropped or renamed");
    assertThat(refusal(diff(before, table("id", "id INT NOT NULL", "a2 INT", "b INT"))))
        .contains("column a was dropped or renamed");
    assertThat(refusal(diff(before, table("a", "id INT", "a INT NOT NULL", "b INT"))))
        .contains("primary key is [a]", "it is [id]");
    assertThat(refusal(diff(before, table("", "id INT", "a INT", "b INT")))).contains("[]");
  }

  @Test
  void aTypeThatTheLakeTableWasNotMadeForIsRefusedWithoutAFormerDefinition() {
    SourceTable before = table("id", "id INT NOT NULL", "c INT");
    assertThat(
            refusal(
                SchemaDiff.diff(
                    null, table("id", "id INT NOT NULL", "c BIGINT"), lake(before), false, 9)))
        .contains("that is BIGINT in the lake, the lake has INT");
  }
}
