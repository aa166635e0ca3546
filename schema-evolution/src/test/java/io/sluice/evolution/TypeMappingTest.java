package io.sluice.evolution;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.lsm.schema.DataTypes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TypeMappingTest {

  private final TypeMapping mapping = new TypeMapping(false);

  /** The whole table: source type, lake type. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "TINYINT | TINYINT",
        "TINYINT(1) | TINYINT",
        "BOOLEAN | TINYINT",
        "BOOL | TINYINT",
        "TINYINT UNSIGNED | SMALLINT",
        "TINYINT(1) UNSIGNED | SMALLINT",
        "SMALLINT | SMALLINT",
        "SMALLINT UNSIGNED | INT",
        "MEDIUMINT | INT",
        "MEDIUMINT UNSIGNED | INT",
        "INT | INT",
        "INTEGER | INT",
        "INT(11) | INT",
        "INT UNSIGNED | BIGINT",
        "INT UNSIGNED ZEROFILL | BIGINT",
        "INT ZEROFILL | BIGINT",
        "BIGINT | BIGINT",
        "BIGINT(20) UNSIGNED | DECIMAL(20, 0)",
        "BIGINT UNSIGNED ZEROFILL | DECIMAL(20, 0)",
        "SERIAL | DECIMAL(20, 0)",
        "YEAR | INT",
        "YEAR(4) | INT",
        "BIT | BOOLEAN",
        "BIT(1) | BOOLEAN",
        "BIT(2) | BIGINT",
        "BIT(63) | BIGINT",
        "BIT(64) | DECIMAL(20, 0)",
        "FLOAT | FLOAT",
        "FLOAT(7,4) | FLOAT",
        "FLOAT(24) | FLOAT",
        "FLOAT(25) | DOUBLE",
        "FLOAT UNSIGNED | FLOAT",
        "DOUBLE | DOUBLE",
        "DOUBLE PRECISION | DOUBLE",
        "REAL | DOUBLE",
        "DECIMAL | DECIMAL(10, 0)",
        "DECIMAL(10,3) | DECIMAL(10, 3)",
        "NUMERIC(5) | DECIMAL(5, 0)",
        "DECIMAL(38,18) | DECIMAL(38, 18)",
        "DECIMAL(39,0) | STRING",
        "DECIMAL(65,30) | STRING",
        "DECIMAL(12,2) UNSIGNED | DECIMAL(12, 2)",
        "DATE | DATE",
        "DATETIME | TIMESTAMP(0)",
        "DATETIME(6) | TIMESTAMP(6)",
        "TIMESTAMP | TIMESTAMP(0) WITH LOCAL TIME ZONE",
        "TIMESTAMP(3) | TIMESTAMP(3) WITH LOCAL TIME ZONE",
        "TIME | STRING",
        "TIME(6) | STRING",
        "CHAR(10) | STRING",
        "VARCHAR(255) | STRING",
        "NATIONAL VARCHAR(10) | STRING",
        "TINYTEXT | STRING",
        "TEXT | STRING",
        "MEDIUMTEXT | STRING",
        "LONGTEXT | STRING",
        "BINARY(16) | BYTES",
        "VARBINARY(10) | BYTES",
        "TINYBLOB | BYTES",
        "BLOB | BYTES",
        "MEDIUMBLOB | BYTES",
        "LONGBLOB | BYTES",
        "ENUM(a,b) | STRING",
        "SET(a,b) | STRING",
        "JSON | STRING",
      })
  void mapsEveryType(String source, String lake) {
    MappedType mapped = mapping.map(Columns.column("c " + source));
    assertThat(mapped).isInstanceOf(MappedType.Lake.class);
    assertThat(((MappedType.Lake) mapped).type().toString()).isEqualTo(lake);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "GEOMETRY",
        "POINT",
        "VECTOR(3)",
        "UUID",
        "INET4",
        "INET6",
        "XMLTYPE",
        "CHAR(3) CHARSET binary",
        "TEXT CHARSET binary"
      })
  void refusesByNameWhatNoLakeTypeHolds(String source) {
    MappedType mapped = mapping.map(Columns.column("c " + source));
    assertThat(mapped).isInstanceOf(MappedType.Refused.class);
    MappedType.Refused refused = (MappedType.Refused) mapped;
    assertThat(refused.reason()).contains(source.replaceAll("[( ].*", ""));
    assertThat(refused.remedy()).contains("source.exclude");
  }

  @Test
  void makesTruthValuesOfSignedTinyIntOneOnDemandOnly() {
    TypeMapping asBoolean = new TypeMapping(true);
    assertThat(asBoolean.map(Columns.column("c TINYINT(1)")))
        .isEqualTo(new MappedType.Lake(DataTypes.BOOLEAN));
    assertThat(asBoolean.map(Columns.column("c BOOLEAN")))
        .isEqualTo(new MappedType.Lake(DataTypes.BOOLEAN));
    assertThat(asBoolean.map(Columns.column("c TINYINT(4)")))
        .isEqualTo(new MappedType.Lake(DataTypes.TINYINT));
  }

  @Test
  void typeNamesMayHaveAnyCaseAndBlanks() {
    SourceColumn column =
        new SourceColumn(
            "c", " bigint  unsigned ", null, null, true, null, java.util.List.of(), null);
    assertThat(SourceKind.of(column)).isEqualTo(SourceKind.BIGINT_UNSIGNED);
  }
}
