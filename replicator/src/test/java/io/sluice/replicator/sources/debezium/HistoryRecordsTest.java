package io.sluice.replicator.sources.debezium;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.evolution.SourceTableId;
import java.util.List;
import org.junit.jupiter.api.Test;

class HistoryRecordsTest {

  private static String change(String type, String table, String previous, String... columns) {
    var text = new StringBuilder();
    for (String column : columns) {
      text.append(text.isEmpty() ? "" : ",")
          .append("{\"name\":\"")
          .append(column)
          .append(
              "\",\"typeName\":\"enum\",\"optional\":true,\"enumValues\":[\"'it''s'\",\"'b'\"]}");
    }
    return "{\"type\":\""
        + type
        + "\",\"id\":\"\\\"d\\\".\\\""
        + table
        + "\\\"\""
        + (previous == null ? "" : ",\"previousId\":\"\\\"d\\\".\\\"" + previous + "\\\"\"")
        + (type.equals("DROP")
            ? ""
            : ",\"table\":{\"primaryKeyColumnNames\":[\"a\"],\"columns\":[" + text + "]}")
        + "}";
  }

  private static String record(String ddl, String... changes) {
    return "{\"source\":{\"server\":\"p\"},\"position\":{\"pos\":1},\"databaseName\":\"d\",\"ddl\":\""
        + ddl
        + "\",\"tableChanges\":["
        + String.join(",", changes)
        + "]}";
  }

  private static final List<String> HISTORY =
      List.of(
          record("SET character_set_server=utf8mb4"),
          record("CREATE DATABASE d"),
          record("CREATE TABLE t", change("CREATE", "t", null, "a")),
          record("CREATE TABLE u", change("CREATE", "u", null, "a")),
          record("ALTER TABLE t", change("ALTER", "t", null, "a", "b")),
          record("RENAME TABLE u TO v", change("ALTER", "v", "u", "a")),
          record("CREATE TABLE w", change("CREATE", "w", null, "a")),
          record("DROP TABLE w", change("DROP", "w", null)));

  @Test
  void tellsWhichTablesThereAre() {
    var tables = HistoryRecords.tables(HISTORY);
    assertThat(tables.keySet())
        .containsExactly(new SourceTableId("d", "t"), new SourceTableId("d", "v"));
    assertThat(tables.get(new SourceTableId("d", "t")).columns())
        .extracting(column -> column.name() + " " + column.typeName() + " " + column.labels())
        .containsExactly("a ENUM [it's, b]", "b ENUM [it's, b]");
  }

  @Test
  void foldsToTheSameTables() {
    List<String> folded = HistoryRecords.fold(HISTORY);
    assertThat(folded).hasSize(4);
    assertThat(folded.get(0)).contains("character_set_server");
    assertThat(HistoryRecords.tables(folded)).isEqualTo(HistoryRecords.tables(HISTORY));
    assertThat(HistoryRecords.fold(folded)).isEqualTo(folded);
    assertThat(folded.get(2)).contains("\"type\":\"CREATE\"").doesNotContain("\"ddl\"");
  }

  @Test
  void forgetsADroppedDatabasesTables() {
    var history = new java.util.ArrayList<>(HISTORY);
    history.add(record("DROP DATABASE d"));
    assertThat(HistoryRecords.tables(history)).isEmpty();
    assertThat(HistoryRecords.tables(HistoryRecords.fold(history))).isEmpty();
  }

  @Test
  void readsQuotesInNames() {
    assertThat(HistoryRecords.tableId("\"a\"\"b\".\"c.d\""))
        .isEqualTo(new SourceTableId("a\"b", "c.d"));
  }

  @Test
  void knowsNothingMoreOfADatabaseThatWasLeft() {
    var history = new java.util.ArrayList<>(HISTORY);
    String database = HistoryRecords.databases(HISTORY).iterator().next();
    history.add(HistoryRecords.forgotten(database));
    assertThat(HistoryRecords.databases(history)).doesNotContain(database);
    List<String> folded = HistoryRecords.fold(history);
    assertThat(HistoryRecords.databases(folded)).doesNotContain(database);
    assertThat(HistoryRecords.tables(folded).keySet())
        .noneMatch(table -> table.database().equals(database));
    assertThat(folded).noneMatch(record -> record.contains("DROP DATABASE"));
  }
}
