package io.sluice.replicator.backfill;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.evolution.SourceColumn;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What a row of a table may take: by it a driver is kept from holding a thousand large ones. */
class RowBytesTest {

  private static SourceColumn column(
      String type, @Nullable Integer length, @Nullable String charset) {
    return new SourceColumn("c", type, length, null, true, charset, List.of(), null);
  }

  @Test
  void countsTextByItsWidestLetters() {
    assertThat(
            LiveTable.rowBytesMax(
                List.of(
                    column("BIGINT", null, null),
                    column("VARCHAR", 255, "latin1"),
                    column("VARBINARY", 1_000, null),
                    column("CHAR", 2, "utf8mb4"))))
        .isEqualTo(32 + 1_020 + 1_000 + 32);
  }

  @Test
  void doesNotOverflow() {
    SourceColumn largest = column("LONGTEXT", Integer.MAX_VALUE, "utf8mb4");
    assertThat(LiveTable.rowBytesMax(List.of(largest, largest))).isEqualTo(8L * Integer.MAX_VALUE);
  }
}
