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

  /** Data files take about half of what the server's do. */
  private static final long SOURCE_BYTES_PER_LAKE_BYTE = 2;

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

  /** Wide tables; each part of each counts that matches a table. */
  public List<WideRule> wideRules() {
    return tables.wideRules();
  }

  /** Whether a captured table fills a part of a wide table. */
  public boolean fillsPart(String database, String table) {
    return captures(database, table)
        && tables.wideRules().stream()
            .flatMap(rule -> rule.parts().stream())
            .anyMatch(part -> takes(part, database, table));
  }

  /** Whether a captured table fills this part. */
  public static boolean takes(WidePart part, String database, String table) {
    return part.from().isPresent() && part.from().get().matches(database, table);
  }

  /**
   * The lake table of a wide rule, without the options that follow from its parts.
   *
   * @param size of the largest table that fills a part
   */
  public LakeTarget target(WideRule rule, SourceSize size) {
    TableDefaults defaults = tables.defaults();
    boolean auto = rule.buckets().isEmpty() && defaults.buckets().isEmpty();
    Map<String, String> options = new LinkedHashMap<>(defaults.options());
    options.put("file.format", defaults.fileFormat());
    options.putAll(rule.options());
    return new LakeTarget(
        rule.database(),
        rule.table(),
        auto
            ? autoBuckets(rule.partitionBy(), size, defaults.bucketBytes())
            : rule.buckets().orElse(defaults.buckets().orElse(1)),
        auto ? reason(rule.partitionBy(), size) : "",
        rule.partitionBy(),
        options,
        defaults.tinyIntOneAsBoolean());
  }

  /**
   * Where a table goes that is copied as it is; empty if it is not captured, or if it fills a part
   * of a wide table and no rule names a table of its own for it.
   *
   * @param size what {@code bucket = auto} goes by
   */
  public Optional<LakeTarget> target(String database, String table, SourceSize size) {
    if (!captures(database, table)) {
      return Optional.empty();
    }
    Optional<TableRule> rule =
        tables.rules().stream().filter(each -> each.match().matches(database, table)).findFirst();
    if (rule.isEmpty() && fillsPart(database, table)) {
      return Optional.empty();
    }
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
    List<String> partitionBy = rule.map(TableRule::partitionBy).orElse(List.of());
    Boolean asBoolean = rule.map(TableRule::tinyIntOneAsBoolean).orElse(null);
    return Optional.of(
        new LakeTarget(
            rule.flatMap(TableRule::into)
                .map(into -> own(into.database(), database))
                .orElse(database),
            rule.flatMap(TableRule::into).map(into -> own(into.table(), table)).orElse(table),
            auto ? autoBuckets(partitionBy, size, defaults.bucketBytes()) : buckets,
            auto ? reason(partitionBy, size) : "",
            partitionBy,
            options,
            asBoolean == null ? defaults.tinyIntOneAsBoolean() : asBoolean));
  }

  private static String own(String name, String sourceName) {
    return name.equals("*") ? sourceName : name;
  }

  /**
   * What {@code bucket = auto} picks: as many buckets as make each of them about as large as is
   * wanted, at least one, at most 128; one in each partition of a table that has some, since nobody
   * knows how many there will be. A table's number never changes by itself.
   *
   * @param bucketBytes wanted size of a bucket
   */
  static int autoBuckets(List<String> partitionBy, SourceSize size, long bucketBytes) {
    long lakeBytes = size.bytesAtLeast() / SOURCE_BYTES_PER_LAKE_BYTE;
    long wanted = partitionBy.isEmpty() ? (lakeBytes + bucketBytes - 1) / bucketBytes : 1;
    return (int) Math.max(1, Math.min(BUCKETS_MAX, wanted));
  }

  private static String reason(List<String> partitionBy, SourceSize size) {
    if (!partitionBy.isEmpty()) {
      return "auto: one in each partition";
    }
    if (size.bytesAtLeast() == 0) {
      return "auto: the source tells no size";
    }
    long mib = (size.bytesAtLeast() + (1 << 20) - 1) >> 20;
    return "auto: about " + mib + " MiB in the source";
  }
}
