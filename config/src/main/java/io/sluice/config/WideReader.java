package io.sluice.config;

import io.sluice.config.WidePart.OnDelete;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;

/** Reads rules with {@code from}: wide tables. */
final class WideReader {

  private static final String OPTIONS =
      "Options of groups and functions follow from the parts: take it out of options.";

  /** What the parts of this pipeline come from. */
  enum Sources {
    TOPICS,
    TABLES
  }

  /** Functions that a row may run through again, as it does while its table is copied. */
  private static final Set<String> REPEATABLE = Set.of("last_value", "last_non_null_value");

  private WideReader() {}

  /** Whether a rule is of this kind. */
  static boolean isWide(Section rule) {
    return rule.has("from");
  }

  static Optional<WideRule> read(Section rule, Sources sources) {
    for (String key : rule.keys()) {
      if (!KnownKeys.WIDE_RULE.contains(key)) {
        rule.problem(key, "a rule with from has no such key.", "Take it out.");
      }
    }
    String into = rule.required("into", "Name the wide table: into = \"dwd.order_wide\".");
    int dot = into.indexOf('.');
    if (!into.isEmpty() && (dot <= 0 || dot == into.length() - 1)) {
      rule.problem("into", "\"" + into + "\" names no lake table.", "Write database.table.");
      return Optional.empty();
    }
    if (!rule.optional("merge-engine").orElse("partial-update").equals("partial-update")) {
      rule.problem(
          "merge-engine", "parts of one row are merged by partial-update.", "Take it out.");
    }
    List<String> key = rule.has("primary-key") ? rule.strings("primary-key") : List.of();
    if (key.isEmpty()) {
      rule.problem(
          "primary-key", "a wide table needs one.", "Write e.g. primary-key = [order_id].");
    }
    Map<String, String> types = rule.has("types") ? rule.texts("types") : Map.of();
    List<WidePart> parts = parts(rule, key, sources);
    Map<String, String> options = rule.has("options") ? rule.texts("options") : Map.of();
    for (String option : options.keySet()) {
      if (option.startsWith("fields.")
          || option.startsWith("partial-update.")
          || option.equals("merge-engine")
          || option.equals("ignore-delete")) {
        rule.problem("options", option + " can't be set.", OPTIONS);
      }
    }
    checkTypes(rule, key, types, parts);
    WideArrayReader.checkRule(rule, parts);
    if (parts.isEmpty() || into.isEmpty()) {
      return Optional.empty();
    }
    OptionalInt buckets =
        rule.has("bucket") ? rule.autoInt("bucket", 1, 32_768) : OptionalInt.empty();
    return Optional.of(
        new WideRule(
            into.substring(0, dot),
            into.substring(dot + 1),
            key,
            buckets,
            rule.has("partition-by") ? rule.strings("partition-by") : List.of(),
            types,
            parts,
            options));
  }

  private static List<WidePart> parts(Section rule, List<String> key, Sources sources) {
    List<WidePart> result = new ArrayList<>();
    Set<String> names = new HashSet<>();
    Map<String, String> owners = new LinkedHashMap<>();
    for (Section part : rule.sections("from", KnownKeys.WIDE_PART)) {
      part(part, key, sources)
          .ifPresent(
              read -> {
                if (!names.add(read.name())) {
                  part.problem(
                      "name",
                      "another part is called " + read.name() + ", too.",
                      "Give each part a name of its own.");
                }
                Set<String> filled = new LinkedHashSet<>(read.columns().keySet());
                read.nested().ifPresent(array -> filled.add(array.column()));
                for (String column : filled) {
                  String other = key.contains(column) ? null : owners.put(column, read.name());
                  if (other != null) {
                    part.problem(
                        "columns",
                        "column " + column + " is filled by part " + other + ", too.",
                        "A column belongs to one part.");
                  }
                }
                result.add(read);
              });
    }
    if (result.isEmpty() && rule.isEmptyList("from")) {
      rule.problem("from", "there is no part.", "Write from = [ { match = ..., columns {...} } ].");
    }
    return result;
  }

