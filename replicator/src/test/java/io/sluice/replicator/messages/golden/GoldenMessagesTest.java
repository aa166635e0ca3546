package io.sluice.replicator.messages.golden;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every file of golden messages is read as the {@code .expected} beside it says. {@code
 * -Dgolden.rewrite=true} writes those anew, to be looked at line by line.
 */
class GoldenMessagesTest {

  private static List<String> names() throws Exception {
    return GoldenFile.names();
  }

  @ParameterizedTest
  @MethodSource("names")
  void readsAsExpected(String name) throws Exception {
    Path expected = GoldenFile.ALL.resolve(name + ".expected");
    try (GoldenReader reader = new GoldenReader(GoldenFile.read(name))) {
      List<String> lines = reader.lines();
      if (Boolean.getBoolean("golden.rewrite")) {
        Files.write(expected, lines, StandardCharsets.UTF_8);
      }
      assertThat(lines).isEqualTo(Files.readAllLines(expected, StandardCharsets.UTF_8));
    }
  }

  @Test
  void thereAreFilesOfAllProducers() throws Exception {
    assertThat(GoldenFile.names())
        .contains(
            "debezium/mysql/propagated/json-with-schema",
            "debezium/mariadb/propagated/avro",
            "debezium/mariadb/defaults/json");
  }
}
