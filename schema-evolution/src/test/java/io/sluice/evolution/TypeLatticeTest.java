package io.sluice.evolution;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.lsm.schema.DataType;
import io.sluice.lsm.schema.DataTypeText;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TypeLatticeTest {

  private static final List<String> TYPES =
      List.of(
          "BOOLEAN",
          "TINYINT",
          "SMALLINT",
          "INT",
          "BIGINT",
          "FLOAT",
          "DOUBLE",
          "DECIMAL(5, 2)",
          "DECIMAL(20, 0)",
          "DECIMAL(38, 0)",
          "DECIMAL(38, 18)",
          "DECIMAL(38, 38)",
          "CHAR(3)",
          "VARCHAR(3)",
          "VARCHAR(9)",
          "STRING",
          "BINARY(3)",
          "VARBINARY(3)",
          "BYTES",
          "DATE",
          "TIME(0)",
          "TIME(3)",
          "TIMESTAMP(0)",
          "TIMESTAMP(6)",
          "TIMESTAMP_LTZ(3)",
          "TIMESTAMP_LTZ(9)");

  private static @Nullable DataType join(DataType one, DataType other) {
    return TypeLattice.join(one, other);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "none",
      textBlock =
          """
          TINYINT        | BIGINT         | BIGINT
          SMALLINT       | FLOAT          | FLOAT
          INT            | FLOAT          | DOUBLE
          INT            | DOUBLE         | DOUBLE
          FLOAT          | DOUBLE         | DOUBLE
          BIGINT         | DOUBLE         | STRING
          DECIMAL(5, 2)  | DOUBLE         | STRING
          INT            | DECIMAL(5, 2)  | DECIMAL(12, 2)
          BIGINT         | DECIMAL(38, 18) | DECIMAL(38, 18)
          BIGINT         | DECIMAL(38, 20) | STRING
          DECIMAL(5, 2)  | DECIMAL(6, 4)  | DECIMAL(7, 4)
          DECIMAL(38, 0) | DECIMAL(5, 2)  | STRING
          BOOLEAN        | INT            | STRING
          BOOLEAN        | STRING         | STRING
          VARCHAR(3)     | VARCHAR(9)     | VARCHAR(9)
          VARCHAR(3)     | INT            | STRING
          DATE           | TIMESTAMP(3)   | TIMESTAMP(3)
          DATE           | STRING         | STRING
          TIMESTAMP(3)   | TIMESTAMP(6)   | TIMESTAMP(6)
          TIMESTAMP(3)   | TIMESTAMP_LTZ(3) | none
          TIMESTAMP_LTZ(3) | STRING       | none
          TIMESTAMP_LTZ(3) | TIMESTAMP_LTZ(6) | TIMESTAMP_LTZ(6)
          TIME(3)        | STRING         | none
          TIME(0)        | TIME(3)        | none
          BYTES          | STRING         | none
          VARBINARY(3)   | BYTES          | BYTES
          CHAR(3)        | STRING         | none
          """)
  void joins(String one, String other, @Nullable String joined) {
    DataType expected = joined == null ? null : DataTypeText.parse(joined);
    assertThat(join(DataTypeText.parse(one), DataTypeText.parse(other))).isEqualTo(expected);
    assertThat(join(DataTypeText.parse(other), DataTypeText.parse(one))).isEqualTo(expected);
  }

  @Test
  void isALattice() {
    for (String first : TYPES) {
      DataType a = DataTypeText.parse(first);
      assertThat(join(a, a.withNullable(false))).isEqualTo(a);
      for (String second : TYPES) {
        DataType b = DataTypeText.parse(second);
        DataType ab = join(a, b);
        assertThat(join(b, a)).as("%s, %s", a, b).isEqualTo(ab);
        if (ab == null) {
          continue;
        }
        // An upper bound: what is there already changes nothing.
        assertThat(join(ab, a)).as("%s, %s", a, b).isEqualTo(ab);
        assertThat(join(ab, b)).as("%s, %s", a, b).isEqualTo(ab);
        for (String third : TYPES) {
          DataType c = DataTypeText.parse(third);
          DataType bc = join(b, c);
          DataType left = join(ab, c);
          DataType right = bc == null ? null : join(a, bc);
          if (left != null && right != null) {
            // Of three types some orders end at STRING sooner: never in two types that differ else.
            assertThat(left.equals(right) || left.root().isText() || right.root().isText())
                .as("%s, %s, %s: %s, %s", a, b, c, left, right)
                .isTrue();
          }
        }
      }
    }
  }
}
