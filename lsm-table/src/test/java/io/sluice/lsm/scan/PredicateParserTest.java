package io.sluice.lsm.scan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.lsm.binary.TestRows;
import io.sluice.lsm.row.Row;
import io.sluice.lsm.schema.DataTypes;
import io.sluice.lsm.schema.RowType;
import java.math.BigDecimal;
import java.time.LocalDate;
import java.time.LocalDateTime;
import org.junit.jupiter.api.Test;

class PredicateParserTest {

  private static final RowType TYPE =
      TestRows.type(
          DataTypes.INT,
          DataTypes.STRING,
          DataTypes.decimal(10, 2),
          DataTypes.DATE,
          DataTypes.timestamp(3),
          DataTypes.BOOLEAN,
          DataTypes.DOUBLE,
          DataTypes.BYTES);
  private static final Row ROW =
      TestRows.row(
          TYPE,
          3,
          "x'y",
          new BigDecimal("12.50"),
          LocalDate.of(2024, 1, 31),
          LocalDateTime.of(2024, 1, 31, 10, 0, 0, 5_000_000),
          true,
          Double.NaN,
          new byte[] {1, (byte) 0xff});
  private static final Row NULLS =
      TestRows.row(TYPE, null, null, null, null, null, null, null, null);

  private static boolean passes(String condition) {
    return PredicateParser.parse(condition).bind(TYPE).test(ROW);
  }

  @Test
  void readsComparisonsOfEveryType() {
    assertThat(passes("f0 >= 3 AND f1 = \"x'y\"")).isTrue();
    assertThat(passes("f0 > 3 or f1 == 'x''y'")).isTrue();
    assertThat(passes("f0 = -3")).isFalse();
    assertThat(passes("`f2` = 12.5")).isTrue();
    assertThat(passes("f2 <> 12.50")).isFalse();
    assertThat(passes("f3 < '2024-02-01' and f3 >= '2024-01-31'")).isTrue();
    assertThat(passes("f4 = '2024-01-31 10:00:00.005'")).isTrue();
    assertThat(passes("f4 > '2024-01-31'")).isTrue();
    assertThat(passes("f5 = true")).isTrue();
    assertThat(passes("f7 = '01ff'")).isTrue();
    assertThat(passes("f0 in (1, 2,3)")).isTrue();
    assertThat(passes("f0 NOT IN (1, 2)")).isTrue();
    assertThat(passes("(f0 = 1 OR f0 = 3) AND (f1 IS NOT NULL)")).isTrue();
    assertThat(passes("f0=1 OR f0=3 AND f1='no'")).isFalse();
    // NaN is equal to nothing here, whatever the order of keys makes of it.
    assertThat(passes("f6 = 1.0")).isFalse();
  }

  @Test
  void nullIsNeitherEqualNorUnequal() {
    for (String condition : new String[] {"f0 = 3", "f0 != 3", "f0 IN (3)", "f1 < 'a'"}) {
      assertThat(PredicateParser.parse(condition).bind(TYPE).test(NULLS)).isFalse();
    }
    assertThat(PredicateParser.parse("f0 is null and f6 is null").bind(TYPE).test(NULLS)).isTrue();
  }

  @Test
  void saysWhatIsWrongAndWhere() {
    assertThatThrownBy(() -> PredicateParser.parse("f0 >= "))
        .hasMessageContaining("a number, true, false or a text in quotes is expected")
        .hasMessageContaining("character 7");
    assertThatThrownBy(() -> PredicateParser.parse("f0 = 1 f1 = 2"))
        .hasMessageContaining("nothing more is expected");
    assertThatThrownBy(() -> PredicateParser.parse("f1 = 'x")).hasMessageContaining("no end");
    assertThatThrownBy(() -> PredicateParser.parse("f1 = null")).hasMessageContaining("IS NULL");
    assertThatThrownBy(() -> passes("nope = 1")).hasMessageContaining("nope");
  }

  @Test
  void refusesValuesThatTheColumnCannotHold() {
    for (String condition :
        new String[] {
          "f0 = 3.5",
          "f0 = 99999999999",
          "f0 = 'abc'",
          "f2 = 1.234",
          "f2 = 999999999.00",
          "f3 = '2024-02-30'",
          "f4 = '2024-01-31T10:00:00.0001'",
          "f5 = 'yes'",
          "f7 = 'xyz'"
        }) {
      assertThatThrownBy(() -> passes(condition))
          .as(condition)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining(condition.substring(0, 2));
    }
  }
}
