package io.sluice.lsm.scan;

import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.binary.Boxed;
import io.sluice.lsm.datafile.RowFilter;
import io.sluice.lsm.merge.ColumnComparator;
import io.sluice.lsm.row.Row;
import io.sluice.lsm.scan.Predicate.Operator;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.RowType;
import io.sluice.lsm.schema.TypeRoot;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * A {@link Predicate} bound to the columns of a table: tests rows, and tells whether rows within
 * bounds may pass. One thread at a time.
 */
public abstract class Filter {

  /** What is known of the values of columns before rows are read. */
  interface Bounds {
    /** Null if nothing is known of the column. */
    @Nullable Range range(int column);
  }

  /**
   * All values of a column lie between two others, or are null.
   *
   * @param min holds the smallest at {@code position}; null if all values are null
   * @param max likewise the largest
   */
  record Range(@Nullable Row min, @Nullable Row max, int position, boolean nullsPossible) {}

  private Filter() {}

  /** Whether a row of the table's columns passes. Columns outside {@link #columns} aren't asked. */
  public abstract boolean test(Row row);

  /** False only if no row within the bounds can pass. */
  abstract boolean mayPass(Bounds bounds);

  /**
   * What follows from this condition and looks at these columns only; null: nothing.
   *
   * @param columns tells a position among the table's columns
   */
  abstract @Nullable Filter over(IntPredicate columns);

  /** The condition as readers of files may use it; null: they can't. */
  abstract @Nullable RowFilter forFiles();

  abstract void addColumns(Set<Integer> into);

  /** Value that a column must equal for a row to pass; null if none is known. */
  @Nullable BinaryRow requiredValue(int column) {
    return null;
  }

  /** Positions of the columns that are looked at, ascending. */
  public Set<Integer> columns() {
    Set<Integer> result = new TreeSet<>();
    addColumns(result);
    return result;
  }

  private static List<@Nullable RowFilter> ofTerms(List<Filter> terms) {
    List<@Nullable RowFilter> result = new ArrayList<>();
    terms.forEach(term -> result.add(term.forFiles()));
    return result;
  }

  static Filter of(Predicate predicate, RowType rowType) {
    if (predicate instanceof Predicate.And and) {
      return new All(and.terms().stream().map(term -> of(term, rowType)).toList());
    }
    if (predicate instanceof Predicate.Or or) {
      return new Any(or.terms().stream().map(term -> of(term, rowType)).toList());
    }
    if (predicate instanceof Predicate.In in) {
      List<Filter> terms = new ArrayList<>();
      for (Predicate.Literal value : in.values()) {
        terms.add(new Compare(rowType, in.column(), Operator.EQUAL, value));
      }
      return new Any(terms);
    }
    if (predicate instanceof Predicate.Comparison c) {
      return new Compare(rowType, c.column(), c.operator(), c.value());
    }
    if (predicate instanceof Predicate.IsNull isNull) {
      return new Null(rowType, isNull.column(), true);
    }
    return new Null(rowType, ((Predicate.IsNotNull) predicate).column(), false);
  }

  private static int position(RowType rowType, String column) {
    int position = rowType.position(column);
    if (position < 0) {
      throw new IllegalArgumentException(
          "The condition names the column "
              + column
              + "; the table has "
              + rowType.fields().stream().map(DataField::name).toList());
    }
    return position;
  }

  private static final class Compare extends Filter {
    private final int column;
    private final DataField field;
    private final Operator operator;
    private final BinaryRow value;
    private final ColumnComparator comparator;
    private final boolean floating;

    Compare(RowType rowType, String name, Operator operator, Predicate.Literal literal) {
      this.column = position(rowType, name);
      this.field = rowType.field(column);
      this.operator = operator;
      this.value = Literals.rowOf(field, literal);
      this.comparator = new ColumnComparator(field.type());
      this.floating =
          field.type().root() == TypeRoot.FLOAT || field.type().root() == TypeRoot.DOUBLE;
    }

    @Override
    public boolean test(Row row) {
      if (row.isNullAt(column)) {
        return false;
      }
      if (floating && isNaN(row)) {
        return operator == Operator.NOT_EQUAL;
      }
      int order = comparator.compare(row, column, value, 0);
      return switch (operator) {
        case EQUAL -> order == 0;
        case NOT_EQUAL -> order != 0;
        case LESS -> order < 0;
        case LESS_OR_EQUAL -> order <= 0;
        case GREATER -> order > 0;
        case GREATER_OR_EQUAL -> order >= 0;
      };
    }

    /** NaN equals everything in the order of keys; to a reader it is equal to nothing. */
    private boolean isNaN(Row row) {
      double asDouble =
          comparator.root() == TypeRoot.FLOAT ? row.getFloat(column) : row.getDouble(column);
      return Double.isNaN(asDouble);
    }

