package io.sluice.config;

import io.sluice.config.WidePart.OnDelete;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Reads {@code nested} of a wide table's part. */
final class WideArrayReader {

  private WideArrayReader() {}

  static Optional<WideArray> read(Section nested) {
    String column = nested.required("column", "Name the column: column = items.");
    List<String> key = nested.has("key") ? nested.strings("key") : List.of();
    if (key.isEmpty()) {
      nested.problem(
          "key",
          "nothing tells the elements of a row apart.",
          "Name the fields that do: key = [item_id].");
    }
    Map<String, String> columns = nested.has("columns") ? nested.texts("columns") : Map.of();
    for (String field : key) {
      if (!columns.containsKey(field)) {
        nested.problem(
            "columns",
            "key field " + field + " is not filled.",
            "Say which field of the source it comes from: columns { " + field + " = FIELD }.");
      }
    }
    if (columns.containsKey(WideArray.DELETED)) {
      nested.problem(
          "columns",
          WideArray.DELETED + " is the field that says whether an element is deleted.",
          "Give the field another name.");
    }
    Map<String, String> types = nested.has("types") ? nested.texts("types") : Map.of();
    for (String field : types.keySet()) {
      if (!columns.containsKey(field)) {
        nested.problem("types", field + " is no field of an element.", "Correct its name.");
      }
    }
    for (String field : columns.keySet()) {
      if (!types.containsKey(field)) {
        nested.problem(
            "types",
            "no type is given for " + field + ".",
            "Give all of them: an array's type can't grow later. E.g. types { "
                + field
                + " = BIGINT }.");
      }
    }
    return column.isEmpty() || key.isEmpty()
        ? Optional.empty()
        : Optional.of(new WideArray(column, key, columns, types));
  }

  /** What can't stand beside an array in its part. */
  static void checkPart(
      Section part,
      WideArray array,
      List<String> key,
      Map<String, String> columns,
      Set<String> aggregated,
      OnDelete onDelete) {
    if (columns.containsKey(array.column()) || key.contains(array.column())) {
      part.problem(
          "nested",
          "column " + array.column() + " is filled by columns, too.",
          "Give the array a column of its own.");
    }
    for (String column : columns.keySet()) {
      if (!key.contains(column) && !aggregated.contains(column)) {
        part.problem(
            "columns",
            column + " would hold the value of any of the rows that are elements.",
            "Put it into nested, or give it a function in aggregate.");
      }
    }
    if (part.has("sequence")) {
      part.problem(
          "sequence",
          "the table format can't tell which of two versions of an element is newer.",
          "Take it out; versions of an element must come in order, so in one partition.");
    }
    if (onDelete == OnDelete.DELETE_ROW) {
      part.problem(
          "on-delete",
          "the wide row would go with one of its elements.",
          "Write clear (only the element goes) or ignore.");
    }
  }

  /** Elements are in order of arrival, which only one pipeline knows. */
  static void checkRule(Section rule, Collection<WidePart> parts) {
    boolean elements = parts.stream().anyMatch(part -> part.nested().isPresent());
    if (elements && parts.stream().anyMatch(WidePart::isElsewhere)) {
      rule.problem(
          "from",
          "a part has nested, and another pipeline fills a part: its compactions would mix up"
              + " versions of elements.",
          "Fill all parts of this table by one pipeline, or send the elements to a table of their"
              + " own.");
    }
  }
}
