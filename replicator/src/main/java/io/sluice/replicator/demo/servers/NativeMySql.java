package io.sluice.replicator.demo.servers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * MySQL from a folder of unpacked binaries or from the PATH. Looked for in this order: the folder
 * that the environment's {@code SLUICE_MYSQL_HOME} names ({@code bin/mysqld} in it), {@code mysql}
 * in the cache folder ({@link ServerFiles#cache}), {@code mysqld} on the PATH, and at last, inside
 * a source tree, what {@code testcontainers-it/servers/prepare.sh} fetches.
 */
public final class NativeMySql implements ServerProgram {
  private static final String ACCOUNTS =
      """
      CREATE USER root@'%' IDENTIFIED BY '';
      GRANT ALL ON *.* TO root@'%' WITH GRANT OPTION;
      CREATE USER cdc@'%' IDENTIFIED BY 'cdc';
      GRANT SELECT, RELOAD, SHOW DATABASES, REPLICATION SLAVE, REPLICATION CLIENT, LOCK TABLES ON *.* TO cdc@'%';
      """;

  private final Path mysqld;
  private final Path home;
  private final String version;

  private NativeMySql(Path mysqld, Path home, String version) {
    this.mysqld = mysqld;
    this.home = home;
    this.version = version;
  }

  /**
   * Starts a server; see {@link NativeServer#start}.
   *
   * @throws ServerUnavailableException when there is no MySQL here and none can be fetched
   */
  public static ThrowawayServer start(String... extraArguments) {
    return NativeServer.start(find().orElseGet(NativeMySql::fetch), extraArguments);
  }

  /** Whether a server can be started without fetching anything. */
  public static boolean isPresent() {
    return find().isPresent();
  }

  private static Optional<NativeMySql> find() {
    String home = System.getenv().getOrDefault("SLUICE_MYSQL_HOME", "");
    if (!home.isEmpty()) {
      Path mysqld = Path.of(home).toAbsolutePath().resolve("bin/mysqld");
      return Optional.of(
          probe(mysqld)
              .orElseThrow(
                  () ->
                      new ServerUnavailableException(
                          "SLUICE_MYSQL_HOME is "
                              + home
                              + ", but "
                              + mysqld
                              + " is no MySQL server that runs here. Unset it or name a folder with bin/mysqld in it.")));
    }
    List<Path> candidates = new ArrayList<>();
    ServerFiles.cache().ifPresent(cache -> candidates.add(cache.resolve("mysql/bin/mysqld")));
    for (String folder :
        (System.getenv().getOrDefault("PATH", "") + ":/usr/sbin:/usr/local/sbin").split(":")) {
      if (!folder.isEmpty()) {
        candidates.add(Path.of(folder).toAbsolutePath().resolve("mysqld"));
      }
    }
    return candidates.stream().flatMap(candidate -> probe(candidate).stream()).findFirst();
  }

  private static NativeMySql fetch() {
    Path script =
        ServerFiles.prepareScript()
            .orElseThrow(
                () ->
                    new ServerUnavailableException(
                        "There is no MySQL server on this machine: no mysqld on the PATH. Install one, or set SLUICE_MYSQL_HOME to an"
                            + " unpacked MySQL (bin/mysqld in it), or use MariaDB."));
    Path cache = ServerFiles.cache().orElseThrow();
    try {
      Path log = Files.createTempFile("sluice-prepare-", ".log");
      try {
        Commands.output(List.of("sh", script.toString(), cache.toString()), log);
      } finally {
        Files.deleteIfExists(log);
      }
    } catch (IOException e) {
      throw new ServerUnavailableException(
          "There is no MySQL server on this machine and none could be fetched: " + e.getMessage(),
          e);
    }
    return find()
        .orElseThrow(
            () ->
                new ServerUnavailableException(
                    script + " ended well, but left no MySQL in " + cache));
  }

  private static Optional<NativeMySql> probe(Path mysqld) {
    if (!Files.isExecutable(mysqld)) {
      return Optional.empty();
    }
    try {
      Path log = Files.createTempFile("sluice-mysqld-", ".version");
      try {
        if (Commands.run(List.of(mysqld.toString(), "--no-defaults", "--version"), null, log)
            != 0) {
          return Optional.empty();
        }
        String text = Files.readString(log);
        if (text.toLowerCase(Locale.ROOT).contains("mariadb")) {
          return Optional.empty();
        }
        String version = text.replaceFirst("(?s).*Ver (\\S+).*", "$1").strip();
        Path home =
            mysqld.getParent() == null
                ? mysqld
                : mysqld.getParent().resolveSibling("").toAbsolutePath().normalize();
        return Optional.of(new NativeMySql(mysqld, home, version));
      } finally {
        Files.deleteIfExists(log);
      }
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  @Override
  public ServerKind kind() {
    return ServerKind.MYSQL;
  }

  @Override
  public String version() {
    return version;
  }

  @Override
  public Path home() {
    return home;
  }

  private List<String> commonArguments(Path dataDir) {
    List<String> arguments =
        new ArrayList<>(List.of(mysqld.toString(), "--no-defaults", "--datadir=" + dataDir));
    Path unpacked = home.resolve("root/usr");
    if (Files.isDirectory(unpacked)) {
      arguments.add("--basedir=" + unpacked);
      arguments.add("--lc-messages-dir=" + unpacked.resolve("share/mysql"));
      arguments.add("--plugin-dir=" + unpacked.resolve("lib/mysql/plugin"));
    } else if (Files.isDirectory(home.resolve("share/english"))) {
      arguments.add("--basedir=" + home);
    }
    arguments.add("--secure-file-priv=");
    arguments.add("--loose-innodb-redo-log-capacity=64M");
    arguments.add("--innodb-flush-log-at-trx-commit=2");
    arguments.add("--innodb-doublewrite=OFF");
    if (System.getProperty("user.name", "").equals("root")) {
      arguments.add("--user=root");
    }
    return arguments;
  }

  @Override
  public void initialize(Path dataDir, Path workDir) throws IOException {
    Path accounts = Files.writeString(workDir.resolve("accounts.sql"), ACCOUNTS);
    List<String> command = commonArguments(dataDir);
    command.add("--log-error=" + workDir.resolve("initialize.err"));
    command.add("--initialize-insecure");
    command.add("--init-file=" + accounts);
    int code = Commands.run(command, null, workDir.resolve("initialize.out"));
    if (code != 0) {
      Path log = workDir.resolve("initialize.err");
      throw new IOException(
          "mysqld --initialize-insecure ended with exit code "
              + code
              + ":\n"
              + NativeServer.tailOf(log));
    }
    // Every server made from this folder gets an identity of its own.
    Files.deleteIfExists(dataDir.resolve("auto.cnf"));
  }

  @Override
  public List<String> command(Path dataDir, Path workDir, int port) {
    List<String> command = commonArguments(dataDir);
    command.addAll(
        List.of(
            "--port=" + port,
            "--bind-address=127.0.0.1",
            "--mysqlx=OFF",
            "--socket=s",
            "--pid-file=" + workDir.resolve("pid"),
            "--log-error=" + workDir.resolve("server.log"),
            "--server-id=" + port,
            "--log-bin=binlog",
            "--binlog-format=ROW",
            "--binlog-row-image=FULL",
            "--binlog-row-metadata=FULL",
            "--gtid-mode=ON",
            "--enforce-gtid-consistency=ON",
            "--skip-name-resolve",
            "--performance-schema=OFF",
            "--sync-binlog=0",
            "--innodb-buffer-pool-size=256M"));
    return command;
  }

  @Override
  public Optional<Path> temporaryFolder() {
    return Optional.empty();
  }
}
