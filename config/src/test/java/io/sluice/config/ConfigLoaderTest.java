package io.sluice.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConfigLoaderTest {

  @TempDir Path folder;
  private ConfigFiles files;

  @BeforeEach
  void folder() {
    files = new ConfigFiles(folder);
  }

  private ConfigProblem only(String more) {
    List<ConfigProblem> problems = files.problems(more);
    assertThat(problems).hasSize(1);
    return problems.get(0);
  }

  @Test
  void allProblemsAreReportedTogetherInTheFilesOrder() {
    List<ConfigProblem> problems =
        files.problemsOf(
            """
            sluice {
              pipeline = "a b"
              commit-intervall = 2s
              commit-interval = 2
              source {
                type = oracle
                host = db1
                port = 99999
                include = ["a.b.c"]
                password = x
                password-file = y
              }
              retention { time = soon }
            }
            lost = 1
            """);
    assertThat(problems)
        .extracting(each -> each.line() + " " + each.key())
        .containsExactly(
            "2 sluice.pipeline",
            "3 sluice.commit-intervall",
            "4 sluice.commit-interval",
            "6 sluice.source.type",
            "8 sluice.source.port",
            "9 sluice.source.include",
            "11 sluice.source.password-file",
            "11 sluice.source.password-file",
            "13 sluice.retention.time",
            "15 lost",
            "0 sluice.warehouse",
            "0 sluice.source.user");
  }

  @Test
  void messageHasOneLineForEachProblemWithPlaceAndRemedy() {
    assertThat(only("sluice.commit-interval = 2").toString())
        .isEqualTo(
            folder.resolve("shop.conf")
                + ":4: sluice.commit-interval: \"2\" is no duration. Write a number with its unit,"
                + " such as 500ms, 2s, 5m or 1h.");
  }

  @ParameterizedTest
  @CsvSource({
    "sluice.comit-interval, commit-interval",
    "sluice.source.hots, host",
    "sluice.source.backfill.reader, readers",
    "sluice.tables.defaults.buckets, bucket",
    "sluice.http.lissen, listen",
  })
  void unknownKeyIsRefusedAndTheNearestNamed(String key, String nearest) {
    ConfigProblem problem = only(key + " = 1");
    assertThat(problem.key()).isEqualTo(key);
    assertThat(problem.what()).isEqualTo("there is no such key.");
    assertThat(problem.remedy()).isEqualTo("Did you mean " + nearest + "?");
  }

  @Test
  void unknownKeyLikeNoneGetsTheListOfAll() {
    assertThat(only("sluice.retention.zzzzzzzzzzzzzz = 1").remedy())
        .isEqualTo("There are: snapshots-max, snapshots-min, time.");
  }

  @Test
  void unknownKeyInARuleIsRefused() {
    assertThat(only("sluice.tables.rules = [ { match = a.b, buckets = 2 } ]"))
        .returns("sluice.tables.rules[0].buckets", ConfigProblem::key)
        .returns("Did you mean bucket?", ConfigProblem::remedy);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "workers = 0 | whole number",
        "workers = many | whole number",
        "workers = 1.5 | whole number",
        "commit-interval = 1ms | out of range",
        "commit-interval = 2 parsecs | no duration",
        "memory.memtables = plenty | no size",
        "memory.queue = 12 | too little",
        "memory = 5 | block",
        "source.connect.tls = yes | not possible",
        "source.type = [mysql] | single value",
        "source.type = oracle | not possible",
        "source.include = \"shop.*\" | list",
        "source.include = shop.* | not valid HOCON",
        "workers = [1] | single value",
        "commit-interval = {} | single value",
        "source.include = [shop] | names no table",
        "source.include = [] | no table is included",
        "source.exclude = [{a = b}] | element",
        "source.server-time-zone = Mars | no time zone",
        "source.server-id = 4294967296 | whole number",
        "source.user = \"\" | is empty",
        "source.debezium { a = [1] } | single value",
        "on-bad-record = dead-letter | not possible",
        "source.topics = [a] | has no such setting",
        "on-table-error = leave | is not possible",
        "tables.defaults.file-format = csv | can't be written",
        "tables.defaults.tinyint1-as-boolean = maybe | neither true nor false",
        "tables.rules = [{ into = a.b }] | is missing",
        "tables.rules = [{ match = a.b, into = c }] | names no lake table",
        "tables.rules = [{ match = \"a.*\", into = c.d }] | would become one",
        "tables.rules = [{ match = a.b, computed { dt = x } }] | not available in this version",
        "tables.rules = [7] | not a block",
        "tables.rules = 7 | list of blocks",
        "retention.snapshots-min = 2000 | more than snapshots-max",
        "http.listen = 9300 | no address and port",
        "http.listen = \"host:x\" | no address and port",
        "warehouse = \"s3a://lake/w\" | not on the local file system",
        "warehouse = \"file://host/w\" | names a host",
      })
  void valueThatCannotBeUsedIsRefused(String line, String what) {
    assertThat(only("sluice." + line).what()).contains(what);
  }

  @Test
  void aMissingFileIsAProblem() {
    assertThatThrownBy(() -> ConfigLoader.load(folder.resolve("none.conf"), Map.of()))
        .isInstanceOf(ConfigProblemsException.class)
        .hasMessageContaining("none.conf: there is no such file.");
  }

  @Test
  void textThatIsNoHoconIsAProblemWithItsLine() {
    assertThat(only("sluice { a = \n"))
        .satisfies(problem -> assertThat(problem.line()).isPositive())
        .returns("", ConfigProblem::key);
  }

  @Test
  void aFileWithoutTheBlockIsAProblem() {
    assertThat(files.problemsOf("")).extracting(ConfigProblem::key).containsExactly("sluice");
  }

  @Test
  void variablesComeFromTheGivenEnvironmentAlone() {
    SluiceConfig config =
        files.load(
            "sluice.source.password = ${?SLUICE_P}\nsluice.workers = ${?PATH}",
            Map.of("SLUICE_P", "geheim"));
    assertThat(config.database().connection().password()).contains(new Secret("geheim"));
    assertThat(config.workers()).isEmpty();
  }

  @Test
  void aVariableThatIsMissingIsAProblemUnlessItMayBe() {
    assertThat(only("sluice.source.password = ${NO_SUCH}"))
        .satisfies(problem -> assertThat(problem.what()).contains("NO_SUCH"));
    assertThat(
            files.load("sluice.source.password = ${?NO_SUCH}").database().connection().password())
        .isEmpty();
  }

  @Test
  void aWrongValueFromTheEnvironmentNamesTheFile() {
    files.write(ConfigFiles.REQUIRED + "sluice.workers = ${W}");
    assertThatThrownBy(() -> ConfigLoader.load(folder.resolve("shop.conf"), Map.of("W", "lots")))
        .hasMessageContaining("shop.conf: sluice.workers: \"lots\" is no whole number");
  }

  @Test
  void passwordFileHoldsNothingButThePassword() throws IOException {
    Files.writeString(folder.resolve("pw"), "s e cret\n");
    assertThat(files.load("sluice.source.password-file = pw").database().connection().password())
        .contains(new Secret("s e cret"));
    assertThat(only("sluice.source.password-file = nowhere").what()).contains("can't be read");
  }

  @Test
  void secretsAreNeverPrinted() {
    SluiceConfig config = files.load("sluice.source.password = geheim");
    assertThat(config.toString()).contains("***").doesNotContain("geheim");
    assertThat(files.problems("sluice.source.password = [geheim]").toString())
        .doesNotContain("geheim");
    assertThat(only("sluice.source.password = \"ge\"heim\"").toString())
        .contains("not valid HOCON")
        .doesNotContain("heim\"");
  }

  @Test
  void theDocumentedFormOfIncludeWorksThoughHoconHasAStatementOfThatName() {
    SluiceConfig config =
        files.load(
            """
            sluice {
              source {
                include = ["a.*", "b.c"]
                exclude = ["a.tmp_*"]
              }
            }
            """);
    assertThat(config.database().include())
        .extracting(TablePattern::toString)
        .containsExactly("a.*", "b.c");
  }

  @Test
  void relativeWarehouseBeginsAtTheFilesFolder() {
    assertThat(files.load("sluice.warehouse = lake").warehouse())
        .isEqualTo(folder.toAbsolutePath().resolve("lake").toString());
  }

  @Test
  void anIncludedFilesProblemsNameThatFile() throws IOException {
    Files.writeString(folder.resolve("more.conf"), "\n\nsluice.workers = lots\n");
    files.write("include \"more.conf\"\n" + ConfigFiles.REQUIRED);
    assertThatThrownBy(() -> ConfigLoader.load(folder.resolve("shop.conf"), Map.of()))
        .hasMessageContaining("more.conf:3: sluice.workers");
  }
}
