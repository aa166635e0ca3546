package io.sluice.lsm.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.lsm.error.CorruptTableException;
import io.sluice.lsm.error.UnsupportedTableException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TableSchemaJsonTest {

  private static byte[] golden(String table) throws IOException {
    String name = "/golden/" + table + "/schema/schema-0";
    try (InputStream in = TableSchemaJsonTest.class.getResourceAsStream(name)) {
      return in.readAllBytes();
    }
  }

  private static TableSchema read(String json) {
    return TableSchemaJson.read(json.getBytes(StandardCharsets.UTF_8), "t/schema/schema-0");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "all-types/warehouse/default.db/alltypes",
        "dedup-orc/warehouse/default.db/orders",
        "sequence-field/warehouse/default.db/seqt"
      })
  void writesGoldenSchemasByteForByte(String table) throws IOException {
    byte[] content = golden(table);
    TableSchema schema = TableSchemaJson.read(content, table);
    assertThat(new String(TableSchemaJson.write(schema), StandardCharsets.UTF_8))
        .isEqualTo(new String(content, StandardCharsets.UTF_8));
  }

  @Test
  void writesWhatPaimonReads() {
    Map<String, String> options = new LinkedHashMap<>();
    options.put("bucket", "2");
    options.put("file.format", "orc");
    TableSchema schema =
        new TableSchema(
            3,
            new RowType(
                List.of(
                    new DataField(
                        0, "id", DataTypes.BIGINT.withNullable(false), "the \"key\"\n", null),
                    new DataField(7, "übergröße", DataTypes.decimal(20, 0), null, "12"),
                    new DataField(8, "at", DataTypes.timestampLtz(3)))),
            9,
            List.of(),
            List.of("id"),
            options,
            "a comment",
            1234L);
    String json = new String(TableSchemaJson.write(schema), StandardCharsets.UTF_8);
    assertThat(read(json)).isEqualTo(schema);
    org.apache.paimon.schema.TableSchema theirs =
        org.apache.paimon.schema.TableSchema.fromJson(json);
    assertThat(theirs.toString()).isEqualTo(json);
    assertThat(theirs.fields().get(1).defaultValue()).isEqualTo("12");
    assertThat(theirs.options()).isEqualTo(options);
  }

  @Test
  void givesOldVersionsTheDefaultsOfTheirTime() {
    String rest =
        "\"id\":0,\"fields\":[{\"id\":0,\"name\":\"a\",\"type\":\"INT NOT NULL\"}],"
            + "\"highestFieldId\":0,\"partitionKeys\":[],\"primaryKeys\":[\"a\"],"
            + "\"options\":{},\"unknown\":[1]}";
    assertThat(read("{" + rest).options()).isEqualTo(Map.of("bucket", "1", "file.format", "orc"));
    assertThat(read("{\"version\":2," + rest).options()).isEqualTo(Map.of("file.format", "orc"));
    assertThat(read("{\"version\":3," + rest).options()).isEmpty();
    assertThatThrownBy(() -> read("{\"version\":4," + rest))
        .isInstanceOf(UnsupportedTableException.class);
  }

  @Test
  void saysWhatIsWrongWithASchema() {
    for (String json : List.of("", "{", "[]", "{\"id\":1}", "{\"id\":1,\"fields\":[{\"id\":1}]}")) {
      assertThatThrownBy(() -> read(json))
          .isInstanceOf(CorruptTableException.class)
          .hasMessageContaining("t/schema/schema-0");
    }
    assertThatThrownBy(
            () -> read("{\"id\":1,\"fields\":[{\"id\":1,\"name\":\"pic\",\"type\":\"BLOB\"}]}"))
        .isInstanceOf(UnsupportedTableException.class)
        .hasMessageContaining("pic")
        .hasMessageContaining("BLOB");
  }

  @Test
  void parsesEveryTypeAndAlias() {
    Map<String, String> expected = new LinkedHashMap<>();
    for (String same :
        List.of(
            "BOOLEAN",
            "TINYINT",
            "SMALLINT",
            "INT",
            "BIGINT",
            "FLOAT",
            "DOUBLE",
            "DATE",
            "VARIANT",
            "CHAR(5)",
            "VARCHAR(20)",
            "STRING",
            "BINARY(4)",
            "VARBINARY(10)",
            "BYTES",
            "DECIMAL(10, 2)",
            "TIME(0)",
            "TIME(3)",
            "TIMESTAMP(6)",
            "TIMESTAMP(0)",
            "TIMESTAMP(3) WITH LOCAL TIME ZONE",
            "INT NOT NULL",
            "TIMESTAMP(9) WITH LOCAL TIME ZONE NOT NULL")) {
      expected.put(same, same);
      expected.put(same.toLowerCase(java.util.Locale.ROOT), same);
    }
    expected.put("INTEGER", "INT");
    expected.put("NUMERIC(5)", "DECIMAL(5, 0)");
    expected.put("DEC", "DECIMAL(10, 0)");
    expected.put("DECIMAL( 38 , 38 )", "DECIMAL(38, 38)");
    expected.put("DOUBLE PRECISION NOT NULL", "DOUBLE NOT NULL");
    expected.put("CHAR", "CHAR(1)");
    expected.put("VARCHAR", "VARCHAR(1)");
    expected.put("VARCHAR(2147483647)", "STRING");
    expected.put("BINARY", "BINARY(1)");
    expected.put("TIME", "TIME(0)");
    expected.put("TIMESTAMP", "TIMESTAMP(6)");
    expected.put("TIMESTAMP_LTZ(3)", "TIMESTAMP(3) WITH LOCAL TIME ZONE");
    expected.put("TIMESTAMP WITHOUT TIME ZONE NULL", "TIMESTAMP(6)");
    expected.put("TIMESTAMP WITH LOCAL TIME ZONE", "TIMESTAMP(6) WITH LOCAL TIME ZONE");
    expected.forEach(
        (text, type) -> {
          assertThat(DataTypeText.parse(text).toString()).as(text).isEqualTo(type);
          assertThat(
                  org.apache.paimon.types.DataTypeJsonParser.parseAtomicTypeSQLString(text)
                      .toString())
              .as("Paimon's %s", text)
              .isEqualTo(type);
        });
    for (String wrong :
        List.of(
            "",
            "INT(",
            "FOO",
            "DECIMAL(39,1)",
            "DECIMAL(5,6)",
            "TIMESTAMP(10)",
            "INT NOT",
            "VARCHAR(0)",
            "VARCHAR(x)",
            "INT INT",
            "TIMESTAMP(3) WITH TIME ZONE",
            "INT;")) {
      assertThatThrownBy(() -> DataTypeText.parse(wrong))
          .as(wrong)
          .isInstanceOf(IllegalArgumentException.class);
    }
  }
}
