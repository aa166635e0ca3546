package io.sluice.sinks.pipeline;

import io.sluice.lsm.schema.TableSchema;
import io.sluice.lsm.testing.TestFiles;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/** What the source's transactions do to which table. A transaction's rows are one token a table. */
record OrdersScript(List<SortedMap<String, Act>> transactions) {

  enum Act {
    CREATE,
    CREATE_WITH_ROW,
    ROW,
    ALTER_AND_ROW,
    TRUNCATE
  }

  @SafeVarargs
  static OrdersScript of(Map<String, Act>... transactions) {
    List<SortedMap<String, Act>> list = new ArrayList<>();
    for (Map<String, Act> transaction : transactions) {
      list.add(new TreeMap<>(transaction));
    }
    return new OrdersScript(list);
  }

  int end() {
    return transactions.size();
  }

  SortedMap<String, Act> at(int position) {
    return transactions.get(position - 1);
  }

  static String token(int position) {
    return "t" + position;
  }

  TreeSet<String> tables() {
    TreeSet<String> result = new TreeSet<>();
    transactions.forEach(transaction -> result.addAll(transaction.keySet()));
    return result;
  }

  /** The tokens that a table holds when the source stands there. */
  TreeSet<String> expected(String table, int position) {
    TreeSet<String> result = new TreeSet<>();
    for (int at = 1; at <= position; at++) {
      Act act = at(at).get(table);
      if (act == Act.TRUNCATE) {
        result.clear();
      } else if (act != null && act != Act.CREATE) {
        result.add(token(at));
      }
    }
    return result;
  }

  boolean truncates(String table) {
    return transactions.stream().anyMatch(t -> t.get(table) == Act.TRUNCATE);
  }

  /** A table's schema after a transaction. */
  TableSchema schema(String table, int position) {
    int id = 0;
    for (int at = 1; at <= position; at++) {
      id += at(at).get(table) == Act.ALTER_AND_ROW ? 1 : 0;
    }
    TableSchema first = TestFiles.schema(Map.of("manifest.compression", "none"));
    return new TableSchema(
        id,
        first.rowType(),
        first.highestFieldId(),
        first.partitionKeys(),
        first.primaryKeys(),
        first.options(),
        "version " + id,
        first.timeMillis());
  }
}
