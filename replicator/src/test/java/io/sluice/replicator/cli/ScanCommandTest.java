package io.sluice.replicator.cli;

import static io.sluice.replicator.cli.CommandLineRun.GOLDEN;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ScanCommandTest {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String ORDERS = GOLDEN + "/dedup-orc/warehouse/default.db/orders";

  private static JsonNode expected(String name) throws IOException {
    return JSON.readTree(GOLDEN.resolve(name).resolve("expected.json").toFile());
  }

  private static List<JsonNode> objects(CommandLineRun run) throws IOException {
    assertThat(run.err()).isEmpty();
    assertThat(run.exitCode()).isZero();
    List<JsonNode> result = new ArrayList<>();
    for (String line : run.lines()) {
      result.add(JSON.readTree(line));
    }
    return result;
  }

  @ParameterizedTest
  @ValueSource(strings = {"dedup-orc", "partitioned", "sequence-field"})
  void canonicalIsWhatPaimonReads(String name) throws IOException {
    JsonNode golden = expected(name);
    List<JsonNode> rows =
        objects(
            CommandLineRun.of(
                "scan",
                GOLDEN.resolve(name) + "/" + golden.get("table").asText(),
                "--format",
                "canonical"));
    assertThat(rows).containsExactlyInAnyOrderElementsOf(golden.get("latest").get("rows"));
  }

  @Test
  void canonicalPrintsEveryTypeAsPaimonDoes() throws IOException {
    JsonNode golden = expected("all-types");
    List<String> columns = new ArrayList<>();
    Set<String> nested = new TreeSet<>();
    for (JsonNode column : golden.get("columns")) {
      String type = column.get("type").toString();
      boolean plain = !type.matches(".*(ARRAY|MAP|MULTISET|ROW|VARIANT).*");
      (plain ? columns : nested).add(column.get("name").asText());
    }
    List<JsonNode> rows =
        objects(
            CommandLineRun.of(
                "scan",
                GOLDEN.resolve("all-types") + "/" + golden.get("table").asText(),
                "--columns",
                String.join(",", columns),
                "--format",
                "canonical"));
    List<JsonNode> expected = new ArrayList<>();
    for (JsonNode row : golden.get("latest").get("rows")) {
      expected.add(((ObjectNode) row.deepCopy()).remove(nested));
    }
    assertThat(columns).hasSizeGreaterThan(15);
    assertThat(rows).containsExactlyInAnyOrderElementsOf(expected);
  }

  @ParameterizedTest
  @ValueSource(strings = {"gone", "cut short", "overwritten"})
  void aDataFileThatIsNotWholeIsNamed(String damage, @TempDir Path folder) throws IOException {
    Path table = copy(Path.of(ORDERS), folder.resolve("t"));
    JsonNode live = expected("dedup-orc").get("liveFiles").get(0);
    Path file = table.resolve(live.get("path").asText()).resolve(live.get("file").asText());
    byte[] content = Files.readAllBytes(file);
    switch (damage) {
      case "gone" -> Files.delete(file);
      case "cut short" -> Files.write(file, Arrays.copyOf(content, content.length / 2));
      default -> {
        Arrays.fill(content, 3, content.length - 1, (byte) 'X');
        Files.write(file, content);
      }
    }

    CommandLineRun run = CommandLineRun.of("scan", table.toString());

    assertThat(run.exitCode()).isEqualTo(4);
    assertThat(run.err()).contains(file.getFileName().toString()).doesNotContain("\tat ");
  }

  @Test
  void timeTravelShowsWhatWasThereThen() throws IOException {
    JsonNode then = expected("dedup-orc").get("timeTravel").get(0);
    List<JsonNode> rows =
        objects(
            CommandLineRun.of(
                "scan",
                ORDERS,
                "--format",
                "canonical",
                "--snapshot",
                then.get("snapshotId").asText()));
    assertThat(rows).containsExactlyInAnyOrderElementsOf(then.get("rows"));
  }

  @Test
  void aTagAndAnEpochNameSnapshots(@TempDir Path folder) throws IOException {
    JsonNode then = expected("dedup-orc").get("timeTravel").get(0);
    Path table = copy(Path.of(ORDERS), folder.resolve("t"));
    Path snapshot = table.resolve("snapshot/snapshot-" + then.get("snapshotId").asText());
    Files.createDirectories(table.resolve("tag"));
    Files.copy(snapshot, table.resolve("tag/tag-month end"));
    ObjectNode json = (ObjectNode) JSON.readTree(snapshot.toFile());
    json.putObject("properties").put("sluice.epoch", "7");
    JSON.writeValue(snapshot.toFile(), json);

    assertThat(
            objects(
                CommandLineRun.of(
                    "scan", table.toString(), "--format", "canonical", "--tag", "month end")))
        .containsExactlyInAnyOrderElementsOf(then.get("rows"));
    assertThat(
            objects(
                CommandLineRun.of(
                    "scan", table.toString(), "--format", "canonical", "--epoch", "8")))
        .containsExactlyInAnyOrderElementsOf(then.get("rows"));
    CommandLineRun before = CommandLineRun.of("scan", table.toString(), "--epoch", "6");
    assertThat(before.exitCode()).isEqualTo(2);
    assertThat(before.err()).contains("a snapshot of epoch 6", "sluice snapshots");
  }

  private static Path copy(Path from, Path to) throws IOException {
    try (var files = Files.walk(from)) {
      for (Path file : files.toList()) {
        Files.copy(file, to.resolve(from.relativize(file).toString()));
      }
    }
    return to;
  }

  @Test
  void jsonLinesHaveNumbersAsNumbersAndDecimalsAsTexts() throws IOException {
    CommandLineRun run =
        CommandLineRun.of(
            "scan",
            ORDERS,
            "--format",
            "jsonl",
            "--limit",
            "1",
            "--columns",
            "updated,amount,order_id");
    assertThat(run.lines())
        .containsExactly(
            "{\"updated\":\"2024-02-01T10:00:00.000\",\"amount\":\"1000.03\",\"order_id\":15}");
  }

  @Test
  void csvHasAHeaderAndTellsEmptyTextFromNull() {
    CommandLineRun run =
        CommandLineRun.of(
            "scan", ORDERS, "--format", "csv", "--columns", "order_id,region", "--limit", "2");
    assertThat(run.out()).isEqualTo("order_id,region\r\n15,\"\"\r\n23,\"\"\r\n");
  }

  @Test
  void rowsAreChosenByACondition() throws IOException {
    CommandLineRun run =
        CommandLineRun.of(
            "scan",
            ORDERS,
            "--format",
            "jsonl",
            "--columns",
            "order_id",
            "--where",
            "order_id >= 15 AND order_id < 32 AND region = ''");
    assertThat(objects(run))
        .extracting(row -> row.get("order_id").asInt())
        .contains(15, 23, 31)
        .allMatch(id -> id >= 15 && id < 32);
  }

  @Test
  void aTableIsFoundByDatabaseAndNameInAWarehouse() {
    String warehouse = GOLDEN + "/dedup-orc/warehouse";
    for (String name : List.of("default.orders", "`default`.`orders`", "default.`orders`")) {
      CommandLineRun run =
          CommandLineRun.of("scan", name, "-w", warehouse, "--limit", "1", "--format", "jsonl");
      assertThat(run.err()).isEmpty();
      assertThat(run.lines()).hasSize(1);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "nowhere | There is no table at",
        "ORDERS --columns nope | nope",
        "ORDERS --where order_id~3 | ~",
        "ORDERS --snapshot 99 | snapshot 99",
        "ORDERS --as-of yesterday | no time",
        "ORDERS --as-of 1999-01-01 | as old as 1999-01-01",
        "ORDERS --tag t | no tag t",
        "ORDERS --epoch 3 | no snapshot of a pipeline",
        "ORDERS --limit -1 | --limit",
        "ORDERS --format xml | xml",
        "ORDERS --snapshot 1 --tag t | mutually exclusive",
        "a.b.c -w /nowhere | There is no table at /nowhere/a.db/b.c or /nowhere/a.b.db/c",
        "a -w /nowhere | names no table",
      })
  void whatCannotBeScannedIsWrongUsageInOneLine(String args, String message) {
    CommandLineRun run = CommandLineRun.of(("scan " + args.replace("ORDERS", ORDERS)).split(" "));
    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.out()).isEmpty();
    assertThat(run.err()).contains(message).doesNotContain("\tat ");
  }

  @Test
  void timesAreUtcUnlessTheySayOtherwise() {
    assertThat(SnapshotArgument.millis("1970-01-02")).isEqualTo(86_400_000);
    assertThat(SnapshotArgument.millis("1970-01-01T00:00:01")).isEqualTo(1000);
    assertThat(SnapshotArgument.millis("1970-01-01 00:00:01.500Z")).isEqualTo(1500);
    assertThat(SnapshotArgument.millis("1970-01-01T01:00:00+01:00")).isZero();
    assertThat(SnapshotArgument.millis("1700000000000")).isEqualTo(1_700_000_000_000L);
  }
}
