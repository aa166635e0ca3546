package io.sluice.replicator.backfill;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Keys above {@code from} up to and with {@code to}, in the server's order.
 *
 * @param from key texts, one per chunk key column; null: from the first key
 * @param to null: to the last key
 */
record KeyRange(@Nullable List<String> from, @Nullable List<String> to) {

  static final KeyRange ALL = new KeyRange(null, null);

  KeyRange {
    from = from == null ? null : List.copyOf(from);
    to = to == null ? null : List.copyOf(to);
  }
}
