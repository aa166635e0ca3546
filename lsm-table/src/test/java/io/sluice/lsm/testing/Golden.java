package io.sluice.lsm.testing;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.lsm.io.LocalFileIO;
import io.sluice.lsm.scan.TableScan;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.table.LsmTable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A table that Paimon 1.4.2 wrote, with what Paimon reads from it (see golden/README.md).
 *
 * @param folder of the table
 * @param expected the part of expected.json that is about the table
 */
public record Golden(Path folder, JsonNode expected) {

  private static final Pattern SURROGATES =
      Pattern.compile("\\\\u([dD][89abAB]\\p{XDigit}{2})\\\\u([dD][c-fC-F]\\p{XDigit}{2})");

  /** The names of all cases. */
  public static List<String> names() throws IOException, URISyntaxException {
    Path cases = Path.of(Golden.class.getResource("/golden/README.md").toURI()).getParent();
    try (Stream<Path> paths = Files.list(cases)) {
      return paths
          .filter(Files::isDirectory)
          .map(path -> path.getFileName().toString())
          .sorted()
          .toList();
    }
  }

  /** In the test's resources: for reading. */
  public static Golden of(String name) throws IOException, URISyntaxException {
    Path root =
        Path.of(Golden.class.getResource("/golden/" + name + "/expected.json").toURI()).getParent();
    JsonNode expected =
        new ObjectMapper().readTree(Files.readAllBytes(root.resolve("expected.json")));
    return new Golden(root.resolve(expected.get("table").asText()), expected);
  }

  /** The other table of the same case. */
  public Golden second() {
    JsonNode second = expected.get("secondTable");
    Path root = folder.getParent().getParent().getParent();
    return new Golden(root.resolve(second.get("table").asText()), second);
  }

  /** A copy, to be changed; files keep their times. */
  public Golden copyTo(Path target) throws IOException {
    copy(folder, target);
    return new Golden(target, expected);
  }

  public static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> paths = Files.walk(from)) {
      paths.forEach(
          path -> {
            Path copy = to.resolve(from.relativize(path).toString());
            try {
              if (Files.isDirectory(path)) {
                Files.createDirectories(copy);
              } else {
                Files.copy(path, copy, java.nio.file.StandardCopyOption.COPY_ATTRIBUTES);
              }
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
          });
    }
  }

  public LsmTable open() throws IOException {
    return LsmTable.open(
        new LocalFileIO(new TestIds()),
        folder.toString(),
        new FakeClock(),
        () -> UUID.randomUUID().toString());
  }

  /** Expected rows of the scan's columns, sorted by text. */
  public static List<Map<String, String>> rows(JsonNode rows, TableScan scan) {
    List<Map<String, String>> result = new ArrayList<>();
    for (JsonNode row : rows) {
      Map<String, String> values = new LinkedHashMap<>();
      for (DataField field : scan.rowType().fields()) {
        JsonNode value = row.get(field.name());
        values.put(field.name(), value == null || value.isNull() ? null : plain(value.asText()));
      }
      result.add(values);
    }
    return CanonicalRows.sorted(result);
  }

  /** Nested values are JSON in which pairs of surrogates are escaped. */
  private static String plain(String text) {
    return SURROGATES
        .matcher(text)
        .replaceAll(
            pair ->
                String.valueOf(
                    new char[] {
                      (char) Integer.parseInt(pair.group(1), 16),
                      (char) Integer.parseInt(pair.group(2), 16)
                    }));
  }
}
