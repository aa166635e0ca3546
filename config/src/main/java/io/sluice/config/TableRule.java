package io.sluice.config;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * What holds for the tables that a pattern matches.
 *
 * @param into lake database and table, either may be {@code *}: the source's own name; empty: both
 *     are the source's
 * @param buckets empty: not said here
 * @param bucketsAuto {@code bucket = auto} is said here
 * @param partitionBy columns of the primary key
 * @param options over the defaults' options, key by key
 * @param tinyIntOneAsBoolean null: not said here
 */
public record TableRule(
    TablePattern match,
    Optional<LakeName> into,
    OptionalInt buckets,
    boolean bucketsAuto,
    List<String> partitionBy,
    Map<String, String> options,
    @Nullable Boolean tinyIntOneAsBoolean) {

  public TableRule {
    partitionBy = List.copyOf(partitionBy);
    options = Map.copyOf(options);
  }

  /** A lake table's name; {@code *} stands for the source's own name. */
  public record LakeName(String database, String table) {}
}
