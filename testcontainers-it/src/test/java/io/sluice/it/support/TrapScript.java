package io.sluice.it.support;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.replicator.demo.servers.ServerKind;
import io.sluice.replicator.demo.servers.ThrowawayServer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/**
 * SQL in, rows out, in one text file. A line that begins with {@code >} is a command, the lines up
 * to the next one belong to it, {@code #} begins a comment. {@code $db} stands for a database of
 * the script's own; SQL runs as root in one session, statements end with a semicolon at the end of
 * a line.
 *
 * <pre>
 * > only mysql                      the script is for this server
 * > include $db.t, $db.u            captured tables; default $db.*
 * > config source.x = y             a line of the config below sluice
 * > sql                             statements
 * > repeat 1000 UPDATE ...          one statement, so many times, each its own transaction
 * > start                           the daemon
 * > rows t                          waits until the lake has exactly these rows: values between bars, NULL for null
 * > same t u                        waits until lake and source have the same rows
 * > columns t                       the lake's columns and types
 * > absent $db.t                    there is no such table in the lake
 * > purge                         the server forgets its binlog up to now
 * > stop / > kill                   SIGTERM (exit code 0) or kill -9; a later start goes on
 * > logs some text                  waits until the daemon's log holds the text, letter case aside
 * > resync t                        the verb, until the table is equal to its source
 * > resync-all                      the verb with --all, without waiting: for the next start
 * > ends 4 some text                the daemon ends by itself with this exit code, and its log holds the text, letter case aside
 * > settings undo                   statements for the end, whatever happens (global settings of the server)
 * </pre>
 */
public final class TrapScript {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private record Command(int line, String name, String argument, List<String> body) {}

  private final String name;
  private final List<Command> commands;

  private TrapScript(String name, List<Command> commands) {
    this.name = name;
    this.commands = commands;
  }

