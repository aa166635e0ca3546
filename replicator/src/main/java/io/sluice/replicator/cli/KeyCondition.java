package io.sluice.replicator.cli;

import io.sluice.lsm.scan.Predicate;
import io.sluice.lsm.scan.PredicateParser;
import io.sluice.sinks.KeyStretch;
import java.math.BigInteger;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A condition on rows that is a stretch of keys, such as {@code id >= 1000 AND id < 2000}. */
final class KeyCondition {

  private @Nullable String column;
  private @Nullable BigInteger from;
  private @Nullable BigInteger to;

  private KeyCondition() {}

  /**
   * @throws CommandFailedException saying what is wrong: USAGE
   */
  static KeyStretch parse(String text) {
    KeyCondition condition = new KeyCondition();
    try {
      condition.add(PredicateParser.parse(text));
      String named = condition.column;
      if (named == null) {
        throw new IllegalArgumentException("It says nothing of a column");
      }
      return new KeyStretch(named, condition.from, condition.to);
    } catch (IllegalArgumentException e) {
      throw new CommandFailedException(
          ExitCode.USAGE,
          "--where takes comparisons (=, <, <=, >, >=) of the first column of the primary key with"
              + " whole numbers, joined by AND, e.g. 'id >= 1000 AND id < 2000'. "
              + e.getMessage()
              + ": "
              + text);
    }
  }

  private void add(Predicate predicate) {
    if (predicate instanceof Predicate.And and) {
      List<Predicate> terms = and.terms();
      terms.forEach(this::add);
    } else if (predicate instanceof Predicate.Comparison comparison) {
      compare(comparison);
    } else {
      throw new IllegalArgumentException("It is no such comparison");
    }
  }

  private void compare(Predicate.Comparison comparison) {
    if (column != null && !column.equals(comparison.column())) {
      throw new IllegalArgumentException(
          "It names two columns, " + column + " and " + comparison.column());
    }
    column = comparison.column();
    if (comparison.value().quoted() || !comparison.value().text().matches("[+-]?[0-9]+")) {
      throw new IllegalArgumentException(comparison.value() + " is no whole number");
    }
    BigInteger value = new BigInteger(comparison.value().text());
    switch (comparison.operator()) {
      case EQUAL -> {
        atLeast(value);
        atMost(value);
      }
      case GREATER_OR_EQUAL -> atLeast(value);
      case GREATER -> atLeast(value.add(BigInteger.ONE));
      case LESS_OR_EQUAL -> atMost(value);
      case LESS -> atMost(value.subtract(BigInteger.ONE));
      case NOT_EQUAL -> throw new IllegalArgumentException("!= leaves two stretches of keys");
    }
  }

  private void atLeast(BigInteger value) {
    from = from == null ? value : from.max(value);
  }

  private void atMost(BigInteger value) {
    to = to == null ? value : to.min(value);
  }
}
