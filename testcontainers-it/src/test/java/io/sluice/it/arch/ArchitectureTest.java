package io.sluice.it.arch;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaAccess.Predicates.target;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.AccessTarget;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The classes that are shipped, none of the tests. */
class ArchitectureTest {
  /** The packages of lsm-table, lowest first: each may import those before it only. */
  private static final List<String> LSM_PACKAGES =
      List.of(
          "error",
          "schema",
          "io",
          "row",
          "binary",
          "datafile",
          "merge",
          "snapshot",
          "manifest",
          "index",
          "level",
          "changelog",
          "commit",
          "compaction",
          "write",
          "scan",
          "expire",
          "check",
          "table");

  /** Names of methods and constructors that take time or chance out of the air, by class. */
  private static final Map<String, Set<String>> CLOCKS_AND_RANDOMS =
      Map.of(
          "java.lang.System", Set.of("currentTimeMillis"),
          "java.lang.Math", Set.of("random"),
          "java.lang.Thread", Set.of("sleep"),
          "java.util.UUID", Set.of("randomUUID"),
          "java.util.concurrent.ThreadLocalRandom", Set.of("current"),
          "java.time.Clock", Set.of("systemUTC", "systemDefaultZone", "system"),
          "java.time.Instant", Set.of("now"),
          "java.time.LocalDateTime", Set.of("now"),
          "java.time.LocalDate", Set.of("now"),
          "java.time.ZonedDateTime", Set.of("now"));

  private static JavaClasses classes;

  @BeforeAll
  static void readClasses() {
    classes =
        new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            // The fixtures of lsm-table, which are a folder or a jar, by how far the build went.
            .withImportOption(location -> !location.contains("-tests.jar"))
            .importPackages("io.sluice");
  }

  @Test
  void keepsTheArrowsBetweenModules() {
    refuse(
        "io.sluice.config..",
        "io.sluice.lsm..",
        "io.sluice.evolution..",
        "io.sluice.sinks..",
        "io.sluice.replicator..");
    refuse(
        "io.sluice.lsm..",
        "io.sluice.config..",
        "io.sluice.evolution..",
        "io.sluice.sinks..",
        "io.sluice.replicator..");
    refuse(
        "io.sluice.evolution..",
        "io.sluice.config..",
        "io.sluice.sinks..",
        "io.sluice.replicator..");
    refuse("io.sluice.sinks..", "io.sluice.config..", "io.sluice.replicator..");
  }

  private static void refuse(String from, String... to) {
    noClasses()
        .that()
        .resideInAPackage(from)
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(to)
        .because(
            "arrows between modules point one way only: move the class to the module that may know both")
        .allowEmptyShould(true)
        .check(classes);
  }

  @Test
  void letsSchemaEvolutionKnowOnlyTheSchemaTypesOfTheTableEngine() {
    noClasses()
        .that()
        .resideInAPackage("io.sluice.evolution..")
        .should()
        .dependOnClassesThat(
            describe(
                "are in lsm-table but neither schema nor error",
                type ->
                    type.getPackageName().startsWith("io.sluice.lsm.")
                        && !type.getPackageName().startsWith("io.sluice.lsm.schema")
                        && !type.getPackageName().startsWith("io.sluice.lsm.error")))
        .because("schema-evolution is pure: schemas in, changes out")
        .allowEmptyShould(true)
        .check(classes);
  }

  @Test
  void keepsTheArrowsBetweenThePackagesOfTheTableEngine() {
    List<String> problems = new ArrayList<>();
    classes.stream()
        .filter(type -> type.getPackageName().startsWith("io.sluice.lsm."))
        .forEach(
            type ->
                type.getDirectDependenciesFromSelf().stream()
                    .filter(
                        dependency ->
                            dependency
                                .getTargetClass()
                                .getPackageName()
                                .startsWith("io.sluice.lsm."))
                    .filter(
                        dependency ->
                            rank(dependency.getTargetClass().getPackageName())
                                > rank(type.getPackageName()))
                    .forEach(dependency -> problems.add(dependency.getDescription())));
    if (!problems.isEmpty()) {
      throw new AssertionError(
          "A package of lsm-table may import only those before it in "
              + LSM_PACKAGES
              + ": move what is shared down, or put the caller up.\n"
              + String.join("\n", problems));
    }
  }

  private static int rank(String packageName) {
    String first = packageName.substring("io.sluice.lsm.".length()).replaceFirst("\\..*", "");
    int rank = LSM_PACKAGES.indexOf(first);
    if (rank < 0) {
      throw new AssertionError(
          "package "
              + packageName
              + " has no place in the order of lsm-table's packages: give it one here");
    }
    return rank;
  }

  @Test
  void hasNoPackageCycles() {
    slices().matching("io.sluice.(**)").should().beFreeOfCycles().check(classes);
  }

  @Test
  void keepsDebeziumAndKafkaInTheSources() {
    noClasses()
        .that()
        .resideOutsideOfPackage("io.sluice.replicator.sources..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("io.debezium..", "org.apache.kafka..", "com.github.shyiko..")
        .because("rows leave a source's own types once, at the door: hand on Sluice's types")
        .check(classes);
  }

  @Test
  void keepsFileFormatsAndHadoopAtTheEdgeOfTheTableEngine() {
    noClasses()
        .that()
        .resideOutsideOfPackages(
            "io.sluice.lsm.datafile..",
            "io.sluice.lsm.manifest..",
            "io.sluice.lsm.io..",
            // Messages in Avro: their schemas are read by Avro's own parser.
            "io.sluice.replicator.messages.avro..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "org.apache.orc..", "org.apache.avro..", "org.apache.hadoop..", "org.apache.parquet..")
        .because(
            "formats and file systems are exchangeable: go through FileFormat, ManifestFile or FileIO")
        .check(classes);
  }

  @Test
  void shipsNothingOfPaimon() {
    noClasses()
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("org.apache.paimon..")
        .because("Paimon's jars are the tests' oracle, never needed at run time")
        .check(classes);
  }

  @Test
  void takesTimeAndChanceFromOutside() {
    noClasses()
        .that()
        .resideOutsideOfPackages("io.sluice.replicator.cli..", "io.sluice.replicator.demo..")
        .and()
        .doNotHaveFullyQualifiedName("io.sluice.replicator.daemon.Daemon")
        .and()
        // The one place that sleeps; who retries is given a Backoff.
        .doNotHaveFullyQualifiedName("io.sluice.lsm.io.Backoff")
        .should()
        .callCodeUnitWhere(target(clocksAndRandoms()))
        .because(
            "tests must own time and chance: take a Clock, a Supplier of ids or a seeded Random in the constructor")
        .check(classes);
  }

  private static DescribedPredicate<AccessTarget> clocksAndRandoms() {
    return describe(
        "takes time or chance out of the air",
        target -> {
          String owner = target.getOwner().getName();
          boolean given =
              target instanceof AccessTarget.CodeUnitCallTarget call
                  && call.getRawParameterTypes().stream()
                      .anyMatch(type -> type.getName().equals("java.time.Clock"));
          boolean listed =
              !given && CLOCKS_AND_RANDOMS.getOrDefault(owner, Set.of()).contains(target.getName());
          boolean unseeded =
              owner.equals("java.util.Random")
                  && target instanceof AccessTarget.ConstructorCallTarget constructor
                  && constructor.getRawParameterTypes().isEmpty();
          return listed || unseeded;
        });
  }
}
