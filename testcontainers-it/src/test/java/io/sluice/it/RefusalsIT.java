package io.sluice.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.it.support.Await;
import io.sluice.it.support.DaemonProcess;
import io.sluice.it.support.LakeAssert;
import io.sluice.it.support.LakeState;
import io.sluice.it.support.PipelineFolder;
import io.sluice.it.support.TestServers;
import io.sluice.replicator.demo.servers.ServerFiles;
import io.sluice.replicator.demo.servers.ServerKind;
import io.sluice.replicator.demo.servers.ThrowawayServer;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What cannot be done right is refused: with an exit code, and with words that say what is wrong
 * and where. When the cause is mended, the daemon goes on, and nothing is lost.
 */
class RefusalsIT {
  private static final int MISCONFIGURED = 2;
  private static final int UNREACHABLE = 3;
  private static final int PROTECTED = 4;
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final String PASSWORD = "s3cret-and-wrong";

  private static ThrowawayServer server;

  @TempDir Path folder;

  @BeforeAll
  static void startServer() throws Exception {
    server = TestServers.start(ServerKind.MARIADB);
    execute(
        server,
        "CREATE DATABASE d",
        "CREATE TABLE d.t (id INT PRIMARY KEY, v INT)",
        "INSERT INTO d.t VALUES (1, 1), (2, 2)",
        "CREATE USER poor@'%' IDENTIFIED BY 'poor'",
        "GRANT SELECT ON d.* TO poor@'%'");
  }

  @AfterAll
  static void closeServer() {
    if (server != null) {
      server.close();
    }
  }

  @Test
  void refusesAWrongPassword() {
    refuses(pipeline(server).login("cdc", PASSWORD), UNREACHABLE, "access denied", "cdc");
  }

  @Test
  void refusesAWrongPasswordOnMySql() {
    try (ThrowawayServer mysql = TestServers.start(ServerKind.MYSQL)) {
      refuses(pipeline(mysql).login("cdc", PASSWORD), UNREACHABLE, "access denied", "cdc");
    }
  }

  @Test
  void saysThatTheHostIsUnreachable() throws Exception {
    int port;
    try (ServerSocket socket = new ServerSocket(0)) {
      port = socket.getLocalPort();
    }
    refuses(
        pipeline(server).address("127.0.0.1", port),
        UNREACHABLE,
        "127.0.0.1",
        Integer.toString(port));
  }

  @Test
  void namesAMissingGrant() {
    refuses(pipeline(server).login("poor", "poor"), MISCONFIGURED, "replication slave", "grant");
  }

  @Test
  void namesAMissingGrantOnMySql() throws Exception {
    try (ThrowawayServer mysql = TestServers.start(ServerKind.MYSQL)) {
      execute(
          mysql,
          "CREATE DATABASE d",
          "CREATE TABLE d.t (id INT PRIMARY KEY)",
          "CREATE USER poor@'%' IDENTIFIED BY 'poor'",
          "GRANT SELECT ON d.* TO poor@'%'");
      refuses(pipeline(mysql).login("poor", "poor"), MISCONFIGURED, "replication slave", "grant");
    }
  }

  @Test
  void refusesAServerWithoutBinaryLog() throws Exception {
    for (ServerKind kind : ServerKind.values()) {
      try (ThrowawayServer other = TestServers.start(kind, "--skip-log-bin")) {
        execute(other, "CREATE DATABASE d", "CREATE TABLE d.t (id INT PRIMARY KEY)");
        refuses(pipeline(other), MISCONFIGURED, "log_bin");
      }
    }
  }

  @Test
  void refusesAStatementFormat() throws Exception {
    for (ServerKind kind : ServerKind.values()) {
      try (ThrowawayServer other = TestServers.start(kind, "--binlog-format=STATEMENT")) {
        execute(other, "CREATE DATABASE d", "CREATE TABLE d.t (id INT PRIMARY KEY)");
        refuses(pipeline(other), MISCONFIGURED, "binlog_format");
      }
    }
  }

  @Test
  void refusesATableWithoutPrimaryKey() throws Exception {
    execute(server, "CREATE TABLE d.keyless (a INT)");
    try {
      refuses(pipeline(server), MISCONFIGURED, "d.keyless", "primary key");
    } finally {
      execute(server, "DROP TABLE d.keyless");
    }
  }