    @Override
    boolean mayPass(Bounds bounds) {
      Range range = floating ? null : bounds.range(column);
      if (range == null) {
        return true;
      }
      Row min = range.min();
      Row max = range.max();
      if (min == null || max == null) {
        return false;
      }
      int fromMin = comparator.compare(min, range.position(), value, 0);
      int fromMax = comparator.compare(max, range.position(), value, 0);
      return switch (operator) {
        case EQUAL -> fromMin <= 0 && fromMax >= 0;
        case NOT_EQUAL -> true;
        case LESS -> fromMin < 0;
        case LESS_OR_EQUAL -> fromMin <= 0;
        case GREATER -> fromMax > 0;
        case GREATER_OR_EQUAL -> fromMax >= 0;
      };
    }

    @Override
    @Nullable Filter over(IntPredicate columns) {
      return columns.test(column) ? this : null;
    }

    @Override
    @Nullable RowFilter forFiles() {
      // NaN and -0.0 have no place in the order of floating numbers.
      Object bound = floating ? null : Boxed.read(value, 0, field.type());
      return switch (operator) {
        case EQUAL -> new RowFilter.Between(field, bound, bound);
        case NOT_EQUAL -> new RowFilter.Between(field, null, null);
        case LESS, LESS_OR_EQUAL -> new RowFilter.Between(field, null, bound);
        case GREATER, GREATER_OR_EQUAL -> new RowFilter.Between(field, bound, null);
      };
    }

    @Override
    @Nullable BinaryRow requiredValue(int wanted) {
      return wanted == column && operator == Operator.EQUAL && !floating ? value : null;
    }

    @Override
    void addColumns(Set<Integer> into) {
      into.add(column);
    }
  }

  private static final class Null extends Filter {
    private final int column;
    private final DataField field;
    private final boolean wanted;

    Null(RowType rowType, String name, boolean wanted) {
      this.column = position(rowType, name);
      this.field = rowType.field(column);
      this.wanted = wanted;
    }

    @Override
    @Nullable Filter over(IntPredicate columns) {
      return columns.test(column) ? this : null;
    }

    @Override
    @Nullable RowFilter forFiles() {
      return wanted ? new RowFilter.IsNull(field) : new RowFilter.Between(field, null, null);
    }

    @Override
    public boolean test(Row row) {
      return row.isNullAt(column) == wanted;
    }

    @Override
    boolean mayPass(Bounds bounds) {
      Range range = bounds.range(column);
      return range == null || (wanted ? range.nullsPossible() : range.min() != null);
    }

    @Override
    void addColumns(Set<Integer> into) {
      into.add(column);
    }
  }

  private static final class All extends Filter {
    private final List<Filter> terms;

    All(List<Filter> terms) {
      this.terms = terms;
    }

    @Override
    public boolean test(Row row) {
      for (Filter term : terms) {
        if (!term.test(row)) {
          return false;
        }
      }
      return true;
    }

    @Override
    @Nullable Filter over(IntPredicate columns) {
      List<Filter> left = new ArrayList<>();
      for (Filter term : terms) {
        Filter over = term.over(columns);
        if (over != null) {
          left.add(over);
        }
      }
      return left.isEmpty() ? null : new All(left);
    }

    @Override
    @Nullable RowFilter forFiles() {
      return RowFilter.all(ofTerms(terms));
    }

    @Override
    boolean mayPass(Bounds bounds) {
      return terms.stream().allMatch(term -> term.mayPass(bounds));
    }

    @Override
    @Nullable BinaryRow requiredValue(int column) {
      for (Filter term : terms) {
        BinaryRow value = term.requiredValue(column);
        if (value != null) {
          return value;
        }
      }
      return null;
    }

    @Override
    void addColumns(Set<Integer> into) {
      terms.forEach(term -> term.addColumns(into));
    }
  }

  private static final class Any extends Filter {
    private final List<Filter> terms;

    Any(List<Filter> terms) {
      this.terms = terms;
    }

    @Override
    public boolean test(Row row) {
      for (Filter term : terms) {
        if (term.test(row)) {
          return true;
        }
      }
      return false;
    }

    @Override
    @Nullable Filter over(IntPredicate columns) {
      List<Filter> all = new ArrayList<>();
      for (Filter term : terms) {
        Filter over = term.over(columns);
        if (over == null) {
          return null;
        }
        all.add(over);
      }
      return new Any(all);
    }

    @Override
    @Nullable RowFilter forFiles() {
      return RowFilter.any(ofTerms(terms));
    }

    @Override
    boolean mayPass(Bounds bounds) {
      return terms.stream().anyMatch(term -> term.mayPass(bounds));
    }

    @Override
    void addColumns(Set<Integer> into) {
      terms.forEach(term -> term.addColumns(into));
    }
  }
}
