package io.sluice.replicator.cli;

import static io.sluice.replicator.cli.CommandLineRun.GOLDEN;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.evolution.SourceTableId;
import io.sluice.lsm.expire.ConsumerFiles;
import io.sluice.lsm.io.FileIO;
import io.sluice.lsm.io.FileIOs;
import io.sluice.lsm.io.TablePaths;
import io.sluice.sinks.epoch.EpochFile;
import io.sluice.sinks.epoch.EpochFile.SourceFacts;
import io.sluice.sinks.epoch.EpochJson;
import io.sluice.sinks.epoch.EpochStore;
import io.sluice.sinks.epoch.LakeTable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a person does with a pipeline and its tables while no daemon runs. */
class PipelineCommandsTest {

  private static final AtomicInteger IDS = new AtomicInteger();

  @TempDir Path folder;

  private Path warehouse;
  private Path table;
  private Path config;
  private FileIO fileIO;

  @BeforeEach
  void makeLake() throws IOException {
    warehouse = folder.resolve("warehouse");
    table = warehouse.resolve("default.db/orders");
    Path golden = GOLDEN.resolve("dedup-orc/warehouse");
    try (Stream<Path> files = Files.walk(golden)) {
      for (Path file : files.toList()) {
        Path to = warehouse.resolve(golden.relativize(file).toString());
        if (Files.isDirectory(file)) {
          Files.createDirectories(to);
        } else {
          Files.copy(file, to);
        }
      }
    }
    config = folder.resolve("shop.conf");
    Files.writeString(
        config,
        """
        sluice {
          pipeline = shop
          warehouse = "%s"
          source { type = mysql, host = localhost, user = cdc, include = ["shop.*"] }
        }
        """
            .formatted(warehouse));
    fileIO = FileIOs.forUri(warehouse.toString(), () -> "test-" + IDS.incrementAndGet());
  }

  private void ownTable() throws IOException {
    new ConsumerFiles(fileIO, new TablePaths(table.toString())).advance("sluice-shop", 10);
    new ConsumerFiles(fileIO, new TablePaths(table.toString())).advance("somebody", 10);
    LakeTable orders = new LakeTable("default", "orders");
    for (long number = 6; number <= 7; number++) {
      EpochFile epoch =
          new EpochFile(
              number,
              "shop",
              "an-incarnation",
              "{}",
              0,
              0,
              100,
              List.of(),
              new TreeMap<>(Map.of(orders, number)),
              Map.of(new SourceTableId("shop", "orders"), new SourceFacts(orders, null)),
              null,
              List.of());
      new EpochStore(fileIO, warehouse.toString(), "shop").create(epoch, EpochJson.write(epoch));
    }
    Files.writeString(warehouse.resolve("_sluice/shop/resync-x"), "{}");
  }

  @Test
  void rollbackIsRefusedWhileAPipelineOwnsTheTableAndForgetEndsThat() throws IOException {
    ownTable();
    CommandLineRun refused = CommandLineRun.of("rollback", table.toString(), "--snapshot", "8");
    assertThat(refused.exitCode()).isEqualTo(4);
    assertThat(refused.err()).contains("Pipeline shop owns table").contains("sluice resync");
    assertThat(table.resolve("snapshot/snapshot-10")).exists();
    CommandLineRun forgotten = CommandLineRun.of("forget", "-c", config.toString());
    assertThat(forgotten.err()).isEmpty();
    assertThat(forgotten.exitCode()).isZero();
    assertThat(forgotten.out()).contains("default.orders");
    assertThat(warehouse.resolve("_sluice/shop")).doesNotExist();
    assertThat(table.resolve("consumer/consumer-sluice-shop")).doesNotExist();
    assertThat(table.resolve("consumer/consumer-somebody")).exists();
    CommandLineRun back = CommandLineRun.of("rollback", table.toString(), "--snapshot", "8");
    assertThat(back.err()).contains("Consumer somebody waits for snapshot 10");
    assertThat(back.exitCode()).isZero();
    assertThat(table.resolve("snapshot/snapshot-8")).exists();
    assertThat(table.resolve("snapshot/snapshot-9")).doesNotExist();
    assertThat(table.resolve("snapshot/snapshot-10")).doesNotExist();
    assertThat(Files.readString(table.resolve("snapshot/LATEST"))).isEqualTo("8");
    assertThat(CommandLineRun.of("snapshots", table.toString(), "--format", "jsonl").lines().get(0))
        .startsWith("{\"snapshot\":8,");
    assertThat(CommandLineRun.of("scan", table.toString()).exitCode()).isZero();
    CommandLineRun again = CommandLineRun.of("forget", "-c", config.toString());
    assertThat(again.exitCode()).isEqualTo(2);
    assertThat(again.err()).contains("no pipeline shop");
  }

  @Test
  void rollbackNamesASnapshotThatIsNotThere() {
    CommandLineRun run = CommandLineRun.of("rollback", table.toString(), "--snapshot", "99");
    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err()).contains("has no snapshot 99");
    assertThat(table.resolve("snapshot/snapshot-10")).exists();
  }

  @Test
  void resyncLaysDownARequestForATableOfThePipeline() throws IOException {
    CommandLineRun never = CommandLineRun.of("resync", "-c", config.toString(), "shop.orders");
    assertThat(never.exitCode()).isEqualTo(2);
    assertThat(never.err()).contains("has never run");
    ownTable();
    CommandLineRun unknown = CommandLineRun.of("resync", "-c", config.toString(), "shop.nothing");
    assertThat(unknown.exitCode()).isEqualTo(2);
    assertThat(unknown.err()).contains("has no table shop.nothing");
    CommandLineRun asked =
        CommandLineRun.of("resync", "-c", config.toString(), "`shop`.`orders`", "--no-wait");
    assertThat(asked.exitCode()).isZero();
    Path request = Path.of(asked.out().strip().replaceFirst(".*shop.orders: ", ""));
    assertThat(Files.readString(request)).isEqualTo("{\"database\":\"shop\",\"table\":\"orders\"}");
  }

  @Test
  void resyncTakesAStretchOfKeys() throws IOException {
    ownTable();
    String where = "id > 9 and (`id` >= +10 and id <= 30) and id < 21";
    CommandLineRun asked = resyncWhere(where);
    assertThat(asked.exitCode()).as(asked.err()).isZero();
    Path request = Path.of(asked.out().strip().replaceFirst(".*10 <= id <= 20: ", ""));
    assertThat(Files.readString(request))
        .isEqualTo(
            "{\"where\":{\"column\":\"id\",\"from\":\"10\",\"to\":\"20\"},"
                + "\"database\":\"shop\",\"table\":\"orders\"}");
    for (String wrong :
        List.of(
            "id = 1 or id = 2",
            "id != 1",
            "id > 1 and v > 1",
            "id > '1'",
            "id > 1.5",
            "id > 2 and id < 2",
            "id IN (1)",
            "id >")) {
      CommandLineRun refused = resyncWhere(wrong);
      assertThat(refused.exitCode()).as(wrong).isEqualTo(2);
      assertThat(refused.err()).contains("--where takes comparisons", wrong);
    }
  }

  private CommandLineRun resyncWhere(String where) {
    return CommandLineRun.of(
        "resync", "-c", config.toString(), "shop.orders", "--no-wait", "--where", where);
  }
}
