package io.sluice.lsm.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.lsm.testing.PaimonOracle;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OpenTableExampleTest {

  private static final Path SOURCE =
      Path.of("src/test/java/io/sluice/lsm/table/OpenTableExample.java");

  @TempDir Path folder;

  @Test
  void doesWhatItSaysAndPaimonReadsTheTable() throws Exception {
    Path table = folder.resolve("people");
    assertThat(OpenTableExample.run(table.toString())).containsExactly("Grace", "Edsger");
    assertThat(new PaimonOracle(table).readLatest()).hasSize(3);
  }

  @Test
  void isTheCodeOfTheDocument() throws IOException {
    String source = Files.readString(SOURCE);
    String code =
        source.substring(
            source.indexOf("// example begins\n") + "// example begins\n".length(),
            source.indexOf("    // example ends"));
    assertThat(Files.readString(Path.of("docs/open-table.md")))
        .as("copy the lines between the marks of " + SOURCE)
        .contains(code.indent(-4).strip());
  }
}
