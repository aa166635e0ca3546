package io.sluice.replicator.cli;

import static io.sluice.replicator.cli.CommandLineRun.GOLDEN;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.commit.CommitMessage;
import io.sluice.lsm.commit.PreparedDelta;
import io.sluice.lsm.datafile.DataFileMeta;
import io.sluice.lsm.io.FileIO;
import io.sluice.lsm.io.FileIOs;
import io.sluice.lsm.manifest.ManifestEntry;
import io.sluice.lsm.table.LsmTable;
import io.sluice.sinks.epoch.EpochFile;
import io.sluice.sinks.epoch.EpochFile.TableChange;
import io.sluice.sinks.epoch.EpochJson;
import io.sluice.sinks.epoch.EpochStore;
import io.sluice.sinks.epoch.LakeTable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** fsck, compact, expire, tag and rollback on copies of tables that Paimon wrote. */
class MaintenanceCommandsTest {

  @TempDir Path folder;

  private Path copy(String golden, String table) throws IOException {
    Path from = GOLDEN.resolve(golden + "/warehouse/default.db").resolve(table);
    Path to = folder.resolve("warehouse/default.db").resolve(table);
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : files.toList()) {
        Path target = to.resolve(from.relativize(file).toString());
        if (Files.isDirectory(file)) {
          Files.createDirectories(target);
        } else {
          Files.copy(file, target);
        }
      }
    }
    return to;
  }

  private LsmTable open(Path table) throws IOException {
    return LsmTable.open(
        fileIO(), table.toString(), Clock.systemUTC(), () -> UUID.randomUUID().toString());
  }

  private FileIO fileIO() {
    return FileIOs.forUri(folder.toString(), () -> UUID.randomUUID().toString());
  }

  private static List<String> rows(Path table, String... more) {
    String[] args =
        Stream.concat(Stream.of("scan", table.toString(), "--format", "canonical"), Stream.of(more))
            .toArray(String[]::new);
    CommandLineRun run = CommandLineRun.of(args);
    assertThat(run.err()).isEmpty();
    return run.lines().stream().sorted().toList();
  }

  @Test
  void fsckIsSilentAboutASoundTableAndNamesEveryFault() throws IOException {
    Path table = copy("dedup-orc", "orders");
    CommandLineRun sound = CommandLineRun.of("fsck", table.toString(), "--deep");
    assertThat(sound.exitCode()).isZero();
    assertThat(sound.out()).isEmpty();
    assertThat(sound.err()).startsWith("0 findings in 10 snapshots");

    ManifestEntry live = open(table).liveFiles(open(table).snapshots().findLatest()).get(0);
    Path file = table.resolve("bucket-" + live.bucket()).resolve(live.file().fileName());
    byte[] content = Files.readAllBytes(file);
    for (int i = 3; i < content.length / 2; i++) {
      content[i] ^= 0x55;
    }
    Files.write(file, content);
    assertThat(CommandLineRun.of("fsck", table.toString()).exitCode()).isZero();
    CommandLineRun deep = CommandLineRun.of("fsck", table.toString(), "--deep");
    assertThat(deep.exitCode()).isEqualTo(1);
    assertThat(deep.lines()).hasSize(1).allMatch(line -> line.startsWith(file + ": "));

    Files.delete(file);
    CommandLineRun missing = CommandLineRun.of("fsck", table.toString());
    assertThat(missing.exitCode()).isEqualTo(1);
    assertThat(missing.lines()).contains(file + ": it is missing");
  }

  @Test
  void compactKeepsTheRowsAndLeavesOneRun() throws IOException {
    Path table = copy("dedup-orc", "orders");
    List<String> before = rows(table);
    CommandLineRun run = CommandLineRun.of("compact", table.toString(), "--full");
    assertThat(run.err()).isEmpty();
    assertThat(run.exitCode()).isZero();
    assertThat(run.out()).contains("at most 1 runs in a bucket now");
    assertThat(rows(table)).isEqualTo(before);
    assertThat(CommandLineRun.of("fsck", table.toString(), "--deep").out()).isEmpty();
    CommandLineRun refused =
        CommandLineRun.of("compact", copy("deletion-vectors", "dvt").toString());
    assertThat(refused.exitCode()).isEqualTo(2);
    assertThat(refused.err()).contains("deletion-vectors.enabled = true");
  }

  @Test
  void compactEndsWithTheFaultThatItMet() throws IOException {
    Path table = copy("dedup-orc", "orders");
    Path schema = table.resolve("schema/schema-0");
    Files.writeString(
        schema,
        Files.readString(schema)
            .replace(
                "\"bucket\" :", "\"num-sorted-run.compaction-trigger\" : \"2\",\n\"bucket\" :"));
    for (ManifestEntry live : open(table).liveFiles(open(table).snapshots().findLatest())) {
      Path file = table.resolve("bucket-" + live.bucket()).resolve(live.file().fileName());
      byte[] content = Files.readAllBytes(file);
      Arrays.fill(content, (byte) 0x55);
      Files.write(file, content);
    }
    CommandLineRun run = CommandLineRun.of("compact", table.toString());
    assertThat(run.exitCode()).isEqualTo(4);
    assertThat(run.err()).contains("bucket-").contains("damaged");
  }

  @Test
  void tagsKeepWhatExpireTakesUntilTheyAreDeleted() throws IOException {
    Path table = copy("dedup-orc", "orders");
    List<String> third = rows(table, "--snapshot", "3");
    String root = table.toString();
    assertThat(CommandLineRun.of("tag", root, "create", "my tag", "--snapshot", "3").exitCode())
        .isZero();
    assertThat(CommandLineRun.of("tag", root, "create", "short", "--retain", "1ms").exitCode())
        .isZero();
    CommandLineRun twice = CommandLineRun.of("tag", root, "create", "my tag");
    assertThat(twice.exitCode()).isEqualTo(2);
    assertThat(twice.err()).contains("has a tag my tag already");
    assertThat(CommandLineRun.of("tag", root, "list", "--format", "csv").lines())
        .hasSize(3)
        .anyMatch(line -> line.startsWith("my tag,3,"))
        .anyMatch(line -> line.startsWith("short,10,") && line.endsWith(",PT0.001S"));

    CommandLineRun expired = CommandLineRun.of("expire", root, "--older-than", "0s", "--keep", "1");
    assertThat(expired.err()).isEmpty();
    assertThat(expired.out()).contains("Tag short was over", "9 snapshots expired");
    assertThat(rows(table, "--tag", "my tag")).isEqualTo(third);
    CommandLineRun gone = CommandLineRun.of("scan", root, "--snapshot", "3");
    assertThat(gone.exitCode()).isEqualTo(2);

    CommandLineRun deleted = CommandLineRun.of("tag", root, "delete", "my tag");
    assertThat(deleted.out()).contains("Tag my tag is gone, and ");
    assertThat(CommandLineRun.of("scan", root, "--tag", "my tag").err()).contains("has no tag");
    CommandLineRun orphans =
        CommandLineRun.of("expire", root, "--orphans", "--older-than", "0s", "--dry-run");
    assertThat(orphans.out()).isEmpty();
    assertThat(CommandLineRun.of("fsck", root, "--deep").exitCode()).isZero();
  }

  @Test
  void rollbackGoesBackToASnapshotOrATagAndLeavesNoOrphans() throws IOException {
    Path table = copy("tags-branches", "tb");
    List<String> first = rows(table, "--tag", "v1");
    CommandLineRun later = CommandLineRun.of("rollback", table.toString(), "--tag", "v1");
    assertThat(later.exitCode()).isEqualTo(2);
    assertThat(later.err()).contains("Tag v2 with ttl");
    CommandLineRun.of("tag", table.toString(), "delete", "v2 with ttl");
    CommandLineRun back = CommandLineRun.of("rollback", table.toString(), "--tag", "v1");
    assertThat(back.exitCode()).isZero();
    assertThat(back.err()).contains("Consumer etl waits for snapshot 3");
    assertThat(rows(table)).isEqualTo(first);
    assertThat(
            CommandLineRun.of(
                    "expire", table.toString(), "--orphans", "--older-than", "0s", "--force")
                .out())
        .isEmpty();
    assertThat(CommandLineRun.of("fsck", table.toString(), "--deep").out()).isEmpty();
    assertThat(rows(table, "--branch", "exp")).hasSize(2);
    assertThat(CommandLineRun.of("scan", table.toString(), "--branch", "nix").err())
        .contains("has no branch nix; there are [empty, exp]");
  }

  /** What an epoch file names may still be committed, and a daemon knows of files before that. */
  @Test
  void orphansAreDeletedButWhatAnEpochMayCommitAndNothingWhileADaemonRuns() throws Exception {
    Path table = copy("dedup-orc", "orders");
    Path warehouse = folder.resolve("warehouse");
    LsmTable opened = open(table);
    ManifestEntry live = opened.liveFiles(opened.snapshots().findLatest()).get(0);
    DataFileMeta copied = live.file();
    Path bucket = table.resolve("bucket-" + live.bucket());
    Path pendingFile = bucket.resolve("data-pending-0.orc");
    Path orphan = bucket.resolve("data-orphan-0.orc");
    Files.copy(bucket.resolve(copied.fileName()), pendingFile);
    Files.copy(bucket.resolve(copied.fileName()), orphan);
    Path young = bucket.resolve("data-young-0.orc");
    Files.writeString(young, "still being written");
    Path foreign = table.resolve("notes.txt");
    Files.writeString(foreign, "nobody's business");
    PreparedDelta delta =
        opened
            .committer()
            .prepare(
                List.of(
                    new CommitMessage(
                        BinaryRow.EMPTY,
                        live.bucket(),
                        live.totalBuckets(),
                        List.of(named("data-pending-0.orc", copied)),
                        List.of(),
                        List.of())));
    LakeTable orders = new LakeTable("default", "orders");
    EpochFile epoch =
        new EpochFile(
            7,
            "shop",
            "an-incarnation",
            "{}",
            0,
            0,
            100,
            List.of(new TableChange(orders, EpochFile.Kind.APPEND, List.of(), delta, 10)),
            new TreeMap<>(Map.of(orders, 7L)),
            Map.of(),
            null,
            List.of());
    EpochStore epochs = new EpochStore(fileIO(), warehouse.toString(), "shop");
    opened.consumers().advance("sluice-shop", 10);

    CommandLineRun unknown = CommandLineRun.of("expire", table.toString(), "--orphans");
    assertThat(unknown.exitCode()).isEqualTo(4);
    assertThat(unknown.err()).contains("holds no epoch file");

    epochs.create(epoch, EpochJson.write(epoch));
    FileTime old = FileTime.from(Instant.now().minus(Duration.ofDays(2)));
    try (Stream<Path> files = Files.walk(table)) {
      for (Path file : files.filter(f -> !f.equals(young)).toList()) {
        Files.setLastModifiedTime(file, old);
      }
    }
    CommandLineRun dry = CommandLineRun.of("expire", table.toString(), "--orphans", "--dry-run");
    assertThat(dry.lines()).containsExactly(orphan.toString());
    assertThat(orphan).exists();
    CommandLineRun tooYoung =
        CommandLineRun.of("expire", table.toString(), "--orphans", "--older-than", "59m");
    assertThat(tooYoung.exitCode()).isEqualTo(2);
    assertThat(tooYoung.err()).contains("younger than 1h").contains("--force");
    assertThat(orphan).exists();
    CommandLineRun run = CommandLineRun.of("expire", table.toString(), "--orphans");
    assertThat(run.exitCode()).isZero();
    assertThat(run.lines()).containsExactly(orphan.toString());
    assertThat(run.err()).contains("1 orphans with " + copied.fileSize() + " bytes, 1 deleted");
    assertThat(orphan).doesNotExist();
    assertThat(pendingFile).exists();
    assertThat(young).exists();
    assertThat(foreign).exists();
    try (Stream<Path> files = Files.list(table)) {
      assertThat(files).noneMatch(file -> file.getFileName().toString().startsWith(".sluice"));
    }
    assertThat(Path.of(opened.paths().manifest(delta.manifestList()))).exists();
    assertThat(warehouse.resolve("_sluice/shop/lease")).doesNotExist();
    assertThat(CommandLineRun.of("fsck", table.toString(), "--deep").exitCode()).isZero();
  }

  private static DataFileMeta named(String name, DataFileMeta like) {
    return new DataFileMeta(
        name,
        like.fileSize(),
        like.rowCount(),
        like.minKey(),
        like.maxKey(),
        like.keyStats(),
        like.valueStats(),
        like.minSequenceNumber(),
        like.maxSequenceNumber(),
        like.schemaId(),
        0,
        like.extraFiles(),
        like.creationTimeMillis(),
        like.deleteRowCount(),
        like.embeddedIndex(),
        like.fileSource(),
        like.valueStatsCols(),
        like.externalPath(),
        like.firstRowId(),
        like.writeCols());
  }

  @Test
  void wrongUsageIsToldWithExitCodeTwo() throws IOException {
    String table = copy("dedup-orc", "orders").toString();
    for (List<String> args :
        List.of(
            List.of("expire", table, "--keep", "0"),
            List.of("expire", table, "--older-than", "yesterday"),
            List.of("expire", table, "--dry-run"),
            List.of("expire", table, "--force"),
            List.of("tag", table, "create"),
            List.of("tag", table, "create", "7"),
            List.of("tag", table, "create", "x", "--snapshot", "77"),
            List.of("tag", table, "delete", "x"),
            List.of("tag", table, "paint", "x"),
            List.of("rollback", table),
            List.of("rollback", table, "--snapshot", "1", "--tag", "x"))) {
      CommandLineRun run = CommandLineRun.of(args.toArray(String[]::new));
      assertThat(run.exitCode()).as(args.toString()).isEqualTo(2);
      assertThat(run.err()).as(args.toString()).isNotBlank().doesNotContain("\tat ");
    }
  }
}
