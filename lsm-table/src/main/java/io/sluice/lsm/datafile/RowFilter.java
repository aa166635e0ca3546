package io.sluice.lsm.datafile;

import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.TableSchema;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A condition that every wanted row of a file fulfils. A reader may leave out parts of the file
 * whose statistics say that none of their rows does; it need not leave out a row that doesn't.
 * Immutable.
 */
public sealed interface RowFilter {

  /** Each of the terms holds; there is at least one. */
  record All(List<RowFilter> terms) implements RowFilter {
    public All {
      terms = List.copyOf(terms);
    }
  }

  /** One of the terms holds; there is at least one. */
  record Any(List<RowFilter> terms) implements RowFilter {
    public Any {
      terms = List.copyOf(terms);
    }
  }

  /**
   * The value is not NULL and lies between two others, which may be it.
   *
   * @param min as an object, see {@link io.sluice.lsm.binary.Boxed}; null: no lower bound
   * @param max likewise; null: no upper bound
   */
  record Between(DataField column, @Nullable Object min, @Nullable Object max)
      implements RowFilter {}

  /** The value is NULL. */
  record IsNull(DataField column) implements RowFilter {}

  /**
   * What must hold of all terms that are known.
   *
   * @param terms null where nothing is known of one
   */
  static @Nullable RowFilter all(List<@Nullable RowFilter> terms) {
    List<RowFilter> known = new ArrayList<>();
    for (RowFilter term : terms) {
      if (term != null) {
        known.add(term);
      }
    }
    return known.isEmpty() ? null : known.size() == 1 ? known.get(0) : new All(known);
  }

  /**
   * What must hold of one term; nothing if one of them is not known.
   *
   * @param terms null where nothing is known of one
   */
  static @Nullable RowFilter any(List<@Nullable RowFilter> terms) {
    List<RowFilter> known = new ArrayList<>();
    for (RowFilter term : terms) {
      if (term == null) {
        return null;
      }
      known.add(term);
    }
    return known.size() == 1 ? known.get(0) : new Any(known);
  }

  /** The same condition with other leaves; null if nothing is left of it. */
  default @Nullable RowFilter mapLeaves(LeafMapping mapping) {
    if (this instanceof All all) {
      List<@Nullable RowFilter> terms = new ArrayList<>();
      all.terms().forEach(term -> terms.add(term.mapLeaves(mapping)));
      return all(terms);
    }
    if (this instanceof Any any) {
      List<@Nullable RowFilter> terms = new ArrayList<>();
      any.terms().forEach(term -> terms.add(term.mapLeaves(mapping)));
      return any(terms);
    }
    return mapping.apply(this);
  }

  /** Gives a condition that follows from a {@link Between} or {@link IsNull}; null: none does. */
  @FunctionalInterface
  interface LeafMapping {
    @Nullable RowFilter apply(RowFilter leaf);
  }

  /**
   * The condition as the columns of a file have it: found by field id (format description section
   * 2.5). Nothing is known of columns that the file lacks or has in another type.
   *
   * @param fileSchema that wrote the file
   */
  default @Nullable RowFilter inFile(TableSchema fileSchema) {
    return mapLeaves(
        leaf -> {
          DataField wanted =
              leaf instanceof Between between ? between.column() : ((IsNull) leaf).column();
          int at = fileSchema.rowType().positionOfId(wanted.id());
          if (at < 0) {
            return null;
          }
          DataField stored = fileSchema.rowType().field(at);
          if (!stored.type().withNullable(true).equals(wanted.type().withNullable(true))) {
            return null;
          }
          return leaf instanceof Between between
              ? new Between(stored, between.min(), between.max())
              : new IsNull(stored);
        });
  }
}