  @Test
  void saysThatNothingIsCaptured() {
    refuses(pipeline(server).include("d.no_such_table"), MISCONFIGURED, "no_such_table");
  }

  @Test
  void saysThatTheWarehouseIsNotWritable() throws Exception {
    // A file where a folder should be: nobody can write there, not even root.
    Path file = Files.writeString(folder.resolve("occupied"), "no folder");
    PipelineFolder pipeline = pipeline(server).set("warehouse = \"" + file.resolve("lake") + "\"");
    refuses(pipeline, UNREACHABLE, file.toString());
  }

  @Test
  void goesOnByItselfWhenAWarehouseThatFailedIsMended() throws Exception {
    PipelineFolder pipeline = pipeline(server);
    try (DaemonProcess daemon = DaemonProcess.run(pipeline)) {
      LakeAssert.awaitSame(daemon, server, pipeline, LIMIT, "d", "t");
      // The folder of snapshots becomes a file: the next commit cannot land.
      Path snapshots = pipeline.table("d", "t").resolve("snapshot");
      Path aside = pipeline.folder().resolve("aside");
      Files.move(snapshots, aside);
      Files.writeString(snapshots, "in the way");
      execute(server, "INSERT INTO d.t VALUES (100, 1)");
      Await.until(
          LIMIT,
          () -> "the daemon says what it cannot write; its log:\n" + daemon.logTail(),
          () -> daemon.log().contains(snapshots.toString()));
      Files.delete(snapshots);
      Files.move(aside, snapshots);
      LakeAssert.awaitSame(daemon, server, pipeline, LIMIT, "d", "t");
    }
  }

  @Test
  void namesACorruptSnapshotFile() throws Exception {
    PipelineFolder pipeline = replicated("stop");
    long newest = LakeState.newestSnapshot(pipeline, "d", "t");
    refusesDamaged(pipeline, pipeline.table("d", "t").resolve("snapshot/snapshot-" + newest), true);
  }

  @Test
  void namesAMissingManifestList() throws Exception {
    PipelineFolder pipeline = replicated("stop");
    refusesDamaged(
        pipeline, newest(pipeline.table("d", "t").resolve("manifest"), "manifest-list-"), false);
  }

  @Test
  void namesACorruptSchemaFile() throws Exception {
    PipelineFolder pipeline = replicated("stop");
    refusesDamaged(pipeline, pipeline.table("d", "t").resolve("schema/schema-0"), true);
  }

  @Test
  void leavesATableBehindOfWhichAFileIsCorrupt() throws Exception {
    execute(server, "CREATE TABLE d.u (id INT PRIMARY KEY)");
    try {
      PipelineFolder pipeline = replicated("park");
      Path schema = pipeline.table("d", "t").resolve("schema/schema-0");
      String sound = Files.readString(schema);
      Files.writeString(schema, "{\"not\": \"what it was\"");
      execute(server, "INSERT INTO d.t (id, v) SELECT MAX(id) + 1, 7 FROM d.t");
      try (DaemonProcess daemon = DaemonProcess.run(pipeline)) {
        execute(server, "INSERT INTO d.u VALUES (1)");
        LakeAssert.awaitSame(daemon, server, pipeline, LIMIT, "d", "u");
        assertThat(daemon.log()).contains("Table d.t of pipeline refused is parked", "schema-0");
        String config = pipeline.folder().resolve("pipeline.conf").toString();
        assertThat(command("status", "-c", config)).isEqualTo(1);
        assertThat(commandLog())
            .contains("Pipeline refused: ", "d.t is parked since", "schema-0")
            .containsPattern("d.u +d.u +(copied|consistent)");
        assertThat(command("resync", "-c", config, "d.t")).isEqualTo(1);
        Files.writeString(schema, sound);
        assertThat(command("resync", "-c", config, "d.t")).as(commandLog()).isZero();
        LakeAssert.awaitSame(daemon, server, pipeline, LIMIT, "d", "t", "u");
        assertThat(command("status", "-c", config)).as(commandLog()).isZero();
      }
    } finally {
      execute(server, "DROP TABLE d.u");
    }
  }

