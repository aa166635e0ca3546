package io.sluice.lsm.testing;

import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.binary.Boxed;
import io.sluice.lsm.binary.ColumnBounds.Moment;
import io.sluice.lsm.binary.TestRows;
import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.DataType;
import io.sluice.lsm.schema.DataType.NestedRowType;
import io.sluice.lsm.schema.DataTypes;
import io.sluice.lsm.schema.MergeEngine;
import io.sluice.lsm.schema.RowType;
import io.sluice.lsm.schema.TableSchema;
import java.math.BigDecimal;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A table with a random merge engine and random options of it, and random rows for it.
 *
 * <p>Columns, in a random order: k the key; a, b, n and s1 make the group of s1; c, d, s2 and t2
 * that of (s2, t2); the others are in no group.
 */
public final class RandomMergeTable {

  private static int nestedIds = 100;

  /** How far options and rows go. */
  public enum Nature {
    /**
     * The result is the same wherever flushes and compactions lie, as long as records come with
     * growing numbers and {@link #tameKind} is heeded.
     */
    TAME,
    /** Whatever can be merged; the result may depend on what is merged first. */
    WILD
  }

  private static final Map<String, DataType> COLUMNS = new TreeMap<>();

  static {
    COLUMNS.put("k", DataTypes.INT.withNullable(false));
    COLUMNS.put("a", DataTypes.STRING);
    COLUMNS.put("b", DataTypes.BIGINT);
    COLUMNS.put("s1", DataTypes.INT);
    COLUMNS.put("c", DataTypes.INT);
    COLUMNS.put("d", DataTypes.STRING);
    COLUMNS.put("s2", DataTypes.SMALLINT);
    COLUMNS.put("t2", DataTypes.timestamp(6));
    COLUMNS.put("bool", DataTypes.BOOLEAN);
    COLUMNS.put("dec", DataTypes.decimal(10, 2));
    COLUMNS.put("large", DataTypes.decimal(30, 3));
    COLUMNS.put("real", DataTypes.DOUBLE);
    COLUMNS.put("text", DataTypes.STRING);
    COLUMNS.put("list", new DataType.ArrayType(DataTypes.STRING, true));
    COLUMNS.put("dates", new DataType.ArrayType(DataTypes.timestamp(6), true));
    COLUMNS.put("n", rows(DataTypes.INT, DataTypes.STRING, DataTypes.BIGINT));
    COLUMNS.put("rows", rows(DataTypes.STRING, DataTypes.decimal(30, 3), DataTypes.timestamp(6)));
    COLUMNS.put(
        "deep",
        rows(
            DataTypes.SMALLINT,
            DataTypes.DOUBLE,
            new DataType.ArrayType(DataTypes.STRING, true),
            new NestedRowType(
                List.of(new DataField(nestedIds++, "inner", DataTypes.STRING)), true)));
    COLUMNS.put(
        "map", new DataType.MapType(DataTypes.INT.withNullable(false), DataTypes.STRING, true));
  }

  private static DataType rows(DataType... types) {
    List<DataField> fields = new ArrayList<>();
    for (DataType type : types) {
      fields.add(new DataField(nestedIds++, "f" + fields.size(), type));
    }
    return new DataType.ArrayType(new NestedRowType(fields, true), true);
  }

  private static final List<String> GROUP1 = List.of("a", "b", "n");
  private static final List<String> GROUP2 = List.of("c", "d");
  private static final List<String> GROUPED = List.of("a", "b", "n", "s1", "c", "d", "s2", "t2");

  private final Random random;
  private final Nature nature;
  private final MergeEngine engine;
  private final Map<String, String> options = new LinkedHashMap<>();
  private TableSchema schema;
  private boolean grouped;
  private boolean sequenceField;
  private boolean retracts;
  private boolean removals;

  public RandomMergeTable(Random random, Nature nature, Map<String, String> moreOptions) {
    this.random = random;
    this.nature = nature;
    this.engine = MergeEngine.values()[random.nextInt(4)];
    options.put("merge-engine", engine.text());
    options.put("file.format", "orc");
    options.put("bucket", "1");
    switch (engine) {
      case DEDUPLICATE -> deduplicate();
      case PARTIAL_UPDATE -> partialUpdate();
      case AGGREGATION -> aggregation();
      case FIRST_ROW -> {
        options.put("ignore-delete", Boolean.toString(random.nextBoolean()));
        retracts = options.get("ignore-delete").equals("true");
      }
    }
    options.putAll(moreOptions);
    List<DataField> fields = new ArrayList<>();
    List<String> names = new ArrayList<>(COLUMNS.keySet());
    Collections.shuffle(names, random);
    for (String name : names) {
      fields.add(new DataField(fields.size(), name, COLUMNS.get(name)));
    }
    this.schema =
        new TableSchema(
            0, new RowType(fields), nestedIds, List.of(), List.of("k"), options, null, 0);
  }

