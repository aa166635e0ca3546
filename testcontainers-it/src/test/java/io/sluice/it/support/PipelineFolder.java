package io.sluice.it.support;

import io.sluice.replicator.demo.servers.ThrowawayServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The config of one pipeline of a test, with its warehouse and a working folder; small numbers so
 * that every path is taken often.
 */
public final class PipelineFolder {
  private final Path folder;
  private final Path warehouse;
  private final String name;
  private final List<String> settings = new ArrayList<>();
  private String kind = "mysql";
  private String host = "127.0.0.1";
  private int port = 3306;
  private String user = ThrowawayServer.CDC.user();
  private String password = ThrowawayServer.CDC.password();
  private List<String> include = List.of();

  /** A new pipeline with everything below one folder. */
  public PipelineFolder(Path folder, String name) {
    this(folder, folder.resolve("warehouse"), name);
  }

  public PipelineFolder(Path folder, Path warehouse, String name) {
    this.folder = folder;
    this.warehouse = warehouse;
    this.name = name;
    try {
      Files.createDirectories(folder);
      Files.createDirectories(warehouse);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public PipelineFolder source(ThrowawayServer server) {
    kind = server.kind().sourceType();
    host = server.host();
    port = server.port();
    return this;
  }

  public PipelineFolder login(String newUser, String newPassword) {
    user = newUser;
    password = newPassword;
    return this;
  }

  public PipelineFolder address(String newHost, int newPort) {
    host = newHost;
    port = newPort;
    return this;
  }

  public PipelineFolder include(String... patterns) {
    include = List.of(patterns);
    return this;
  }

  /**
   * One more line of the config, below {@code sluice}, such as {@code source.backfill.chunk-rows =
   * 2}; a later one wins.
   */
  public PipelineFolder set(String line) {
    settings.add(line);
    return this;
  }

  public Path folder() {
    return folder;
  }

  public Path warehouse() {
    return warehouse;
  }

  public String name() {
    return name;
  }

  /** The pipeline's own folder in the lake. */
  public Path stateFolder() {
    return warehouse.resolve("_sluice").resolve(name);
  }

  public Path table(String database, String table) {
    return warehouse.resolve(database + ".db").resolve(table);
  }

  /** Writes the config file and returns it. */
  public Path writeConfig() {
    String tables = include.stream().map(PipelineFolder::quoted).collect(Collectors.joining(", "));
    String text =
        """
        sluice {
          pipeline = %s
          warehouse = %s
          commit-interval = 200ms
          source {
            type = %s, host = %s, port = %d
            user = %s, password = %s
            include = [%s]
          }
          http.listen = "127.0.0.1:0"
          %s
        }
        """
            .formatted(
                name,
                quoted(warehouse.toUri().toString().replaceFirst("^file:/+", "file:///")),
                kind,
                quoted(host),
                port,
                quoted(user),
                quoted(password),
                tables,
                String.join("\n  ", settings));
    try {
      return Files.writeString(folder.resolve("pipeline.conf"), text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String quoted(String text) {
    return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
  }
}
