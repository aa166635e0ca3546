package io.sluice.config;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigObject;
import com.typesafe.config.ConfigResolveOptions;
import com.typesafe.config.ConfigValue;
import com.typesafe.config.ConfigValueFactory;
import com.typesafe.config.ConfigValueType;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** One reading of one file: from text to {@link SluiceConfig}, gathering problems on the way. */
final class ConfigReader {

  private static final Pattern PIPELINE = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_-]{0,63}");
  private static final long SERVER_ID_MAX = 4_294_967_295L;
  private static final Duration HOUR = Duration.ofHours(1);

  private final Path file;
  private final Map<String, String> env;
  private final ConfigText text;
  private final Problems problems;
  private final KafkaReader kafka = new KafkaReader(this::password);

  ConfigReader(Path file, Map<String, String> env) {
    this.file = file;
    this.env = env;
    this.text = new ConfigText();
    this.problems = new Problems(file, text);
  }

  SluiceConfig read() throws ConfigProblemsException {
    Config reference =
        ConfigFactory.parseResources(ConfigReader.class.getClassLoader(), "reference.conf");
    Config own = parse();
    ConfigObject root = own.root();
    for (Map.Entry<String, ConfigValue> entry : root.entrySet()) {
      if (!entry.getKey().equals("sluice")) {
        problems.unknownKey(entry.getValue().origin(), "", entry.getKey(), List.of("sluice"));
      }
    }
    ConfigValue sluice = root.get("sluice");
    if (sluice == null || sluice.valueType() != ConfigValueType.OBJECT) {
      problems.missing("sluice", "Put all settings into a block: sluice { ... }.");
      throw problems.exception();
    }
    KnownKeys.check((ConfigObject) sluice, reference.getObject("sluice"), problems);
    Section section =
        new Section("sluice", own.getConfig("sluice"), reference.getConfig("sluice"), problems);
    SluiceConfig config = sluice(section);
    problems.throwIfAny();
    return config;
  }

  private Config parse() throws ConfigProblemsException {
    if (!Files.isRegularFile(file)) {
      problems.add(null, "", "there is no such file.", "Give the path of a config file with -c.");
      throw problems.exception();
    }
    try {
      Config parsed = text.parse(file);
      Config environment = ConfigValueFactory.fromMap(env, "environment").toConfig();
      return parsed.resolveWith(
          parsed.withFallback(environment),
          ConfigResolveOptions.defaults().setUseSystemEnvironment(false));
    } catch (ConfigException.UnresolvedSubstitution e) {
      problems.add(
          e.origin(),
          "",
          "a substitution refers to what is neither in the file nor in the environment: "
              + Problems.reason(e),
          "Set the variable, or write ${?NAME} where it may be missing.");
      throw problems.exception();
    } catch (ConfigException e) {
      String reason =
          text.mayHoldSecret(e.origin())
              ? "(not told, for it might show the password)."
              : Problems.reason(e);
      problems.add(
          e.origin(),
          "",
          "not valid HOCON: " + reason,
          "Correct the text there; what holds special characters goes into double quotes.");
      throw problems.exception();
    } catch (IOException e) {
      problems.add(
          null,
          "",
          "the file can't be read (" + e.getClass().getSimpleName() + ").",
          "It must be text in UTF-8, readable for the daemon's user.");
      throw problems.exception();
    }
  }

  private SluiceConfig sluice(Section section) {
    String pipeline = section.required("pipeline", "Name it, e.g. pipeline = shop.");
    if (!pipeline.isEmpty() && !PIPELINE.matcher(pipeline).matches()) {
      section.problem(
          "pipeline",
          "\"" + pipeline + "\" can't be a pipeline's name.",
          "Use 1 to 64 letters, digits, - and _, beginning with a letter or digit.");
    }
    String warehouse = warehouse(section);
    SourceConfig source = source(section.section("source"), pipeline);
    return new SluiceConfig(
        pipeline,
        warehouse,
        section.duration("commit-interval", Duration.ofMillis(50), HOUR),
        section.duration("idle-interval", Duration.ofSeconds(1), HOUR),
        section.autoInt("workers", 1, 1024),
        section.autoInt("compaction-threads", 1, 1024),
        memory(section.section("memory")),
        source,
        new TablesReader(problems, kafka, source.type()).read(section.section("tables")),
        badRecords(section, source.type()),
        section.choice("on-table-error", TableErrorPolicy.class),
        retention(section.section("retention")),
        http(section.section("http")));
  }

  private String warehouse(Section section) {
    String text = section.required("warehouse", "Give a path, e.g. warehouse = \"file:///lake\".");
    String path = text;
    if (text.matches("[A-Za-z][A-Za-z0-9+.-]*:.*")) {
      if (!text.startsWith("file:/")) {
        section.problem(
            "warehouse",
            "\"" + text + "\" is not on the local file system.",
            "This version writes to local disks only: use file:///path or an absolute path.");
        return "";
      }
      path = text.substring("file:".length());
      if (path.startsWith("//") && !path.startsWith("///")) {
        section.problem(
            "warehouse", "\"" + text + "\" names a host.", "Write three slashes: file:///path.");
        return "";
      }
    }
    if (text.isEmpty()) {
      return "";
    }
    try {
      Path normal = Path.of(path.replaceFirst("^/{2,}", "/"));
      // A relative path means the same wherever the daemon is started from.
      Path base = file.toAbsolutePath().getParent();
      return (base == null ? normal : base.resolve(normal)).normalize().toString();
    } catch (InvalidPathException e) {
      section.problem("warehouse", "\"" + text + "\" is no path.", "Give an absolute path.");
      return "";
    }
  }

  private static MemoryConfig memory(Section section) {
    return new MemoryConfig(
        section.autoBytes("memtables", 1 << 20),
        section.bytes("queue", 1 << 16),
        section.integer("remembered-deletes", 1_000, 100_000_000));
  }

  private static BadRecordPolicy badRecords(Section section, SourceType type) {
    return type == SourceType.KAFKA
        ? section.autoChoice(
            "on-bad-record", BadRecordPolicy.class, null, BadRecordPolicy.DEAD_LETTER)
        : section.autoChoice(
            "on-bad-record",
            BadRecordPolicy.class,
            BadRecordPolicy.DEAD_LETTER,
            BadRecordPolicy.FAIL);
  }

  private SourceConfig source(Section section, String pipeline) {
    SourceType type = section.requiredChoice("type", SourceType.class);
    for (String key : section.keys()) {
      boolean ofKafka = KnownKeys.KAFKA.contains(key);
      if (!key.equals("type") && ofKafka != (type == SourceType.KAFKA)) {
        section.problem(
            key,
            "a source of type " + section.string("type") + " has no such setting.",
            "Take it out, or correct source.type.");
      }
    }
    return type == SourceType.KAFKA ? kafka.source(section, pipeline) : database(section, type);
  }

  private DatabaseSourceConfig database(Section section, SourceType type) {
    List<TablePattern> include = section.patterns("include");
    if (include.isEmpty() && section.isEmptyList("include")) {
      section.problem(
          "include", "no table is included.", "List patterns, e.g. include = [\"shop.*\"].");
    }
    ZoneId zone = ZoneOffset.UTC;
    String zoneText = section.string("server-time-zone");
    try {
      zone = ZoneId.of(zoneText);
    } catch (DateTimeException e) {
      section.problem(
          "server-time-zone",
          "\"" + zoneText + "\" is no time zone.",
          "Write a name such as UTC, Europe/Berlin or +02:00.");
    }
    OptionalLong serverId = section.autoLong("server-id", 1, SERVER_ID_MAX);
    return new DatabaseSourceConfig(
        type,
        connection(section),
        include,
        section.patterns("exclude"),
        zone,
        serverId,
        section.choice("zero-dates", ZeroDatePolicy.class),
        backfill(section.section("backfill")),
        section.texts("debezium"));
  }

  private ConnectionConfig connection(Section section) {
    Section connect = section.section("connect");
    return new ConnectionConfig(
        section.required("host", "Give the server's name or address."),
        section.integer("port", 1, 65_535),
        section.required("user", "Give the user that the daemon logs in as."),
        password(section),
        connect.duration("timeout", Duration.ofMillis(100), HOUR),
        connect.duration("read-timeout", Duration.ofSeconds(1), HOUR),
        connect.choice("tls", TlsMode.class),
        connect.texts("properties"));
  }

  private Optional<Secret> password(Section section) {
    Optional<String> password = section.optional("password");
    Optional<String> passwordFile = section.optional("password-file");
    if (password.isPresent() && passwordFile.isPresent()) {
      section.problem(
          "password-file", "password is given, too.", "Keep one of password and password-file.");
    }
    if (passwordFile.isEmpty()) {
      return password.map(Secret::new);
    }
    Path base = file.toAbsolutePath().getParent();
    Path path = Path.of(passwordFile.get());
    try {
      String text =
          Files.readString(base == null ? path : base.resolve(path), StandardCharsets.UTF_8);
      return Optional.of(new Secret(text.replaceFirst("\\r?\\n\\z", "")));
    } catch (IOException e) {
      section.problem(
          "password-file",
          "\"" + path + "\" can't be read (" + e.getClass().getSimpleName() + ").",
          "Give the path of a file that holds nothing but the password and is readable for the"
              + " daemon's user.");
      return Optional.empty();
    }
  }

  private static BackfillConfig backfill(Section section) {
    return new BackfillConfig(
        section.integer("readers", 1, 64), section.integer("chunk-rows", 1, 10_000_000));
  }

  private static RetentionConfig retention(Section section) {
    RetentionConfig retention =
        new RetentionConfig(
            section.duration("time", Duration.ZERO, Duration.ofDays(3650)),
            section.integer("snapshots-max", 1, Integer.MAX_VALUE),
            section.integer("snapshots-min", 1, Integer.MAX_VALUE));
    if (retention.snapshotsMin() > retention.snapshotsMax()) {
      section.problem(
          "snapshots-min",
          retention.snapshotsMin()
              + " is more than snapshots-max, "
              + retention.snapshotsMax()
              + ".",
          "Make it at most snapshots-max.");
    }
    return retention;
  }

  private static HttpConfig http(Section section) {
    Duration readyFreshness =
        section.duration("ready-freshness", Duration.ofSeconds(1), Duration.ofDays(1));
    String listen = section.string("listen");
    if (listen.equals("off") || listen.equals("false")) {
      return new HttpConfig(false, "", 0, readyFreshness);
    }
    int colon = listen.lastIndexOf(':');
    String host = colon > 0 ? listen.substring(0, colon) : "";
    String port = listen.substring(colon + 1);
    if (host.startsWith("[") && host.endsWith("]")) {
      host = host.substring(1, host.length() - 1);
    }
    if (host.isEmpty() || !port.matches("\\d{1,5}") || Integer.parseInt(port) > 65_535) {
      section.problem(
          "listen",
          "\"" + listen + "\" is no address and port.",
          "Write e.g. 127.0.0.1:9300, [::1]:9300, 0.0.0.0:9300, or off.");
      return new HttpConfig(false, "", 0, readyFreshness);
    }
    return new HttpConfig(true, host, Integer.parseInt(port), readyFreshness);
  }

  /** Reads {@code tables}, whose rules have keys of their own. */
  private record TablesReader(Problems problems, KafkaReader kafka, SourceType type) {

    TablesConfig read(Section section) {
      Section defaults = section.section("defaults");
      String format = defaults.string("file-format");
      if (!List.of("orc", "parquet", "avro").contains(format)) {
        defaults.problem(
            "file-format",
            "\"" + format + "\" can't be written.",
            "There are orc, parquet and avro.");
      }
      TableDefaults standard =
          new TableDefaults(
              defaults.autoInt("bucket", 1, 32_768),
              defaults.bytes("bucket-size", 1 << 20),
              format,
              defaults.texts("options"),
              defaults.bool("tinyint1-as-boolean"));
      if (type == SourceType.KAFKA) {
        return kafka.tables(section, standard);
      }
      List<TableRule> rules = new ArrayList<>();
      List<WideRule> wide = new ArrayList<>();
      for (Section rule : section.sections("rules", KnownKeys.RULE)) {
        if (WideReader.isWide(rule)) {
          WideReader.read(rule, WideReader.Sources.TABLES).ifPresent(wide::add);
        } else {
          rule(rule).ifPresent(rules::add);
        }
      }
      return new TablesConfig(standard, rules, List.of(), wide);
    }

    private Optional<TableRule> rule(Section rule) {
      for (String key : List.of("primary-key", "merge-engine", "types")) {
        if (rule.has(key)) {
          rule.problem(key, "it belongs to a rule with from.", "Take it out.");
        }
      }
      if (rule.has("computed")) {
        rule.problem(
            "computed", "computed columns are not available in this version.", "Take it out.");
      }
      Optional<TablePattern> match =
          rule.pattern("match", rule.required("match", "Give the pattern of its tables."));
      Optional<TableRule.LakeName> into = rule.optional("into").flatMap(text -> into(rule, text));
      boolean auto = rule.optional("bucket").filter("auto"::equals).isPresent();
      OptionalInt buckets =
          rule.has("bucket") ? rule.autoInt("bucket", 1, 32_768) : OptionalInt.empty();
      if (match.isPresent()
          && into.isPresent()
          && !into.get().table().equals("*")
          && !match.get().isLiteral()) {
        rule.problem(
            "into",
            "several tables may match, and would become one.",
            "This version doesn't merge tables: name one table in match, or write * for the table"
                + " in into, which keeps each one's own name.");
      }
      @Nullable Boolean asBoolean =
          rule.has("tinyint1-as-boolean") ? (Boolean) rule.bool("tinyint1-as-boolean") : null;
      List<String> partitionBy =
          rule.has("partition-by") ? rule.strings("partition-by") : List.of();
      return match.map(
          pattern ->
              new TableRule(
                  pattern,
                  into,
                  buckets,
                  auto,
                  partitionBy,
                  rule.has("options") ? rule.texts("options") : Map.of(),
                  asBoolean));
    }

    private static Optional<TableRule.LakeName> into(Section rule, String text) {
      int dot = text.indexOf('.');
      if (dot <= 0 || dot == text.length() - 1 || dot != text.lastIndexOf('.')) {
        rule.problem(
            "into",
            "\"" + text + "\" names no lake table.",
            "Write database.table; * on either side keeps the source's own name.");
        return Optional.empty();
      }
      return Optional.of(new TableRule.LakeName(text.substring(0, dot), text.substring(dot + 1)));
    }
  }
}