  public TableSchema schema() {
    return schema;
  }

  public MergeEngine engine() {
    return engine;
  }

  private boolean wild() {
    return nature == Nature.WILD;
  }

  private void sequenceField() {
    sequenceField = true;
    options.put("sequence.field", random.nextBoolean() ? "s1" : "s2,t2");
    options.put("sequence.field.sort-order", random.nextBoolean() ? "ascending" : "descending");
  }

  private void deduplicate() {
    if (random.nextBoolean()) {
      sequenceField();
    }
    retracts = wild() || !sequenceField;
    if (random.nextInt(4) == 0) {
      options.put("ignore-delete", "true");
      retracts = true;
    } else if (random.nextInt(4) == 0) {
      options.put("ignore-update-before", "true");
    }
  }

  private void partialUpdate() {
    grouped = random.nextInt(3) > 0;
    if (wild() && random.nextInt(3) == 0) {
      sequenceField();
    }
    if (!grouped) {
      if (random.nextBoolean()) {
        options.put("partial-update.remove-record-on-delete", "true");
        retracts = wild();
        removals = true;
      } else if (random.nextBoolean()) {
        options.put("partial-update.ignore-delete", "true");
        retracts = true;
      }
      return;
    }
    options.put("fields.s1.sequence-group", String.join(",", GROUP1));
    options.put("fields.s2,t2.sequence-group", String.join(",", GROUP2));
    retracts = wild();
    if (random.nextBoolean()) {
      options.put("partial-update.remove-record-on-sequence-group", "s1");
      removals = true;
    }
    for (String member : List.of("a", "b", "c", "d", "n")) {
      if (random.nextBoolean()) {
        function(member, wild() ? functions(member) : commutative(member));
      }
    }
    if (random.nextBoolean()) {
      options.put("fields.text.aggregate-function", "last_non_null_value");
    }
  }

  private void aggregation() {
    if (wild() && random.nextInt(3) == 0) {
      sequenceField();
    }
    if (random.nextInt(3) == 0) {
      options.put("aggregation.remove-record-on-delete", "true");
      removals = true;
    } else {
      retracts = random.nextBoolean();
    }
    for (String column : COLUMNS.keySet()) {
      boolean sequence = options.getOrDefault("sequence.field", "").contains(column);
      if (!column.equals("k") && !sequence) {
        function(column, functions(column));
      }
    }
  }

  private void function(String column, List<String> functions) {
    List<String> possible = new ArrayList<>(functions);
    if (!wild()) {
      if (retracts) {
        possible.remove("last_value");
      }
      if (removals) {
        possible.removeAll(List.of("first_value", "first_non_null_value"));
      }
    }
    if (possible.isEmpty()) {
      return;
    }
    String function = possible.get(random.nextInt(possible.size()));
    String prefix = "fields." + column + ".";
    options.put(prefix + "aggregate-function", function);
    boolean takesAway =
        List.of("sum", "last_value", "last_non_null_value", "collect", "merge_map", "nested_update")
            .contains(function);
    if (function.equals("collect")) {
      // The order of a hash set depends on what is merged first.
      boolean rows = ((DataType.ArrayType) COLUMNS.get(column)).element() instanceof NestedRowType;
      takesAway &= !rows;
      options.put(prefix + "distinct", Boolean.toString(wild() && !rows && random.nextBoolean()));
    }
    if (function.equals("listagg")) {
      options.put(
          prefix + "list-agg-delimiter",
          List.of(",", "; ", wild() ? "" : "|").get(random.nextInt(3)));
      options.put(prefix + "distinct", Boolean.toString(random.nextBoolean()));
    }
    if (function.startsWith("nested_")) {
      takesAway &= nested(column, function);
    }
    boolean ignores = !takesAway || (wild() ? random.nextInt(3) == 0 : !function.equals("sum"));
    // Aggregation tables that remove records admit none that ignores retracts.
    if ((retracts || removals)
        && ignores
        && !options.containsKey("aggregation.remove-record-on-delete")) {
      options.put(prefix + "ignore-retract", "true");
    }
  }

