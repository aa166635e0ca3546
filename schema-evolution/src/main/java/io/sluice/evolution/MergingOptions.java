package io.sluice.evolution;

import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Table options that say how columns merge: they grow with the columns. Pure. */
final class MergingOptions {

  private static final String FIELDS = "fields.";
  private static final String GROUP = ".sequence-group";
  private static final String REMOVE_ON_GROUP = "partial-update.remove-record-on-sequence-group";

  private MergingOptions() {}

  /**
   * Puts a wanted option among those of a table; lists of columns become those of both.
   *
   * @return why it can't be; null if it can
   */
  static @Nullable String follow(Map<String, String> options, String key, String wanted) {
    boolean list = key.equals(REMOVE_ON_GROUP) || key.startsWith(FIELDS) && key.endsWith(GROUP);
    if (!list && !key.startsWith(FIELDS)) {
      return null;
    }
    String there = options.get(key);
    if (there == null || there.equals(wanted)) {
      options.put(key, wanted);
      return null;
    }
    if (!list) {
      return "option "
          + key
          + " is "
          + there
          + " in the lake and "
          + wanted
          + " by the config; rows that were merged by the one can't be merged again by the other."
          + " Take the change back, or send the rows to a new table.";
    }
    Set<String> columns = new LinkedHashSet<>(Arrays.asList(there.split(",")));
    columns.addAll(Arrays.asList(wanted.split(",")));
    options.put(key, String.join(",", columns));
    return null;
  }
}
