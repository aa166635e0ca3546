package io.sluice.replicator.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.lsm.io.FileIO;
import io.sluice.lsm.testing.FaultyFileIO;
import io.sluice.lsm.testing.MemoryFileIO;
import io.sluice.sinks.PipelineStoppedException;
import io.sluice.sinks.PipelineStoppedException.Reason;
import java.io.IOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Who gets the lease, and what its holder does when another one writes it. */
class LeaseTest {

  private static final String FOLDER = "/lake/_sluice/shop";
  private static final String PATH = FOLDER + "/lease";

  private final MemoryFileIO storage = new MemoryFileIO();
  private final FakeTime time = new FakeTime();
  private final Set<Long> dead = new HashSet<>();
  private final CompletableFuture<Void> stop = new CompletableFuture<>();
  private boolean overtaken;

  /** Time that passes only when somebody waits; something may happen at each second of it. */
  private static final class FakeTime implements Lease.Time {
    long now;
    long waits;
    Runnable eachWait = () -> {};

    @Override
    public long nanos() {
      return now;
    }

    @Override
    public boolean await(CompletableFuture<?> future, Duration duration) {
      if (future.isDone()) {
        return true;
      }
      now += duration.toNanos();
      waits++;
      eachWait.run();
      return future.isDone();
    }

    long seconds() {
      return Duration.ofNanos(now).toSeconds();
    }
  }

  private Lease lease(long pid, FileIO io) {
    var process = new ProcessIdentity("db-host", "boot", "pid:[1]", 7, pid, 1000 + pid);
    return new Lease(
        io,
        FOLDER,
        "daemon-" + pid,
        new ProcessTable() {
          @Override
          public ProcessIdentity own() {
            return process;
          }

          @Override
          public boolean isKnownDead(ProcessIdentity asked) {
            return dead.contains(asked.pid());
          }
        },
        time);
  }

  private Lease lease(long pid) {
    return lease(pid, storage);
  }

  private Lease holder(long pid) {
    Lease lease = lease(pid);
    lease.take(false, stop);
    return lease;
  }

  private boolean renew(Lease lease) {
    return lease.renew(() -> overtaken);
  }

  private long namedProcess() {
    return LeaseHolder.parse(read()).process().pid();
  }