  /** Options of a function over nested rows; whether it can take rows away again. */
  private boolean nested(String column, String function) {
    String prefix = "fields." + column + ".";
    boolean keyed = !function.equals("nested_update") || random.nextInt(3) > 0;
    if (keyed) {
      options.put(prefix + "nested-key", List.of("f0", "f1", "f2,f0").get(random.nextInt(3)));
    }
    if (wild() && function.equals("nested_update") && random.nextInt(3) == 0) {
      options.put(prefix + "count-limit", Integer.toString(random.nextInt(6)));
    }
    return keyed || !column.equals("deep");
  }

  private static List<String> commutative(String column) {
    return switch (COLUMNS.get(column).root()) {
      case VARCHAR -> List.of("max", "min");
      // Of a late row's elements those that are there already win: it matters who meets first.
      case ARRAY -> List.of();
      default -> List.of("sum", "max", "min", "product");
    };
  }

  private List<String> functions(String column) {
    List<String> result =
        new ArrayList<>(
            List.of("last_value", "last_non_null_value", "first_value", "first_non_null_value"));
    switch (COLUMNS.get(column).root()) {
      case BOOLEAN -> result.addAll(List.of("bool_and", "bool_or"));
      case VARCHAR -> result.addAll(List.of("max", "min", "listagg", "listagg", "listagg"));
      case TIMESTAMP -> result.addAll(List.of("max", "min"));
      case ARRAY -> {
        if (((DataType.ArrayType) COLUMNS.get(column)).element() instanceof NestedRowType) {
          result.addAll(List.of("nested_update", "nested_update", "nested_update", "collect"));
          result.addAll(List.of("nested_update", "nested_update"));
          if (wild()) {
            // The order of its rows depends on what is merged first.
            result.addAll(List.of("nested_partial_update", "nested_partial_update"));
          }
        } else {
          result.addAll(List.of("collect", "collect", "collect", "collect"));
        }
      }
      case MAP -> result.addAll(List.of("merge_map", "merge_map", "merge_map"));
      case DECIMAL -> result.addAll(List.of("max", "min", "sum", "sum"));
      default -> result.addAll(List.of("max", "min", "sum", "sum", "product"));
    }
    if (wild() && COLUMNS.get(column).root() == io.sluice.lsm.schema.TypeRoot.DECIMAL) {
      result.add("product");
    }
    return result;
  }

  /**
   * Adds a column, or drops one that is in no group and has no function of its own.
   *
   * @return the next schema, which rows have from now on; null if what retracts do to a further
   *     column would depend on what is merged first
   */
  public @Nullable TableSchema changeSchema() {
    if (!wild() && engine == MergeEngine.AGGREGATION && retracts) {
      return null;
    }
    List<DataField> fields = new ArrayList<>(schema.rowType().fields());
    List<DataField> loose =
        fields.stream()
            .filter(field -> !GROUPED.contains(field.name()) && !field.name().equals("k"))
            // Paimon reads old snapshots with old columns, but with the newest options.
            .filter(field -> !options.containsKey("fields." + field.name() + ".aggregate-function"))
            .toList();
    int highest = schema.highestFieldId();
    if (!loose.isEmpty() && fields.size() > 10 && random.nextInt(3) == 0) {
      fields.remove(loose.get(random.nextInt(loose.size())));
    } else {
      highest++;
      DataType type = COLUMNS.get(List.of("a", "b", "t2", "large").get(random.nextInt(4)));
      fields.add(
          random.nextInt(fields.size() + 1), new DataField(highest, "added" + highest, type));
    }
    schema =
        new TableSchema(
            schema.id() + 1,
            new RowType(fields),
            highest,
            List.of(),
            List.of("k"),
            options,
            null,
            schema.timeMillis() + 1);
    return schema;
  }

  // -------------------------------------------------------------- rows

  /** Any kind that the table takes. */
  public RowKind kind() {
    int dice = random.nextInt(8);
    if (dice == 0 && (retracts || removals)) {
      return RowKind.DELETE;
    }
    if (dice == 1 && retracts) {
      return RowKind.UPDATE_BEFORE;
    }
    return dice < 5 ? RowKind.INSERT : RowKind.UPDATE_AFTER;
  }

