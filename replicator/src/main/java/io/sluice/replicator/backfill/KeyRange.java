package io.sluice.replicator.backfill;

import io.sluice.sinks.KeyStretch;
import java.math.BigInteger;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Keys above {@code from} up to and with {@code to}, in the server's order.
 *
 * @param from key texts, one per chunk key column, or of the first of them only: then all keys that
 *     begin with it are below; null: from the first key
 * @param to in the same way, with all keys that begin with it; null: to the last key
 */
record KeyRange(@Nullable List<String> from, @Nullable List<String> to) {

  static final KeyRange ALL = new KeyRange(null, null);

  /** The range of the keys, which is cut by their column first. */
  static KeyRange of(KeyStretch keys) {
    BigInteger from = keys.from();
    BigInteger to = keys.to();
    return new KeyRange(
        from == null ? null : List.of(from.subtract(BigInteger.ONE).toString()),
        to == null ? null : List.of(to.toString()));
  }

  KeyRange {
    from = from == null ? null : List.copyOf(from);
    to = to == null ? null : List.copyOf(to);
  }
}
