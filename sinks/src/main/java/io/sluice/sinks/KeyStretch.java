package io.sluice.sinks;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.lsm.scan.Predicate;
import io.sluice.lsm.scan.Predicate.Comparison;
import io.sluice.lsm.scan.Predicate.Literal;
import io.sluice.lsm.scan.Predicate.Operator;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Keys of a table by the first column of its primary key, an integer.
 *
 * @param column that column
 * @param from smallest value, included; null: from the first key
 * @param to largest value, included; null: to the last key
 */
public record KeyStretch(String column, @Nullable BigInteger from, @Nullable BigInteger to) {

  /** Refuses a stretch that is all keys, or none. */
  public KeyStretch {
    if (from == null && to == null) {
      throw new IllegalArgumentException("All keys of " + column + " are no stretch of keys");
    }
    if (from != null && to != null && from.compareTo(to) > 0) {
      throw new IllegalArgumentException("No " + column + " is from " + from + " to " + to);
    }
  }

  /** The keys as a condition on rows. */
  public Predicate condition() {
    List<Predicate> both = new ArrayList<>();
    if (from != null) {
      both.add(compare(Operator.GREATER_OR_EQUAL, from));
    }
    if (to != null) {
      both.add(compare(Operator.LESS_OR_EQUAL, to));
    }
    return new Predicate.And(both);
  }

  private Predicate compare(Operator operator, BigInteger value) {
    return new Comparison(column, operator, new Literal(value.toString(), false));
  }

  /** Its members: {@code "column":"id","from":"10","to":"20"}; a bound that is null is left out. */
  public void writeTo(ObjectNode node) {
    node.put("column", column);
    if (from != null) {
      node.put("from", from.toString());
    }
    if (to != null) {
      node.put("to", to.toString());
    }
  }

  /**
   * What {@link #writeTo} wrote.
   *
   * @return null if there is no such node
   * @throws IllegalArgumentException it says something else
   */
  public static @Nullable KeyStretch readFrom(JsonNode node) {
    return node.isMissingNode()
        ? null
        : new KeyStretch(node.path("column").asText(), bound(node, "from"), bound(node, "to"));
  }

  private static @Nullable BigInteger bound(JsonNode node, String name) {
    return node.has(name) ? new BigInteger(node.path(name).asText()) : null;
  }

  @Override
  public String toString() {
    return (from == null ? "" : from + " <= ") + column + (to == null ? "" : " <= " + to);
  }
}