  /**
   * A kind that keeps a tame table tame.
   *
   * @param inserted whether the key has had a +I or +U
   */
  public RowKind tameKind(boolean inserted) {
    RowKind kind = kind();
    boolean sums = engine == MergeEngine.AGGREGATION && !removals;
    return kind.isRetract() && sums && !inserted ? RowKind.INSERT : kind;
  }

  /** Whether a -D takes a row away so that a later record of the key must be flushed apart. */
  public boolean partsFlushes(RowKind kind) {
    return removals && kind == RowKind.DELETE;
  }

  /**
   * A row.
   *
   * @param sequence grows; the sequence column of a group that removes records follows it
   */
  public BinaryRow row(RowKind kind, int key, long sequence) {
    Object[] values = new Object[schema.rowType().size()];
    boolean emptied = !wild() && partsFlushes(kind);
    for (int i = 0; i < values.length; i++) {
      DataField field = schema.rowType().field(i);
      if (field.name().equals("k")) {
        values[i] = key;
      } else if (!wild() && removals && grouped && field.name().equals("s1")) {
        values[i] = (int) sequence;
      } else if (!emptied && random.nextInt(3) > 0) {
        values[i] = value(field.type());
      }
    }
    if (!wild() && removals && grouped) {
      leaveOutGroup2(values);
    }
    BinaryRow row = TestRows.row(schema.rowType(), values);
    row.setKind(kind);
    return row;
  }

  /**
   * A row of a key whose -D a compaction has dropped stays as it is, with members of a group that
   * it says nothing of; beside the -D they are left out.
   */
  private void leaveOutGroup2(@Nullable Object[] values) {
    int[] at = schema.rowType().positions(List.of("s2", "t2", "c", "d"));
    if (values[at[0]] == null && values[at[1]] == null) {
      values[at[2]] = null;
      values[at[3]] = null;
    }
  }

  private Object value(DataType type) {
    return switch (type.root()) {
      case BOOLEAN -> random.nextBoolean();
      case SMALLINT -> (short) random.nextInt(4);
      case INT -> random.nextInt(7) - 3;
      case BIGINT -> random.nextInt(5) == 0 ? random.nextLong() : random.nextInt(5);
      case DOUBLE -> (double) (random.nextInt(5) - 2);
      case DECIMAL ->
          BigDecimal.valueOf(
              random.nextInt(2000) - 1000,
              ((io.sluice.lsm.schema.DataType.DecimalType) type).scale());
      case VARCHAR -> List.of("", "x", "y", "z", "longer than seven").get(random.nextInt(5));
      case ARRAY -> {
        List<Object> elements = new ArrayList<>();
        for (int i = random.nextInt(4); i > 0; i--) {
          elements.add(
              random.nextInt(5) == 0 ? null : boxed(((DataType.ArrayType) type).element()));
        }
        yield elements;
      }
      case MAP -> {
        Map<Object, Object> entries = new LinkedHashMap<>();
        for (int i = random.nextInt(4); i > 0; i--) {
          entries.put(
              (long) random.nextInt(4), random.nextBoolean() ? null : boxed(DataTypes.STRING));
        }
        yield new Boxed.Entries(
            new ArrayList<>(entries.keySet()), new ArrayList<>(entries.values()));
      }
      case TIMESTAMP -> LocalDateTime.of(2024, 1, 1, 0, 0, 0, random.nextInt(3) * 1000);
      default -> throw new AssertionError(type);
    };
  }

  private Object boxed(DataType type) {
    if (type instanceof NestedRowType row) {
      List<Object> fields = new ArrayList<>();
      row.fields()
          .forEach(field -> fields.add(random.nextInt(4) == 0 ? null : boxed(field.type())));
      return fields;
    }
    Object value = value(type);
    if (value instanceof String text) {
      return TestRows.utf8(text);
    }
    if (value instanceof LocalDateTime time) {
      return new Moment(time.toInstant(ZoneOffset.UTC).toEpochMilli(), time.getNano() % 1_000_000);
    }
    return value instanceof Integer || value instanceof Short
        ? ((Number) value).longValue()
        : value;
  }

  /** Some of the columns, in a random order. */
  public List<String> someColumns() {
    List<String> names =
        new ArrayList<>(schema.rowType().fields().stream().map(DataField::name).toList());
    Collections.shuffle(names, random);
    return names.subList(0, 1 + random.nextInt(names.size()));
  }

  @Override
  public String toString() {
    return nature
        + " "
        + options
        + " "
        + Arrays.toString(schema.rowType().fields().stream().map(DataField::name).toArray());
  }
}