  private byte[] read() {
    try {
      return storage.readAll(PATH);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private void assertRefused(Lease lease) {
    assertThatThrownBy(() -> lease.take(false, stop))
        .isInstanceOfSatisfying(
            PipelineStoppedException.class, e -> assertThat(e.reason()).isEqualTo(Reason.PROTECTED))
        .hasMessageContaining("process 1 on host db-host")
        .hasMessageContaining("--take-over");
    assertThat(namedProcess()).isEqualTo(1);
  }

  @Test
  void nobodysLeaseIsTakenAtOnce() {
    holder(1);
    assertThat(namedProcess()).isEqualTo(1);
    assertThat(time.waits).isZero();
  }

  @Test
  void aRenewedLeaseRefusesAsSoonAsTheRenewalIsSeen() {
    Lease first = holder(1);
    time.eachWait =
        () -> {
          if (time.seconds() == 4) {
            renew(first);
          }
        };
    assertRefused(lease(2));
    assertThat(time.seconds()).isEqualTo(4);
  }

  @Test
  void aRenewalInTheLastSecondStillRefuses() {
    Lease first = holder(1);
    time.eachWait =
        () -> {
          if (time.seconds() == Lease.LOOKS) {
            renew(first);
          }
        };
    assertRefused(lease(2));
  }

  @Test
  void aLeaseThatIsNotRenewedIsTakenAfterFifteenSeconds() {
    holder(1);
    Lease second = lease(2);
    second.take(false, stop);
    assertThat(time.seconds()).isEqualTo(15);
    assertThat(namedProcess()).isEqualTo(2);
    assertThat(second.wasTakenFromTheLiving()).isTrue();
  }

  /** It may wake up and go on: a lease alone doesn't keep it from that. */
  @Test
  void aHoldIsRefusedWhileTheHolderMayBeAsleepHoweverOftenItIsTried() {
    holder(1);
    for (int i = 1; i <= 2; i++) {
      assertThatThrownBy(() -> PipelineHold.take(lease(2), "shop"))
          .isInstanceOfSatisfying(
              PipelineStoppedException.class,
              e -> assertThat(e.reason()).isEqualTo(Reason.PROTECTED))
          .hasMessageContaining("process 1 on host db-host")
          .hasMessageContaining("may be asleep");
      assertThat(time.seconds()).isEqualTo(15L * i);
      assertThat(namedProcess()).isEqualTo(1);
    }
  }

  @Test
  void aHoldRefusesBesideALivingDaemonAndKeepsOthersFromStarting() {
    Lease first = holder(1);
    time.eachWait = () -> renew(first);
    assertThatThrownBy(() -> PipelineHold.take(lease(2), "shop"))
        .isInstanceOfSatisfying(
            PipelineStoppedException.class,
            e -> assertThat(e.reason()).isEqualTo(Reason.PROTECTED));
    assertThat(namedProcess()).isEqualTo(1);
    dead.add(1L);
    time.eachWait = () -> {};
    try (PipelineHold hold = PipelineHold.take(lease(3, storage), "shop")) {
      assertThat(namedProcess()).isEqualTo(3);
      assertThat(hold).isNotNull();
    }
    assertThat(storage.paths()).doesNotContain(PATH);
  }

  @Test
  void aDeadHoldersLeaseIsTakenAtOnce() {
    holder(1);
    dead.add(1L);
    Lease second = holder(2);
    assertThat(time.waits).isZero();
    assertThat(namedProcess()).isEqualTo(2);
    assertThat(second.wasTakenFromTheLiving()).isFalse();
  }

  @Test
  void takeOverDoesNotWait() {
    Lease first = holder(1);
    Lease second = lease(2);
    second.take(true, stop);
    assertThat(time.waits).isZero();
    assertThat(namedProcess()).isEqualTo(2);
    assertThat(second.wasTakenFromTheLiving()).isTrue();
    assertThat(renew(first)).isTrue();
  }

  @Test
  void aLeaseGivenBackWhileItIsWatchedIsTaken() {
    Lease first = holder(1);
    time.eachWait = first::close;
    holder(2);
    assertThat(time.seconds()).isEqualTo(1);
    assertThat(namedProcess()).isEqualTo(2);
  }

  @Test
  void watchingEndsWhenAskedToStop() {
    holder(1);
    time.eachWait = () -> stop.complete(null);
    assertThatThrownBy(() -> lease(2).take(false, stop))
        .isInstanceOfSatisfying(
            PipelineStoppedException.class, e -> assertThat(e.reason()).isEqualTo(Reason.CLOSED));
    assertThat(namedProcess()).isEqualTo(1);
  }

  @Test
  void ofTwoThatBeginAtOnceTheSlowerOneSeesTheOther() {
    FaultyFileIO slow = new FaultyFileIO(storage);
    Lease[] first = new Lease[1];
    slow.observe(
        (number, verb, path) -> {
          if (verb.contains("createExclusively") && first[0] == null) {
            first[0] = holder(1);
          }
        });
    time.eachWait = () -> renew(first[0]);
    assertRefused(lease(2, slow));
  }

  @Test
  void aLeaseOfUnknownMakeIsWatched() {
    storage.put(PATH, "half a fi".getBytes(java.nio.charset.StandardCharsets.UTF_8));
    holder(2);
    assertThat(time.seconds()).isEqualTo(15);
    assertThat(namedProcess()).isEqualTo(2);
  }

  @Test
  void theOwnerStopsWhenTheNewestEpochIsAnothers() {
    Lease first = holder(1);
    lease(2).take(true, stop);
    overtaken = true;
    assertThat(renew(first)).isFalse();
    assertThat(namedProcess()).isEqualTo(2);
    first.close();
    assertThat(namedProcess()).isEqualTo(2);
  }

  @Test
  void theOwnerStopsAlsoWhenTheNewOneHasComeAndGone() {
    Lease first = holder(1);
    Lease second = lease(2);
    second.take(true, stop);
    second.close();
    overtaken = true;
    assertThat(renew(first)).isFalse();
    assertThat(storage.paths()).doesNotContain(PATH);
  }

  @Test
  void theOwnerLeavesARivalsLeaseAloneWhileItIsRenewed() {
    Lease first = holder(1);
    Lease second = lease(2);
    second.take(true, stop);
    for (int i = 0; i < 20; i++) {
      assertThat(renew(first)).isTrue();
      assertThat(namedProcess()).isEqualTo(2);
      assertThat(renew(second)).isTrue();
    }
    // The rival has failed: it gives the lease back, or just falls silent.
    second.close();
    assertThat(renew(first)).isTrue();
    assertThat(namedProcess()).isEqualTo(1);
    lease(3).take(true, stop);
    for (int i = 0; i < 3; i++) {
      assertThat(renew(first)).isTrue();
      assertThat(namedProcess()).isEqualTo(3);
    }
    assertThat(renew(first)).isTrue();
    assertThat(namedProcess()).isEqualTo(1);
  }

  @Test
  void whoSleptWhileItRenewedLooksWhoOwnsThePipeline() {
    FaultyFileIO sleepy = new FaultyFileIO(storage);
    Lease first = lease(1, sleepy);
    first.take(false, stop);
    sleepy.observe(
        (number, verb, path) -> {
          if (verb.contains("replace")) {
            time.now += Duration.ofHours(1).toNanos();
          }
        });
    assertThat(renew(first)).isTrue();
    overtaken = true;
    assertThat(renew(first)).isFalse();
  }

  @Test
  void storageThatFailsIsNoReasonToStop() {
    FaultyFileIO broken = new FaultyFileIO(storage);
    Lease first = lease(1, broken);
    first.take(false, stop);
    broken.observe(
        (number, verb, path) -> {
          throw new IOException("no network");
        });
    assertThat(renew(first)).isTrue();
    broken.observe((number, verb, path) -> {});
    byte[] before = read();
    assertThat(renew(first)).isTrue();
    assertThat(read()).isNotEqualTo(before);
  }

  @Test
  void anUnwritableWarehouseIsUnreachable() {
    FaultyFileIO broken = new FaultyFileIO(storage);
    broken.observe(
        (number, verb, path) -> {
          throw new IOException("Permission denied");
        });
    assertThatThrownBy(() -> lease(1, broken).take(false, stop))
        .isInstanceOfSatisfying(
            PipelineStoppedException.class,
            e -> assertThat(e.reason()).isEqualTo(Reason.UNREACHABLE))
        .hasMessageContaining(PATH);
  }
}
