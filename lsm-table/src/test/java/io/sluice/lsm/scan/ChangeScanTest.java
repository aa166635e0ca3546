package io.sluice.lsm.scan;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.lsm.snapshot.Snapshot;
import io.sluice.lsm.table.LsmTable;
import io.sluice.lsm.testing.CanonicalRows;
import io.sluice.lsm.testing.Golden;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ChangeScanTest {

  private static List<String> changes(ChangeScan scan) throws IOException {
    List<String> result = new ArrayList<>();
    try (ChangeReader reader = scan.open()) {
      while (reader.advance()) {
        result.add(reader.kind().shortText() + CanonicalRows.of(reader.rowType(), reader.row()));
      }
    }
    return result;
  }

  @ParameterizedTest
  @ValueSource(strings = {"changelog-lookup", "changelog-full-compaction", "first-row"})
  void readsTheChangelogsThatPaimonReads(String name) throws Exception {
    Golden golden = Golden.of(name);
    LsmTable table = golden.open();
    Map<Long, List<String>> expected = new LinkedHashMap<>();
    for (JsonNode changelog : golden.expected().get("changelog")) {
      List<String> rows = new ArrayList<>();
      for (JsonNode row : changelog.get("rows")) {
        Map<String, String> values = new LinkedHashMap<>();
        for (JsonNode column : golden.expected().get("columns")) {
          JsonNode value = row.get(column.get("name").asText());
          values.put(
              column.get("name").asText(), value == null || value.isNull() ? null : value.asText());
        }
        rows.add(row.get("_kind").asText() + values);
      }
      expected.put(changelog.get("snapshotId").asLong(), rows);
    }
    assertThat(expected).isNotEmpty();
    for (long id : table.snapshots().listIds()) {
      assertThat(changes(table.newChangeScan(table.snapshots().read(id))))
          .as("snapshot " + id)
          .isEqualTo(expected.getOrDefault(id, List.of()));
    }
  }

  @Test
  void readsTheRecordsOfAppendsWhereNothingElseIsKept() throws Exception {
    LsmTable table = Golden.of("dedup-orc").open();
    int changes = 0;
    for (long id : table.snapshots().listIds()) {
      Snapshot snapshot = table.snapshots().read(id);
      List<String> read = changes(table.newChangeScan(snapshot));
      switch (snapshot.commitKind()) {
        case APPEND -> assertThat((long) read.size()).isEqualTo(snapshot.deltaRecordCount());
        case COMPACT, OVERWRITE, ANALYZE -> assertThat(read).isEmpty();
      }
      changes += read.size();
    }
    assertThat(changes).isPositive();
  }

  @Test
  void givesTheColumnsAskedForAlsoThoseOfPartitions() throws Exception {
    LsmTable table = Golden.of("partitioned").open();
    Snapshot first = table.snapshots().read(1);
    List<String> all =
        table.newestSchema().rowType().fields().stream().map(field -> field.name()).toList();
    List<String> reversed = new ArrayList<>(all);
    java.util.Collections.reverse(reversed);
    List<Map<String, String>> expected = new ArrayList<>();
    try (ChangeReader reader = table.newChangeScan(first).open()) {
      while (reader.advance()) {
        expected.add(CanonicalRows.of(reader.rowType(), reader.row()));
      }
    }
    assertThat(expected).isNotEmpty();
    try (ChangeReader reader = table.newChangeScan(first).columns(reversed).open()) {
      for (Map<String, String> row : expected) {
        assertThat(reader.advance()).isTrue();
        Map<String, String> read = CanonicalRows.of(reader.rowType(), reader.row());
        assertThat(read.keySet()).containsExactlyElementsOf(reversed);
        assertThat(read).isEqualTo(row);
      }
      assertThat(reader.advance()).isFalse();
    }
  }
}
