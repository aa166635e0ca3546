package io.sluice.replicator.sources.debezium;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class GtidSetTest {

  private static final String A = "3e11fa47-71ca-11e1-9e33-c80aa9429562";
  private static final String B = "3e11fa47-71ca-11e1-9e33-c80aa9429563";

  @Test
  void joinsIntervalsThatTouchAndKeepsGaps() {
    assertThat(MySqlGtidSet.parse(A + ":1-50:61-80:51-55")).hasToString(A + ":1-55:61-80");
    assertThat(MySqlGtidSet.parse(A + ":30-100").with(A + ":1-20")).hasToString(A + ":1-20:30-100");
    assertThat(MySqlGtidSet.parse(A + ":1-9").with(A + ":10").with(A + ":12").with(A + ":11"))
        .hasToString(A + ":1-12");
    assertThat(MySqlGtidSet.parse("").with(B + ":7").with(A + ":1"))
        .hasToString(A + ":1," + B + ":7");
    assertThat(MySqlGtidSet.parse(A.toUpperCase(java.util.Locale.ROOT) + ":1,\n" + A + ":2"))
        .hasToString(A + ":1-2");
  }

  @Test
  void containsOnlyWhatIsThere() {
    MySqlGtidSet set = MySqlGtidSet.parse(A + ":1-50:61-80," + B + ":5");
    assertThat(set.contains(MySqlGtidSet.parse(A + ":2-49:61"))).isTrue();
    assertThat(set.contains(MySqlGtidSet.parse(A + ":51-60"))).isFalse();
    assertThat(set.contains(MySqlGtidSet.parse(A + ":50-61"))).isFalse();
    assertThat(set.contains(MySqlGtidSet.parse(B + ":4-5"))).isFalse();
    assertThat(set.contains(MySqlGtidSet.parse(""))).isTrue();
  }

  @Test
  void unitesLikeASetOfNumbers() {
    long seed = Long.getLong("test.seed", 20261129L);
    System.out.println("GtidSetTest: replay with -Dtest.seed=" + seed);
    Random random = new Random(seed);
    for (int round = 0; round < 200; round++) {
      var model = new TreeSet<Long>();
      GtidSet set = MySqlGtidSet.parse("");
      for (int i = 0; i < 60; i++) {
        long from = 1 + random.nextInt(80);
        long to = from + random.nextInt(random.nextInt(4) == 0 ? 10 : 1);
        set =
            random.nextBoolean()
                ? set.union(MySqlGtidSet.parse(A + ":" + from + "-" + to))
                : set.with(A + ":" + from + (to > from ? "-" + to : ""));
        for (long n = from; n <= to; n++) {
          model.add(n);
        }
        for (long n = 1; n <= 100; n++) {
          assertThat(set.contains(MySqlGtidSet.parse(A + ":" + n)))
              .as("%s in %s", n, set)
              .isEqualTo(model.contains(n));
        }
        assertThat(MySqlGtidSet.parse(set.toString())).isEqualTo(set);
      }
    }
  }

  @Test
  void refusesTagsAndNonsense() {
    assertThatThrownBy(() -> MySqlGtidSet.parse(A + ":tag:1-5"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("tagged");
    assertThatThrownBy(() -> MySqlGtidSet.parse(A)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> MySqlGtidSet.parse(A + ":5-4"))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> MariaDbGtidSet.parse("0-1"))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void keepsTheNewestOfEachMariaDbDomain() {
    MariaDbGtidSet set = MariaDbGtidSet.parse("0-1-100,7-2-5");
    assertThat(set.with("0-9-101")).hasToString("0-9-101,7-2-5");
    assertThat(set.with("3-1-1")).hasToString("0-1-100,3-1-1,7-2-5");
    assertThat(set.contains(MariaDbGtidSet.parse("0-5-100"))).isTrue();
    assertThat(set.contains(MariaDbGtidSet.parse("0-1-101"))).isFalse();
    assertThat(set.contains(MariaDbGtidSet.parse("1-1-1"))).isFalse();
  }
}
