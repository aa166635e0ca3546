package io.sluice.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Writes config files of a test and reads them. */
final class ConfigFiles {

  /** What every file must say. */
  static final String REQUIRED =
      """
      sluice.pipeline = shop
      sluice.warehouse = "file:///lake/warehouse"
      sluice.source { type = mysql, host = db1, user = cdc, include = ["shop.*"] }
      """;

  private final Path folder;

  ConfigFiles(Path folder) {
    this.folder = folder;
  }

  Path write(String text) {
    try {
      return Files.writeString(folder.resolve("shop.conf"), text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The required keys, and these lines behind them. */
  SluiceConfig load(String more) {
    return load(more, Map.of());
  }

  SluiceConfig load(String more, Map<String, String> env) {
    try {
      return ConfigLoader.load(write(REQUIRED + more), env);
    } catch (ConfigProblemsException e) {
      throw new AssertionError(e.getMessage(), e);
    }
  }

  /** The problems of the required keys with these lines behind them. */
  List<ConfigProblem> problems(String more) {
    return problemsOf(REQUIRED + more);
  }

  List<ConfigProblem> problemsOf(String text) {
    Path file = write(text);
    ConfigProblemsException e =
        catchThrowableOfType(
            ConfigProblemsException.class, () -> ConfigLoader.load(file, Map.of()));
    assertThat(e).as("nothing was found wrong").isNotNull();
    assertThat(e.problems())
        .allSatisfy(
            each -> {
              assertThat(each.file()).isEqualTo(file.toString());
              assertThat(each.what()).endsWith(".");
              assertThat(each.remedy()).matches("(?s).*[.?]");
            });
    return e.problems();
  }
}
