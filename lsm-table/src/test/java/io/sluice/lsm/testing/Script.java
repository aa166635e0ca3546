package io.sluice.lsm.testing;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * A test in a text file: blocks of a command and its lines, each followed by its expected output
 * behind {@code ----}; blank lines and those that begin with {@code #} part blocks. {@code
 * -Drewrite=true} writes what comes out into the source file.
 *
 * @param name below {@code src/test/resources}
 */
public record Script(String name, String expected) {

  public static Script load(String name) throws IOException, URISyntaxException {
    return new Script(
        name, Files.readString(Path.of(Script.class.getResource("/" + name).toURI())));
  }

  /**
   * The whole text with the output that there is now; it should equal {@link #expected}.
   *
   * @param execute gives the output of a block, with or without a line end
   */
  public String run(Function<List<String>, String> execute) throws IOException {
    StringBuilder out = new StringBuilder();
    List<String> block = new ArrayList<>();
    boolean output = false;
    for (String line : expected.split("\n", -1)) {
      if (line.isBlank() || line.startsWith("#")) {
        out.append(line).append('\n');
        output = false;
        block.clear();
      } else if (line.equals("----")) {
        out.append(line).append('\n').append(execute.apply(block).stripTrailing()).append('\n');
        output = true;
      } else if (!output) {
        block.add(line);
        out.append(line).append('\n');
      }
    }
    // The split gives one empty text behind the last line end.
    String actual = out.substring(0, out.length() - 1);
    if (Boolean.getBoolean("rewrite")) {
      Files.writeString(Path.of("src/test/resources/" + name), actual);
    }
    return actual;
  }
}
