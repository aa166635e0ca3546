package io.sluice.lsm.binary;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.lsm.schema.DataTypes;
import io.sluice.lsm.schema.RowType;
import io.sluice.lsm.schema.StatsMode;
import java.math.BigDecimal;
import java.time.LocalDateTime;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class ColumnStatsCollectorTest {

  private static final RowType TYPE =
      TestRows.type(
          DataTypes.INT,
          DataTypes.STRING,
          DataTypes.DOUBLE,
          DataTypes.decimal(20, 2),
          DataTypes.timestamp(6),
          DataTypes.BYTES);

  private static List<Object> values(byte[] stats) {
    return TestRows.values(TYPE, BinaryRow.deserialize(stats));
  }

  @Test
  void findsBoundsAndCountsNulls() {
    ColumnStatsCollector collector = new ColumnStatsCollector(TYPE);
    LocalDateTime at = LocalDateTime.of(2024, 1, 1, 0, 0, 0, 1000);
    collector.add(TestRows.row(TYPE, 3, "\uFFFF", 1.5, new BigDecimal("-1.50"), at, new byte[9]));
    collector.add(TestRows.row(TYPE, -7, "\uD83D\uDE00", null, null, null, null));
    collector.add(
        TestRows.row(TYPE, 0, null, 0.0, new BigDecimal("900.00"), at.minusNanos(1000), null));
    ColumnStats stats = collector.stats(StatsMode.truncate(16));
    // Unsigned UTF-8 order: U+FFFF comes before U+1F600.
    assertThat(values(stats.minValues()))
        .isEqualTo(
            Arrays.asList(-7, "\uFFFF", -0.0, new BigDecimal("-1.50"), at.minusNanos(1000), null));
    assertThat(values(stats.maxValues()))
        .isEqualTo(Arrays.asList(3, "\uD83D\uDE00", 1.5, new BigDecimal("900.00"), at, null));
    assertThat(stats.nullCounts()).containsExactly(0L, 1L, 1L, 1L, 1L, 2L);
  }

  @Test
  void knowsNoBoundsOfAColumnWithNaN() {
    ColumnStatsCollector collector = new ColumnStatsCollector(TestRows.type(DataTypes.DOUBLE));
    for (Double value : new Double[] {1.0, Double.NaN, 2.0}) {
      collector.add(TestRows.row(TestRows.type(DataTypes.DOUBLE), value));
    }
    assertThat(collector.bounds(0)).isEqualTo(new ColumnBounds(0L, null, null));
  }

  private static String reduced(String min, String max) {
    ColumnBounds bounds =
        new ColumnBounds(0L, TestRows.utf8(min), TestRows.utf8(max)).reduced(StatsMode.truncate(4));
    return bounds.min() == null
        ? "none"
        : new String((byte[]) bounds.min(), java.nio.charset.StandardCharsets.UTF_8)
            + ".."
            + new String((byte[]) bounds.max(), java.nio.charset.StandardCharsets.UTF_8);
  }

  @Test
  void cutsTextsByCharacterAndRaisesTheLargest() {
    assertThat(reduced("abcd", "abcd")).isEqualTo("abcd..abcd");
    assertThat(reduced("abcde", "abcde")).isEqualTo("abcd..abce");
    assertThat(reduced("üßäöü", "\uD83D\uDE00\uD83D\uDE00\uD83D\uDE00\uD83D\uDE00x"))
        .isEqualTo("üßäö..\uD83D\uDE00\uD83D\uDE00\uD83D\uDE00\uD83D\uDE01");
    String last = new String(Character.toChars(Character.MAX_CODE_POINT));
    assertThat(reduced("a", "ab" + last + last + "x")).isEqualTo("a..ac");
    assertThat(reduced("a", last.repeat(5))).isEqualTo("none");
    // No character lies between U+D7FF and U+E000.
    assertThat(reduced("a", "abc\uD7FFx")).isEqualTo("a..abc\uE000");
  }

  @Test
  void keepsOnlyWhatAModeAsksFor() {
    ColumnBounds bounds = new ColumnBounds(2L, 1L, 5L);
    assertThat(bounds.reduced(StatsMode.NONE).isEmpty()).isTrue();
    assertThat(bounds.reduced(StatsMode.COUNTS)).isEqualTo(new ColumnBounds(2L, null, null));
    assertThat(bounds.reduced(StatsMode.FULL)).isEqualTo(bounds);
  }
}
