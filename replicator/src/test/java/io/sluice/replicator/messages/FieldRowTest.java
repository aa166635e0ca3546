package io.sluice.replicator.messages;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class FieldRowTest {

  @Test
  void growsByFieldsOfEveryKind() {
    for (int kind = 0; kind < 4; kind++) {
      FieldRow row = new FieldRow();
      FieldRow other = new FieldRow();
      other.addInstant("other", 5, 6);
      for (int i = 0; i < 100; i++) {
        switch (kind) {
          case 0 -> row.addTimestamp("f", i, i + 1);
          case 1 -> row.addInstant("f", i, i + 1);
          case 2 -> row.addLong("f", i);
          default -> row.addFrom("f", other, 0);
        }
      }
      assertThat(row.size()).isEqualTo(100);
      for (int i = 0; i < 100; i++) {
        assertThat(row.longValue(i)).isEqualTo(kind == 3 ? 5 : i);
        if (kind != 2) {
          assertThat(row.nanosOfMilli(i)).isEqualTo(kind == 3 ? 6 : i + 1);
        }
      }
    }
  }
}
