package io.sluice.sinks.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.sluice.sinks.pipeline.OrdersExplorer.Result;
import io.sluice.sinks.pipeline.OrdersForeign.Act;
import io.sluice.sinks.pipeline.OrdersWorld.May;
import io.sluice.sinks.pipeline.OrdersWorld.Rule;
import io.sluice.sinks.pipeline.OrdersWorld.Scenario;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.LoggerFactory;

/**
 * All orders in small of what may go wrong around the real recovery, committer and expiry: no row
 * is lost or doubled, all tables come back at one position, who is fenced does no harm, and who has
 * not been taken over from is never stopped. And each rule is needed: without it some order breaks
 * the promise.
 */
class OrdersTest {

  /** {@code all}: every order within each story's budget; takes a quarter of an hour and more. */
  private static final boolean ALL = "all".equals(System.getProperty("test.orders"));

  private static final OrdersScript SCRIPT =
      OrdersScript.of(
          Map.of("a", OrdersScript.Act.CREATE_WITH_ROW, "b", OrdersScript.Act.CREATE),
          Map.of("a", OrdersScript.Act.ROW, "b", OrdersScript.Act.ROW),
          Map.of("a", OrdersScript.Act.ALTER_AND_ROW),
          Map.of("a", OrdersScript.Act.ROW, "b", OrdersScript.Act.TRUNCATE));

  private static OrdersExplorer explorer;
  private static OrdersShelf afterTwo;

  /** What happens, and how much of it is tried. */
  private enum Story {
    FROM_NOTHING(2, 40),
    TWO_DAEMONS(2, 80),
    OTHERS_BESIDE(2, 80),
    TAKING_TURNS(3, 8);

    final int budget;
    final int share;

    Story(int budget, int share) {
      this.budget = budget;
      this.share = share;
    }

    Scenario scenario() {
      return switch (this) {
        case FROM_NOTHING ->
            scenario(
                upTo(2),
                new OrdersShelf(),
                0,
                EnumSet.of(May.CRASH, May.LOSE_ANSWER, May.FAIL, May.LAND_LATE),
                List.of(),
                1);
        case TWO_DAEMONS ->
            scenario(
                SCRIPT,
                afterTwo,
                2,
                EnumSet.of(May.CRASH, May.LOSE_ANSWER, May.LAND_LATE, May.SECOND_DAEMON),
                List.of(),
                3);
        case OTHERS_BESIDE ->
            scenario(
                SCRIPT,
                afterTwo,
                2,
                EnumSet.of(May.CRASH, May.LOSE_ANSWER, May.LAND_LATE),
                List.of(
                    new OrdersForeign("f", "a", List.of(Act.COMMIT, Act.COMPACT, Act.EXPIRE)),
                    new OrdersForeign("g", "a", List.of(Act.COMMIT, Act.EXPIRE))),
                1);
        case TAKING_TURNS ->
            scenario(upTo(3), afterTwo, 2, EnumSet.of(May.SECOND_DAEMON), List.of(), 2);
      };
    }

    private Scenario scenario(
        OrdersScript script,
        OrdersShelf begin,
        int at,
        Set<May> may,
        List<OrdersForeign> foreign,
        int daemonsMax) {
      return new Scenario(name(), script, begin, at, may, foreign, daemonsMax, Set.of());
    }
  }

  @BeforeAll
  static void begin() {
    ((Logger) LoggerFactory.getLogger("io.sluice")).setLevel(Level.OFF);
    explorer = new OrdersExplorer();
    afterTwo = explorer.plain(upTo(2));
  }

  @AfterAll
  static void end() {
    ((Logger) LoggerFactory.getLogger("io.sluice")).setLevel(null);
    explorer.close();
  }

  private static OrdersScript upTo(int position) {
    return new OrdersScript(SCRIPT.transactions().subList(0, position));
  }

  @ParameterizedTest
  @EnumSource(Story.class)
  void keepsItsPromisesInEveryOrder(Story story) {
    Result result = explorer.explore(story.scenario(), story.budget, ALL ? 1 : story.share);
    System.out.println(story + ", up to " + story.budget + " deviations: " + result);
    int[] failure = result.failure();
    if (failure != null) {
      throw new AssertionError(
          result + "\n" + String.join("\n", explorer.replay(story.scenario(), failure)),
          result.why());
    }
    assertThat(result.runs()).isGreaterThan(100);
  }

  static Stream<Arguments> neededRules() {
    return Stream.of(
        arguments(Set.of(Rule.R1_LIST_AFTER_CREATION), Story.TWO_DAEMONS, 1, " holds "),
        arguments(Set.of(Rule.R2_READ_BACK_NOT_TRUST), Story.TAKING_TURNS, 2, " holds "),
        arguments(Set.of(Rule.R2_READ_BACK_NOT_DOUBT), Story.FROM_NOTHING, 1, " is stopped "),
        arguments(Set.of(Rule.R3_LOOK_FOR_OURS), Story.FROM_NOTHING, 1, ""),
        arguments(Set.of(Rule.R4_PIN), Story.OTHERS_BESIDE, 1, " is stopped "),
        arguments(Set.of(Rule.R4_PIN, Rule.R5_HOLE), Story.OTHERS_BESIDE, 1, ""),
        arguments(Set.of(Rule.R6_OWN_COMPACTION_USER), Story.FROM_NOTHING, 1, " holds "),
        arguments(Set.of(Rule.R7_KEEP_FILES), Story.TWO_DAEMONS, 1, ", which is gone"));
  }

  @ParameterizedTest
  @MethodSource("neededRules")
  void breaksItsPromisesWithoutTheRule(Set<Rule> rules, Story story, int budget, String how) {
    Scenario without = story.scenario().without(rules);
    Result result = explorer.explore(without, budget, 1);
    System.out.println(without.name() + ": " + result + ": " + result.why());
    assertThat(result.failure()).as("an order that breaks a promise").isNotNull();
    assertThat(result.why()).hasMessageContaining(how);
  }

  @ParameterizedTest
  @EnumSource(Story.class)
  void anOrderCanBeRepeated(Story story) {
    int[] deviations = {1, 1};
    List<String> once = explorer.replay(story.scenario(), deviations);
    assertThat(explorer.replay(story.scenario(), deviations))
        .as(Arrays.toString(deviations))
        .isEqualTo(once);
    assertThat(once).hasSizeGreaterThan(20);
  }
}
