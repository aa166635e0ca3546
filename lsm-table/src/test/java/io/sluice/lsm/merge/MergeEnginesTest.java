package io.sluice.lsm.merge;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.binary.Boxed;
import io.sluice.lsm.binary.TestRows;
import io.sluice.lsm.error.UnsupportedTableException;
import io.sluice.lsm.row.KeyValue;
import io.sluice.lsm.row.Row;
import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.DataType;
import io.sluice.lsm.schema.DataType.ArrayType;
import io.sluice.lsm.schema.DataType.MapType;
import io.sluice.lsm.schema.DataType.NestedRowType;
import io.sluice.lsm.schema.DataTypeText;
import io.sluice.lsm.schema.RowType;
import io.sluice.lsm.schema.TableSchema;
import io.sluice.lsm.testing.CanonicalRows;
import io.sluice.lsm.testing.PaimonMerge;
import io.sluice.lsm.testing.PaimonMerge.Record;
import io.sluice.lsm.testing.Script;
import java.math.BigDecimal;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Runs the scripts {@code merge/*.txt}: commands, each followed by its expected output behind
 * {@code ----}. {@code -Drewrite=true} writes what comes out into the source file. Whatever comes
 * out, a refusal too, must be what Paimon's own merge functions make of the same records, except
 * where a script says {@code alone}: there we refuse what Paimon answers by chance.
 *
 * <pre>
 * columns name TYPE, ...      the table's columns from here on; NOT NULL ones are the key; INT[] is
 *                             an ARRAY, INT:STRING a MAP, INT|STRING[] an ARRAY of ROW of f0, f1
 * options key=value ...       its options; {@code ~} stands for a blank
 * open [alone]                whether such a table is accepted
 * merge                       lines "+I @5 1 a null": records of one key in the order in which they
 *                             were written, and what they become
 * check                       lines of -U or -D records: whether a writer takes them
 * needs column ...            what is read when these are wanted
 * </pre>
 */
class MergeEnginesTest {

  private List<DataField> columns = List.of();
  private Map<String, String> options = Map.of();

  @ParameterizedTest
  @ValueSource(
      strings = {"deduplicate", "partial-update", "aggregation", "first-row", "nested-update"})
  void mergesAsTheScriptSays(String name) throws Exception {
    Script script = Script.load("merge/" + name + ".txt");
    assertThat(script.run(this::execute)).isEqualTo(script.expected());
  }

  private String execute(List<String> block) {
    String command = block.get(0);
    String rest = command.contains(" ") ? command.substring(command.indexOf(' ') + 1) : "";
    return switch (command.split(" ")[0]) {
      case "columns" -> {
        columns = new ArrayList<>();
        for (String column : rest.split(", ")) {
          String[] parts = column.split(" ", 2);
          columns.add(new DataField(columns.size(), parts[0], type(parts[1])));
        }
        yield "ok";
      }
      case "options" -> {
        options = new LinkedHashMap<>();
        for (String option : rest.split(" ")) {
          options.put(option.split("=")[0], option.split("=", 2)[1].replace('~', ' '));
        }
        yield "ok";
      }
      case "open" -> open(rest.equals("alone"));
      case "merge" -> merge(block.subList(1, block.size()));
      case "check" -> check(block.subList(1, block.size()));
      case "needs" -> String.join(" ", MergeRules.of(schema()).neededFor(List.of(rest.split(" "))));
      default -> throw new AssertionError("No command " + block);
    };
  }

  private static DataType type(String text) {
    if (text.endsWith("[]")) {
      return new ArrayType(type(text.substring(0, text.length() - 2)), true);
    }
    if (text.contains("|")) {
      List<DataField> fields = new ArrayList<>();
      for (String field : text.split("\\|")) {
        fields.add(new DataField(100 + fields.size(), "f" + fields.size(), type(field)));
      }
      return new NestedRowType(fields, true);
    }
    int colon = text.indexOf(':');
    return colon < 0
        ? DataTypeText.parse(text)
        : new MapType(
            DataTypeText.parse(text.substring(0, colon)).withNullable(false),
            DataTypeText.parse(text.substring(colon + 1)),
            true);
  }

  private TableSchema schema() {
    Map<String, String> all = new LinkedHashMap<>(options);
    all.put("bucket", "1");
    all.put("file.format", "orc");
    return new TableSchema(
        0,
        new RowType(columns),
        columns.size() - 1,
        List.of(),
        columns.stream().filter(c -> !c.type().nullable()).map(DataField::name).toList(),
        all,
        null,
        0);
  }

  private String open(boolean alone) {
    String ours = "ok";
    try {
      MergeRules.of(schema()).engine(schema().rowType());
    } catch (UnsupportedTableException e) {
      ours = e.getMessage();
    }
    String paimons = "ok";
    try {
      new PaimonMerge(schema());
    } catch (RuntimeException e) {
      paimons = e.toString();
    }
    assertThat(paimons.equals("ok"))
        .as("%s; Paimon: %s", ours, paimons)
        .isEqualTo(alone || ours.equals("ok"));
    return ours;
  }

  private Record record(String line, RowType type) {
    String[] words = line.split(" ");
    Object[] values = new Object[type.size()];
    for (int i = 0; i < values.length; i++) {
      String word = words[2 + i].replace('_', ' ');
      values[i] = word.equals("null") ? null : value(type.type(i), word);
    }
    RowKind kind =
        List.of(RowKind.values()).stream()
            .filter(k -> k.shortText().equals(words[0]))
            .findFirst()
            .orElseThrow();
    BinaryRow row = TestRows.row(type, values);
    row.setKind(kind);
    return new Record(kind, Long.parseLong(words[1].substring(1)), row);
  }

  private static Object value(DataType type, String text) {
    return switch (type.root()) {
      case TINYINT -> Byte.valueOf(text);
      case SMALLINT -> Short.valueOf(text);
      case INT -> Integer.valueOf(text);
      case BIGINT -> Long.valueOf(text);
      case FLOAT -> Float.valueOf(text);
      case DOUBLE -> Double.valueOf(text);
      case DECIMAL -> new BigDecimal(text);
      case BOOLEAN -> Boolean.valueOf(text);
      case VARCHAR -> text.equals("''") ? "" : text;
      case TIMESTAMP -> LocalDateTime.parse(text);
      case ARRAY -> elements(((ArrayType) type).element(), text.substring(1, text.length() - 1));
      case MAP -> {
        String[] entries = text.substring(1, text.length() - 1).split(",");
        String keys = Stream.of(entries).map(e -> e.split(":")[0]).collect(joining(","));
        String values = Stream.of(entries).map(e -> e.split(":")[1]).collect(joining(","));
        yield new Boxed.Entries(
            elements(((MapType) type).key(), keys), elements(((MapType) type).value(), values));
      }
      case ROW -> {
        List<Object> fields = new ArrayList<>();
        String[] words = text.split("\\|");
        for (int i = 0; i < words.length; i++) {
          fields.add(elements(((NestedRowType) type).fields().get(i).type(), words[i]).get(0));
        }
        yield fields;
      }
      default -> throw new AssertionError(type);
    };
  }

  private static List<Object> elements(DataType type, String text) {
    List<Object> elements = new ArrayList<>();
    for (String word : text.isEmpty() ? new String[0] : text.split(",")) {
      Object value = word.equals("null") ? null : value(type, word);
      elements.add(
          value instanceof String string
              ? TestRows.utf8(string)
              : value instanceof Integer number ? number.longValue() : value);
    }
    return elements;
  }

  private String merge(List<String> lines) {
    TableSchema schema = schema();
    List<Record> records = lines.stream().map(line -> record(line, schema.rowType())).toList();
    Map<String, String> paimons = null;
    RuntimeException refusal = null;
    try {
      paimons = new PaimonMerge(schema).merge(records);
    } catch (RuntimeException e) {
      refusal = e;
    }
    try {
      Map<String, String> ours = merge(schema, records);
      assertThat(refusal).as("Paimon refuses what we make %s", ours).isNull();
      assertThat(ours).isEqualTo(paimons);
      return ours == null ? "nothing" : text(ours);
    } catch (UnsupportedTableException e) {
      assertThat(refusal).as(e.getMessage()).isNotNull();
      return e.getMessage();
    }
  }

  private static String text(Map<String, String> row) {
    StringBuilder text = new StringBuilder();
    row.forEach(
        (column, value) ->
            text.append(text.isEmpty() ? "" : " ")
                .append(column.equals("_sequence") ? "@" : "")
                .append(value == null ? "null" : value.isEmpty() ? "''" : value.replace(' ', '_')));
    return text.toString();
  }

  /** What our engine makes of records; null if nothing. */
  static Map<String, String> merge(TableSchema schema, List<Record> records) {
    MergeRules.Engine engine = MergeRules.of(schema).engine(schema.rowType());
    KeyValue[] sorted =
        records.stream().map(View::new).sorted(engine.order()).toArray(KeyValue[]::new);
    KeyValue result =
        sorted.length == 1 ? sorted[0] : engine.function().merge(sorted, sorted.length);
    if (result == null) {
      return null;
    }
    Map<String, String> texts = new LinkedHashMap<>();
    texts.put("_kind", result.kind().shortText());
    texts.put("_sequence", Long.toString(result.sequenceNumber()));
    texts.putAll(CanonicalRows.of(schema.rowType(), result.row()));
    return texts;
  }

  private record View(Record record) implements KeyValue {
    @Override
    public long sequenceNumber() {
      return record.sequence();
    }

    @Override
    public RowKind kind() {
      return record.kind();
    }

    @Override
    public Row row() {
      return record.row();
    }
  }

  private String check(List<String> lines) {
    TableSchema schema = schema();
    RetractCheck check = new RetractCheck(MergeRules.of(schema), schema.rowType());
    List<String> answers = new ArrayList<>();
    for (String line : lines) {
      try {
        check.check(record(line, schema.rowType()).row());
        answers.add("taken");
      } catch (UnsupportedTableException e) {
        answers.add(e.getMessage());
      }
    }
    return String.join("\n", answers);
  }
}
