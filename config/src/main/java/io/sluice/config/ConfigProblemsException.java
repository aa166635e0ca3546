package io.sluice.config;

import java.util.List;
import java.util.stream.Collectors;

/** A config file can't be used; all that is wrong with it. The message has one line for each. */
public final class ConfigProblemsException extends Exception {

  private static final long serialVersionUID = 1L;

  private final transient List<ConfigProblem> problems;

  public ConfigProblemsException(List<ConfigProblem> problems) {
    super(problems.stream().map(ConfigProblem::toString).collect(Collectors.joining("\n")));
    this.problems = List.copyOf(problems);
  }

  /** In the order of the file; never empty. */
  public List<ConfigProblem> problems() {
    return problems;
  }
}
