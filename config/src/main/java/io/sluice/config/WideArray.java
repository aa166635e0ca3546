package io.sluice.config;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A column of a wide table whose elements are the rows of a source: an order's items.
 *
 * @param column of the wide table, an array of rows
 * @param key fields of an element that tell it from others of its wide row; at least one
 * @param columns source fields by field of an element, the key's too
 * @param types of all fields of an element in Paimon's words, by name
 */
public record WideArray(
    String column, List<String> key, Map<String, String> columns, Map<String, String> types) {

  /** The field of each element that says whether its row is gone; readers leave such out. */
  public static final String DELETED = "_deleted";

  public WideArray {
    key = List.copyOf(key);
    columns = Collections.unmodifiableMap(new LinkedHashMap<>(columns));
    types = Collections.unmodifiableMap(new LinkedHashMap<>(types));
  }
}
