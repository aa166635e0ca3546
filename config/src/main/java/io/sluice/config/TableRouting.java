package io.sluice.config;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Which source tables are captured and where each goes. Immutable, pure. */
public final class TableRouting {

  /** A server's own databases: never captured, whatever a pattern says. */
  public static final Set<String> SYSTEM_DATABASES =
      Set.of("mysql", "sys", "performance_schema", "information_schema");

  private static final long ROWS_PER_SMALL_BUCKET = 1_000_000;
  private static final long ROWS_PER_BUCKET = 5_000_000;
  private static final long SMALL_BUCKETS_MAX = 4;
  private static final long BUCKETS_MAX = 128;

  private final List<TablePattern> include;
  private final List<TablePattern> exclude;
  private final TablesConfig tables;

  public TableRouting(List<TablePattern> include, List<TablePattern> exclude, TablesConfig tables) {
    this.include = List.copyOf(include);
    this.exclude = List.copyOf(exclude);
    this.tables = tables;
  }

  /** Whether a table is captured. Names are compared exactly, case included. */
  public boolean captures(String database, String table) {
    return !SYSTEM_DATABASES.contains(database)
        && include.stream().anyMatch(pattern -> pattern.matches(database, table))
        && exclude.stream().noneMatch(pattern -> pattern.matches(database, table));
  }

  /** Whether a database may hold captured tables. */
  public boolean mayCapture(String database) {
    return !SYSTEM_DATABASES.contains(database)
        && include.stream().anyMatch(pattern -> pattern.matchesDatabase(database));
  }

  /**
   * Where a table goes; empty if it is not captured.
   *
   * @param estimatedRows what {@code bucket = auto} goes by; 0 if unknown
   */
  public Optional<LakeTarget> target(String database, String table, long estimatedRows) {
    if (!captures(database, table)) {
      return Optional.empty();
    }
    Optional<TableRule> rule =
        tables.rules().stream().filter(each -> each.match().matches(database, table)).findFirst();
    TableDefaults defaults = tables.defaults();
    boolean auto = defaults.buckets().isEmpty();
    int buckets = defaults.buckets().orElse(0);
    if (rule.isPresent() && (rule.get().bucketsAuto() || rule.get().buckets().isPresent())) {
      auto = rule.get().bucketsAuto();
      buckets = rule.get().buckets().orElse(0);
    }
    Map<String, String> options = new LinkedHashMap<>(defaults.options());
    options.put("file.format", defaults.fileFormat());
    rule.ifPresent(found -> options.putAll(found.options()));
    Boolean asBoolean = rule.map(TableRule::tinyIntOneAsBoolean).orElse(null);
    return Optional.of(
        new LakeTarget(
            rule.flatMap(TableRule::into)
                .map(into -> own(into.database(), database))
                .orElse(database),
            rule.flatMap(TableRule::into).map(into -> own(into.table(), table)).orElse(table),
            auto ? autoBuckets(estimatedRows) : buckets,
            auto,
            rule.map(TableRule::partitionBy).orElse(List.of()),
            options,
            asBoolean == null ? defaults.tinyIntOneAsBoolean() : asBoolean));
  }

  private static String own(String name, String sourceName) {
    return name.equals("*") ? sourceName : name;
  }

  /**
   * What {@code bucket = auto} picks: one bucket for each million rows up to four, then one for
   * each five million, at most 128. A table's number never changes by itself.
   */
  public static int autoBuckets(long estimatedRows) {
    long small = Math.min(SMALL_BUCKETS_MAX, ceilDiv(estimatedRows, ROWS_PER_SMALL_BUCKET));
    long large = ceilDiv(estimatedRows, ROWS_PER_BUCKET);
    return (int) Math.max(1, Math.min(BUCKETS_MAX, Math.max(small, large)));
  }

  private static long ceilDiv(long value, long by) {
    return value <= 0 ? 0 : (value - 1) / by + 1;
  }
}
