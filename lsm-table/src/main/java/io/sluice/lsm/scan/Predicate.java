package io.sluice.lsm.scan;

import io.sluice.lsm.schema.RowType;
import java.util.List;

/**
 * A condition on rows by column names and values in text, such as {@link PredicateParser} makes. As
 * in SQL a comparison with null is not true. Immutable.
 */
public sealed interface Predicate {

  /** How a value compares. */
  enum Operator {
    EQUAL("="),
    NOT_EQUAL("!="),
    LESS("<"),
    LESS_OR_EQUAL("<="),
    GREATER(">"),
    GREATER_OR_EQUAL(">=");

    private final String text;

    Operator(String text) {
      this.text = text;
    }

    String text() {
      return text;
    }
  }

  /**
   * A value in text.
   *
   * @param quoted whether it stood in quotes: text, dates and times do, numbers and true do not
   */
  record Literal(String text, boolean quoted) {
    @Override
    public String toString() {
      return quoted ? "'" + text.replace("'", "''") + "'" : text;
    }
  }

  record Comparison(String column, Operator operator, Literal value) implements Predicate {
    @Override
    public String toString() {
      return column + " " + operator.text() + " " + value;
    }
  }

  record In(String column, List<Literal> values) implements Predicate {
    public In {
      values = List.copyOf(values);
    }
  }

  record IsNull(String column) implements Predicate {}

  record IsNotNull(String column) implements Predicate {}

  record And(List<Predicate> terms) implements Predicate {
    public And {
      terms = List.copyOf(terms);
    }
  }

  record Or(List<Predicate> terms) implements Predicate {
    public Or {
      terms = List.copyOf(terms);
    }
  }

  /**
   * The same condition over the columns of a table.
   *
   * @throws IllegalArgumentException for an unknown column, a column that has no order, or a value
   *     that its type cannot hold; the message says which
   */
  default Filter bind(RowType rowType) {
    return Filter.of(this, rowType);
  }

  static Predicate and(Predicate... terms) {
    return new And(List.of(terms));
  }

  static Predicate or(Predicate... terms) {
    return new Or(List.of(terms));
  }
}