  private int command(String... arguments) throws Exception {
    Path own = Files.createDirectories(folder.resolve("command"));
    Files.deleteIfExists(own.resolve("daemon.log"));
    try (DaemonProcess process = DaemonProcess.start(own, List.of(), List.of(arguments))) {
      return process.awaitExit();
    }
  }

  private String commandLog() throws Exception {
    return Files.readString(folder.resolve("command").resolve("daemon.log"));
  }

  @Test
  void namesACorruptEpochFile() throws Exception {
    PipelineFolder pipeline = replicated("park");
    refusesDamaged(pipeline, newest(pipeline.stateFolder(), "epoch-"), true);
  }

  @Test
  void stopsWhenThePipelinesFolderIsMissing() throws Exception {
    PipelineFolder pipeline = replicated("park");
    refusesDamaged(pipeline, pipeline.stateFolder(), false);
  }

  /** A pipeline that has copied the table and was stopped. */
  private PipelineFolder replicated(String onTableError) throws Exception {
    PipelineFolder pipeline = pipeline(server).set("on-table-error = " + onTableError);
    try (DaemonProcess daemon = DaemonProcess.run(pipeline)) {
      LakeAssert.awaitSame(daemon, server, pipeline, LIMIT, "d", "t");
      assertThat(daemon.terminate()).as("exit code; log:\n%s", daemon.logTail()).isZero();
    }
    return pipeline;
  }

  /** Spoils or removes the file; the daemon stops and names it; with the file back it goes on. */
  private static void refusesDamaged(PipelineFolder pipeline, Path file, boolean spoil)
      throws Exception {
    Path aside = pipeline.folder().resolve("aside");
    Files.move(file, aside);
    if (spoil) {
      Files.writeString(file, "{\"not\": \"what it was\"");
    }
    execute(server, "INSERT INTO d.t (id, v) SELECT MAX(id) + 1, 7 FROM d.t");
    try (DaemonProcess daemon = DaemonProcess.run(pipeline)) {
      int code = daemon.awaitExit();
      assertThat(daemon.log()).contains(file.getFileName().toString());
      assertThat(code).as("exit code; log:\n%s", daemon.logTail()).isEqualTo(PROTECTED);
    }
    if (Files.isDirectory(aside)) {
      ServerFiles.deleteTree(file);
    }
    Files.move(aside, file, StandardCopyOption.REPLACE_EXISTING);
    goesOn(pipeline);
  }

  private static void goesOn(PipelineFolder pipeline) throws Exception {
    try (DaemonProcess daemon = DaemonProcess.run(pipeline)) {
      execute(server, "INSERT INTO d.t (id, v) SELECT MAX(id) + 1, 8 FROM d.t");
      LakeAssert.awaitSame(daemon, server, pipeline, LIMIT, "d", "t");
    }
  }

  private static Path newest(Path folder, String prefix) throws Exception {
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .filter(file -> file.getFileName().toString().startsWith(prefix))
          .max(
              Comparator.comparing((Path file) -> file.toFile().lastModified())
                  .thenComparing(Comparator.naturalOrder()))
          .orElseThrow();
    }
  }

  private PipelineFolder pipeline(ThrowawayServer source) {
    return new PipelineFolder(folder.resolve("pipeline"), "refused").source(source).include("d.*");
  }

  private static void refuses(PipelineFolder pipeline, int exitCode, String... words) {
    try (DaemonProcess daemon = DaemonProcess.run(pipeline)) {
      int code = daemon.awaitExit();
      String log = daemon.log();
      for (String word : words) {
        assertThat(log).containsIgnoringCase(word);
      }
      assertThat(code).as("exit code; log:\n%s", log).isEqualTo(exitCode);
      assertThat(log).as("secrets stay out of logs").doesNotContain(PASSWORD);
      assertThat(log).as("a message for a person, no stack").doesNotContain("\tat ");
    }
  }

  private static void execute(ThrowawayServer on, String... statements) throws Exception {
    try (Connection connection = on.connect("");
        Statement statement = connection.createStatement()) {
      for (String sql : List.of(statements)) {
        statement.execute(sql);
      }
    }
  }
}
