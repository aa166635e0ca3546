package io.sluice.sinks.epoch;

import static io.sluice.lsm.testing.TestFiles.append;
import static io.sluice.lsm.testing.TestFiles.file;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.lsm.commit.CommitRequest;
import io.sluice.lsm.commit.CommitRequest.AttemptGuard;
import io.sluice.lsm.expire.ConsumerFiles;
import io.sluice.lsm.table.LsmTable;
import io.sluice.lsm.testing.FakeClock;
import io.sluice.lsm.testing.MemoryFileIO;
import io.sluice.lsm.testing.TestFiles;
import io.sluice.lsm.testing.TestIds;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class IdlePinsTest {

  private static final String CONSUMER = "sluice-shop";

  private final MemoryFileIO memory = new MemoryFileIO();
  private final FakeClock clock = new FakeClock();
  private final TestIds ids = new TestIds();
  private final LakeTable idle = new LakeTable("shop", "idle");
  private final LakeTable busy = new LakeTable("shop", "busy");
  private final LakeTables tables = new LakeTables(memory, "/lake", clock, ids);
  private final ConsumerFiles consumers = new ConsumerFiles(memory, idle.paths("/lake"));
  private long now;
  private final IdlePins pins = new IdlePins(tables, CONSUMER, () -> now);
  private LsmTable others;
  private int commits;

  @BeforeEach
  void create() throws IOException {
    others = LsmTable.create(memory, idle.root("/lake"), TestFiles.schema(Map.of()), clock, ids);
    consumers.advance(CONSUMER, 1);
    commitByOthers();
  }

  private void commitByOthers() throws IOException {
    commits++;
    others
        .committer()
        .commit(
            new CommitRequest(
                "somebody",
                commits,
                new CommitRequest.Append(
                    others
                        .committer()
                        .prepare(List.of(append(0, file("f" + commits, 0, commits, commits))))),
                Map.of()),
            AttemptGuard.ALWAYS);
  }

  private void epoch(LakeTable... changed) {
    pins.afterEpoch(Set.of(idle, busy), Set.of(changed));
  }

  private long pin() throws IOException {
    return consumers.read(CONSUMER).orElseThrow();
  }

  @Test
  void movesThePinOfATableThatOthersWriteToWhatWasThereOneEpochBefore() throws IOException {
    epoch(busy);
    commitByOthers();
    commitByOthers();
    now += TimeUnit.HOURS.toNanos(1);
    epoch(busy);
    assertThat(pin()).as("not before the next epoch is there").isEqualTo(1);
    commitByOthers();
    epoch(busy);
    assertThat(pin()).as("never what came later: a base may lie before it").isEqualTo(3);
  }

  @Test
  void asksNothingOfIdleTablesMoreThanOnceAnHour() throws IOException {
    for (int i = 0; i < 10; i++) {
      now += TimeUnit.MINUTES.toNanos(5);
      epoch(busy);
      commitByOthers();
    }
    epoch(busy);
    assertThat(pin()).isEqualTo(1);
  }

  @Test
  void leavesATableAloneThatEpochsChange() throws IOException {
    for (int i = 0; i < 10; i++) {
      now += TimeUnit.HOURS.toNanos(2);
      epoch(idle, busy);
    }
    assertThat(pin()).isEqualTo(1);
  }

  @Test
  void forgetsWhatItSawBeforeAnotherOwner() throws IOException {
    epoch();
    commitByOthers();
    now += TimeUnit.HOURS.toNanos(1);
    epoch();
    pins.forget();
    epoch();
    assertThat(pin()).isEqualTo(1);
  }
}
