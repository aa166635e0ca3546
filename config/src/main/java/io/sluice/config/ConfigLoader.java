package io.sluice.config;

import java.nio.file.Path;
import java.util.Map;

/** Reads a pipeline's config file. */
public final class ConfigLoader {

  private ConfigLoader() {}

  /**
   * Reads and checks a file.
   *
   * @param env what {@code ${NAME}} in the file refers to
   * @throws ConfigProblemsException with all problems, if there are any
   */
  public static SluiceConfig load(Path file, Map<String, String> env)
      throws ConfigProblemsException {
    return new ConfigReader(file, env).read();
  }
}
