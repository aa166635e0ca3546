package io.sluice.it.kafka;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.config.ConfigLoader;
import io.sluice.config.ConfigProblemsException;
import io.sluice.config.SluiceConfig;
import io.sluice.it.support.DaemonProcess;
import io.sluice.it.support.LakeRows;
import io.sluice.it.support.TableRows;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.StringJoiner;
import java.util.TreeSet;
import java.util.stream.Stream;

/** The config of one pipeline that reads topics, with its warehouse and a working folder. */
final class KafkaFolder {

  private static final ObjectMapper JSON = new ObjectMapper();

  private final Path folder;
  private final Path warehouse;
  private final String name;
  private final List<String> settings = new ArrayList<>();

  KafkaFolder(Path folder, String name, KafkaBroker broker) {
    this(folder, folder.resolve("warehouse"), name, broker);
  }

  KafkaFolder(Path folder, Path warehouse, String name, KafkaBroker broker) {
    this.folder = folder;
    this.warehouse = warehouse;
    this.name = name;
    try {
      Files.createDirectories(warehouse);
      Files.createDirectories(folder);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    set("source.bootstrap-servers = \"" + broker.address() + "\"");
  }

  /** One more line of the config, below {@code sluice}. */
  KafkaFolder set(String line) {
    settings.add(line);
    return this;
  }

  Path warehouse() {
    return warehouse;
  }

  Path writeConfig() {
    String text =
        """
        sluice {
          pipeline = %s
          warehouse = "%s"
          commit-interval = 200ms
          idle-interval = 1s
          source { type = kafka, discovery-interval = 1s }
          http.listen = "127.0.0.1:0"
          %s
        }
        """
            .formatted(
                name,
                warehouse.toUri().toString().replaceFirst("^file:/+", "file:///"),
                String.join("\n  ", settings));
    try {
      return Files.writeString(folder.resolve(name + ".conf"), text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  DaemonProcess run() {
    return DaemonProcess.start(folder, List.of(), List.of("run", "-c", writeConfig().toString()));
  }

  SluiceConfig config() throws ConfigProblemsException {
    return ConfigLoader.load(writeConfig(), Map.of());
  }

  /** The position in the newest epoch file; empty if there is none. */
  String position() {
    Path state = warehouse.resolve("_sluice").resolve(name);
    while (true) {
      try (Stream<Path> files = Files.list(state)) {
        Optional<Path> newest =
            files
                .filter(file -> file.getFileName().toString().startsWith("epoch-"))
                .max(Comparator.naturalOrder());
        return newest.isEmpty()
            ? ""
            : JSON.readTree(newest.get().toFile()).path("position").asText();
      } catch (NoSuchFileException e) {
        if (!Files.exists(state)) {
          return "";
        }
        // Deleted just now, as the one before the newest.
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /** The next offset of a partition in a position; -1 if it isn't there. */
  static long offset(String position, String topic, int partition) throws IOException {
    return position.isEmpty()
        ? -1
        : JSON.readTree(position)
            .path("topics")
            .path(topic)
            .path("offsets")
            .path(Integer.toString(partition))
            .asLong(-1);
  }

  /** Sum of the next offsets in the newest epoch file. */
  long offsets() throws IOException {
    String position = position();
    long sum = 0;
    if (!position.isEmpty()) {
      for (JsonNode topic : JSON.readTree(position).path("topics")) {
        for (JsonNode offset : topic.path("offsets")) {
          sum += offset.asLong();
        }
      }
    }
    return sum;
  }

  TableRows rows(String database, String table) {
    return LakeRows.read(warehouse, database, table);
  }

  /** Rows as texts of these columns, a column that isn't there as null. */
  Set<String> project(String database, String table, String... columns) {
    TableRows all = rows(database, table);
    Set<String> result = new TreeSet<>();
    for (List<String> row : all.rows()) {
      StringJoiner text = new StringJoiner(" ");
      for (String column : columns) {
        int position = all.columns().indexOf(column);
        text.add(position < 0 ? "null" : String.valueOf(row.get(position)));
      }
      if (!result.add(text.toString())) {
        throw new AssertionError("Twice: " + text);
      }
    }
    return result;
  }

  List<String> columns(String database, String table) {
    return LakeRows.columns(warehouse, database, table);
  }

  boolean exists(String database, String table) {
    return Files.exists(warehouse.resolve(database + ".db").resolve(table).resolve("snapshot"));
  }

  /** Waits until Paimon's reader sees so many rows. */
  void awaitRows(DaemonProcess daemon, String database, String table, int count) throws Exception {
    daemon.await(
        Duration.ofSeconds(60),
        database + "." + table + " has " + count + " rows",
        () -> exists(database, table) && rows(database, table).rows().size() == count);
  }
}
