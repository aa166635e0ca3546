package io.sluice.it.values;

import io.sluice.evolution.SourceColumn;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One column.
 *
 * @param ddl its definition
 * @param type as SourceColumn has it
 * @param values SQL literal to the lake value's text; null: only sameness is asked for
 * @param firstRow position among all rows, by id, of its first value
 */
record ValueCase(
    String ddl,
    String type,
    @Nullable Integer length,
    @Nullable Integer scale,
    @Nullable String charset,
    List<String> labels,
    Map<String, @Nullable String> values,
    int firstRow) {

  SourceColumn column(String name) {
    return new SourceColumn(
        name, type, length, scale, !ddl.contains("NOT NULL"), charset, labels, null);
  }

  List<@Nullable String> wanted() {
    return new ArrayList<>(values.values());
  }

  /** Pairs of literal and wanted text. */
  static Map<String, @Nullable String> pairs(@Nullable String... pairs) {
    Map<String, @Nullable String> result = new LinkedHashMap<>();
    for (int i = 0; i < pairs.length; i += 2) {
      result.put(String.valueOf(pairs[i]), pairs[i + 1]);
    }
    return result;
  }
}