  private static Optional<WidePart> part(Section part, List<String> key, Sources sources) {
    boolean elsewhere = part.has("elsewhere") && part.bool("elsewhere");
    boolean topics = sources == Sources.TOPICS;
    String text =
        elsewhere
            ? ""
            : part.required("match", "Give the pattern of its " + (topics ? "topics." : "tables."));
    Optional<TopicPattern> match =
        topics ? KafkaReader.topic(part, "match", text) : Optional.empty();
    if (part.has("table") && (elsewhere || !topics)) {
      part.problem("table", "only a part that comes from topics has it.", "Take it out.");
    }
    if (elsewhere && part.has("match")) {
      part.problem(
          "match", "another pipeline fills this part.", "Keep one of match and elsewhere.");
    }
    String name = part.required("name", "Name the part: its hidden columns are called by it.");
    if (!name.isEmpty() && !name.matches("[A-Za-z0-9_]{1,64}")) {
      part.problem("name", "\"" + name + "\" can't be a part's name.", "Use letters and digits.");
    }
    Map<String, String> columns = part.has("columns") ? part.texts("columns") : Map.of();
    for (String column : key) {
      if (!columns.containsKey(column)) {
        part.problem(
            "columns",
            "key column " + column + " is not filled.",
            "Say which field it comes from: columns { " + column + " = FIELD }.");
      }
    }
    Map<String, String> aggregates = part.has("aggregate") ? part.texts("aggregate") : Map.of();
    for (String column : aggregates.keySet()) {
      if (!columns.containsKey(column) || key.contains(column)) {
        part.problem(
            "aggregate", column + " is no column of this part.", "Name one of its columns.");
      }
    }
    if (!topics && !elsewhere) {
      for (Map.Entry<String, String> each : aggregates.entrySet()) {
        if (!REPEATABLE.contains(each.getValue())) {
          part.problem(
              "aggregate",
              each.getValue()
                  + " of "
                  + each.getKey()
                  + ": a database's rows are copied while they change, and would count twice.",
              "There are last_value and last_non_null_value. Add up when you read, or send the"
                  + " table's changes through a topic.");
        }
      }
    }
    Optional<WideArray> nested =
        part.block("nested", KnownKeys.WIDE_ARRAY).flatMap(WideArrayReader::read);
    OnDelete onDelete = onDelete(part);
    if (nested.isPresent()) {
      WideArrayReader.checkPart(part, nested.get(), key, columns, aggregates.keySet(), onDelete);
      if (!topics) {
        part.problem(
            "nested",
            "rows of a database's tables can't be elements yet.",
            "Send the table's changes through a topic.");
      }
    }
    Optional<TablePattern> from =
        topics
            ? elsewhere
                ? Optional.empty()
                : part.optional("table").flatMap(each -> part.pattern("table", each))
            : part.pattern("match", text);
    return name.isEmpty() || !topics && !elsewhere && from.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new WidePart(
                name,
                match,
                from,
                columns,
                part.has("sequence") ? part.strings("sequence") : List.of(),
                onDelete,
                aggregates,
                nested));
  }

  private static OnDelete onDelete(Section part) {
    String text = part.optional("on-delete").orElse("clear");
    try {
      return OnDelete.valueOf(text.toUpperCase(Locale.ROOT).replace('-', '_'));
    } catch (IllegalArgumentException e) {
      part.problem(
          "on-delete", "\"" + text + "\" is not possible.", "Write clear, delete-row or ignore.");
      return OnDelete.CLEAR;
    }
  }

  /** Two pipelines must make the very same table, whichever comes first. */
  private static void checkTypes(
      Section rule, List<String> key, Map<String, String> types, List<WidePart> parts) {
    Set<String> columns = new LinkedHashSet<>(key);
    for (WidePart part : parts) {
      columns.addAll(part.columns().keySet());
      columns.addAll(part.fieldColumns());
    }
    for (String column : types.keySet()) {
      if (!columns.contains(column)) {
        rule.problem("types", column + " is a column of no part.", "Correct its name.");
      }
    }
    Set<String> missing = new TreeSet<>(columns);
    missing.removeAll(types.keySet());
    if (parts.stream().anyMatch(WidePart::isElsewhere) && !missing.isEmpty()) {
      rule.problem(
          "types",
          "another pipeline fills a part, and no type is given for "
              + String.join(", ", missing)
              + ".",
          "Give all types, in the same rule of each pipeline, so that each makes the same table.");
    }
  }
}
