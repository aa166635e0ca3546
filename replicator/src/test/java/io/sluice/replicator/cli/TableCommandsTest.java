package io.sluice.replicator.cli;

import static io.sluice.replicator.cli.CommandLineRun.GOLDEN;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.DataType;
import io.sluice.lsm.schema.DataTypes;
import io.sluice.lsm.schema.RowType;
import io.sluice.lsm.schema.TableSchema;
import io.sluice.lsm.schema.TableSchemaJson;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TableCommandsTest {

  @TempDir Path folder;

  @Test
  void snapshotsAreListedNewestFirst() {
    CommandLineRun run =
        CommandLineRun.of(
            "snapshots",
            "default.orders",
            "-w",
            GOLDEN + "/dedup-orc/warehouse",
            "--limit",
            "2",
            "--format",
            "jsonl");
    assertThat(run.lines()).hasSize(2);
    assertThat(run.lines().get(0))
        .startsWith("{\"snapshot\":10,\"time\":\"20")
        .contains("\"kind\":\"APPEND\"", "\"user\":\"gen-dedup\"", "\"epoch\":null");
    assertThat(run.lines().get(1)).startsWith("{\"snapshot\":9,");
  }

  @Test
  void tablesTellsWhatAWarehouseHolds() {
    CommandLineRun run =
        CommandLineRun.of(
            "tables", "-w", GOLDEN + "/all-types/warehouse", "--count", "--format", "csv");
    assertThat(run.lines()).hasSize(2);
    assertThat(run.lines().get(0))
        .isEqualTo("database,table,rows,records,files,bytes,snapshot,time");
    assertThat(run.lines().get(1)).startsWith("default,alltypes,6,6,2,");
  }

  @Test
  void anEmptyWarehouseIsNoFault() {
    CommandLineRun run = CommandLineRun.of("tables", "-w", folder.toString());
    assertThat(run.exitCode()).isZero();
    assertThat(run.err()).contains("There are no tables in " + folder);
  }

  @Test
  void schemaTellsColumnsAndHowTheyCameToBe() throws IOException {
    Path table = folder.resolve("t");
    Files.createDirectories(table.resolve("schema"));
    DataType key = DataTypes.INT.withNullable(false);
    write(
        table,
        0,
        new DataField(0, "id", key),
        new DataField(1, "b", DataTypes.INT),
        new DataField(2, "gone", DataTypes.DATE));
    write(
        table,
        1,
        new DataField(0, "id", key),
        new DataField(1, "b2", DataTypes.BIGINT),
        new DataField(3, "c", DataTypes.STRING));
    CommandLineRun run = CommandLineRun.of("schema", table.toString());
    assertThat(run.err()).isEmpty();
    assertThat(run.out())
        .contains(
            " 0  id      INT NOT NULL  primary key 1",
            " 3  c       STRING",
            "bucket = 1",
            "schema 0  1970-01-01T00:00:00Z  created with 3 columns",
            "schema 1  1970-01-01T00:00:01Z  renamed b to b2; b2 from INT to BIGINT; added c"
                + " STRING; dropped gone");
  }

  private static void write(Path table, long id, DataField... fields) throws IOException {
    TableSchema schema =
        new TableSchema(
            id,
            new RowType(List.of(fields)),
            3,
            List.of(),
            List.of("id"),
            Map.of("bucket", "1", "file.format", "orc"),
            null,
            id * 1000);
    Files.write(table.resolve("schema/schema-" + id), TableSchemaJson.write(schema));
  }

  @Test
  void aCorruptTableIsExitCodeFourAndNamesTheFile() throws IOException {
    Path table = folder.resolve("t");
    Files.createDirectories(table.resolve("schema"));
    Files.writeString(table.resolve("schema/schema-0"), "{ not a schema");
    CommandLineRun run = CommandLineRun.of("scan", table.toString());
    assertThat(run.exitCode()).isEqualTo(4);
    assertThat(run.err()).contains("schema-0").doesNotContain("\tat ");
  }

  @Test
  void aMissingVerbAnUnknownOneAndHelp() {
    assertThat(CommandLineRun.of().exitCode()).isEqualTo(2);
    assertThat(CommandLineRun.of("scna").exitCode()).isEqualTo(2);
    assertThat(CommandLineRun.of("scna").err()).contains("scna");
    assertThat(CommandLineRun.of("--help").exitCode()).isZero();
    assertThat(CommandLineRun.of("scan", "--help").out()).contains("--where", "canonical");
    for (String verb : List.of("run", "check", "demo", "scan", "snapshots", "tables", "schema")) {
      CommandLineRun help = CommandLineRun.of(verb, "--help");
      assertThat(help.exitCode()).isZero();
      assertThat(help.out()).startsWith("Usage: sluice " + verb);
    }
  }
}