  public static TrapScript read(Path file) throws IOException {
    List<Command> commands = new ArrayList<>();
    List<String> lines = Files.readAllLines(file, StandardCharsets.UTF_8);
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i);
      if (line.startsWith(">")) {
        String[] parts = line.substring(1).strip().split("\\s+", 2);
        commands.add(
            new Command(i + 1, parts[0], parts.length > 1 ? parts[1] : "", new ArrayList<>()));
      } else if (!line.isBlank() && !line.startsWith("#")) {
        if (commands.isEmpty()) {
          throw new IOException(file + ":" + (i + 1) + ": a command comes first");
        }
        commands.get(commands.size() - 1).body().add(line.strip());
      }
    }
    return new TrapScript(file.getFileName().toString().replaceFirst("\\.txt$", ""), commands);
  }

  public String name() {
    return name;
  }

  /** Whether the script is for this kind of server. */
  public boolean isFor(ThrowawayServer server) {
    return commands.stream()
        .filter(command -> command.name().equals("only"))
        .allMatch(command -> command.argument().equals(server.kind().sourceType()));
  }

  /** Runs all commands; the first that is not fulfilled fails with its line. */
  public void run(ThrowawayServer server, Path folder) throws Exception {
    String database = "trap_" + name.replaceAll("[^A-Za-z0-9]+", "_");
    try (Run run = new Run(server, new PipelineFolder(folder, "trap"), database)) {
      run.execute("CREATE DATABASE " + database + " CHARACTER SET utf8mb4");
      run.execute("USE " + database);
      run.pipeline.include(database + ".*");
      for (Command command : commands) {
        try {
          run.perform(command);
        } catch (AssertionError | Exception e) {
          throw new AssertionError(
              name
                  + ".txt:"
                  + command.line()
                  + " > "
                  + command.name()
                  + " "
                  + command.argument()
                  + ": "
                  + e.getMessage()
                  + run.log(),
              e);
        }
      }
    }
  }

  private static final class Run implements AutoCloseable {
    private final ThrowawayServer server;
    private final PipelineFolder pipeline;
    private final String database;
    private final Connection connection;
    private final Statement statement;
    private final List<String> undo = new ArrayList<>();
    private DaemonProcess daemon;
    private boolean ended;

    Run(ThrowawayServer server, PipelineFolder pipeline, String database) throws SQLException {
      this.server = server;
      this.pipeline = pipeline.source(server);
      this.database = database;
      this.connection = server.connect("");
      this.statement = connection.createStatement();
    }

    void execute(String sql) throws SQLException {
      statement.execute(sql);
    }

    void perform(Command command) throws Exception {
      String argument = command.argument().replace("$db", database);
      switch (command.name()) {
        case "only" -> {}
        case "include" -> pipeline.include(argument.split(",\\s*"));
        case "config" -> pipeline.set(argument);
        case "sql" -> {
          for (String sql : statements(command.body())) {
            execute(sql);
          }
        }
        case "settings" -> undo.addAll(statements(command.body()));
        case "repeat" -> {
          String[] parts = argument.split("\\s+", 2);
          for (int i = 0; i < Integer.parseInt(parts[0]); i++) {
            execute(parts[1]);
          }
        }
        case "purge" -> purge();
        case "start" -> {
          daemon = DaemonProcess.run(pipeline);
          ended = false;
        }
        case "rows" -> awaitRows(argument, command.body());
        case "same" ->
            LakeAssert.awaitSame(daemon, server, pipeline, LIMIT, database, argument.split("\\s+"));
        case "columns" ->
            assertThat(LakeRows.columns(pipeline.warehouse(), database, argument))
                .isEqualTo(command.body());
        case "absent" -> {
          String[] parts = argument.split("\\.", 2);
          assertThat(pipeline.table(parts[0], parts[1])).doesNotExist();
        }
        case "logs" ->
            daemon.await(
                LIMIT,
                "a line in the log",
                () ->
                    daemon
                        .log()
                        .toLowerCase(Locale.ROOT)
                        .contains(argument.toLowerCase(Locale.ROOT)));
        case "resync" -> resync(database + "." + argument);
        case "resync-all" -> resync("--all", "--no-wait");
        case "stop" -> assertThat(daemon.terminate()).as("exit code after SIGTERM").isZero();
        case "kill" -> daemon.kill();
        case "ends" -> {
          String[] parts = argument.split("\\s+", 2);
          int code = daemon.awaitExit();
          ended = true;
          assertThat(daemon.log()).containsIgnoringCase(parts[1]);
          assertThat(code).as("exit code").isEqualTo(Integer.parseInt(parts[0]));
        }
        default -> throw new IllegalArgumentException("there is no such command");
      }
    }

    private void resync(String... arguments) throws IOException {
      Path folder = Files.createDirectories(pipeline.folder().resolve("resync"));
      List<String> command =
          new ArrayList<>(List.of("resync", "-c", pipeline.writeConfig().toString()));
      command.addAll(List.of(arguments));
      try (DaemonProcess verb = DaemonProcess.start(folder, List.of(), command)) {
        assertThat(verb.awaitExit()).as("exit code of resync; %s", verb.logTail()).isZero();
      }
    }

    /** A server keeps a file as long as it believes that a reader, even one just gone, is in it. */
    private void purge() throws Exception {
      if (server.kind() == ServerKind.MARIADB) {
        execute("SET GLOBAL slave_connections_needed_for_purge = 0");
      }
      String present = binlogs().get(binlogs().size() - 1);
      Await.until(
          LIMIT,
          () -> present + " is purged",
          () -> {
            execute("CREATE OR REPLACE VIEW nothing AS SELECT " + System.nanoTime());
            execute("FLUSH BINARY LOGS");
            List<String> files = binlogs();
            execute("PURGE BINARY LOGS TO '" + files.get(files.size() - 1) + "'");
            return !binlogs().contains(present);
          });
    }

    private List<String> binlogs() throws SQLException {
      List<String> files = new ArrayList<>();
      try (ResultSet rows = statement.executeQuery("SHOW BINARY LOGS")) {
        while (rows.next()) {
          files.add(rows.getString(1));
        }
      }
      return files;
    }

    private List<String> statements(List<String> body) {
      List<String> statements = new ArrayList<>();
      StringBuilder current = new StringBuilder();
      for (String line : body) {
        current.append(line.replace("$db", database)).append('\n');
        if (line.endsWith(";")) {
          statements.add(current.toString().strip().replaceFirst(";$", ""));
          current.setLength(0);
        }
      }
      if (!current.isEmpty()) {
        throw new IllegalArgumentException("a statement lacks its semicolon: " + current);
      }
      return statements;
    }

    private void awaitRows(String table, List<String> body) throws Exception {
      List<String> expected =
          body.stream().map(line -> line.replaceAll("\\s*\\|\\s*", " | ")).sorted().toList();
      List<List<String>> seen = new ArrayList<>();
      try {
        Await.until(
            LIMIT,
            () -> "rows",
            () -> {
              if (!ended) {
                daemon.assertAlive();
              }
              if (!Files.exists(pipeline.table(database, table).resolve("schema/schema-0"))) {
                return false;
              }
              List<String> rows =
                  LakeRows.read(pipeline.warehouse(), database, table).rows().stream()
                      .map(Run::text)
                      .sorted(Comparator.naturalOrder())
                      .toList();
              seen.clear();
              seen.add(rows);
              return rows.equals(expected);
            });
      } catch (AssertionError e) {
        throw new AssertionError(
            "expected\n  "
                + String.join("\n  ", expected)
                + "\nbut the lake has\n  "
                + (seen.isEmpty() ? "no such table" : String.join("\n  ", seen.get(0)))
                + "\n"
                + e.getMessage(),
            e);
      }
    }

    private static String text(List<String> row) {
      return String.join(
          " | ",
          row.stream()
              .map(value -> value == null ? "NULL" : value.isEmpty() ? "''" : value)
              .toList());
    }

    String log() {
      return daemon == null ? "" : "\nthe daemon's log:\n" + daemon.logTail();
    }

    @Override
    public void close() throws SQLException {
      if (daemon != null) {
        daemon.close();
      }
      try (connection) {
        for (String sql : undo) {
          execute(sql);
        }
        execute("DROP DATABASE IF EXISTS " + database);
      }
    }
  }
}
