package io.sluice.replicator.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** When a process counts as dead: only if that is certain. */
class LinuxProcessesTest {

  @TempDir Path proc;

  private int ownUid;

  @BeforeEach
  void machine() throws IOException {
    Path boot = Files.createDirectories(proc.resolve("sys/kernel/random"));
    Files.writeString(boot.resolve("boot_id"), "boot-1\n");
    Files.createDirectories(proc.resolve("self/ns"));
    Files.createSymbolicLink(proc.resolve("self/ns/pid"), Path.of("pid:[42]"));
    ownUid = (Integer) Files.getAttribute(proc.resolve("self"), "unix:uid");
  }

  private void process(long pid, String state, long startTicks) throws IOException {
    Path folder = Files.createDirectories(proc.resolve(Long.toString(pid)));
    Files.writeString(
        folder.resolve("stat"),
        pid
            + " (a ) S 1 (b) "
            + state
            + " 1 1 1 0 -1 4194560 1 0 0 0 1 2 0 0 20 0 30 0 "
            + startTicks
            + " 1000 200 18446744073709551615\n");
  }

  private boolean dead(String boot, String namespace, long uid, long pid, long ticks) {
    return new LinuxProcesses(proc)
        .isKnownDead(new ProcessIdentity("h", boot, namespace, uid, pid, ticks));
  }

  private boolean dead(long pid, long ticks) {
    return dead("boot-1", "pid:[42]", ownUid, pid, ticks);
  }

  @Test
  void aRunningProcessLives() throws IOException {
    process(77, "S", 5_000);
    process(78, "T", 5_000);
    assertThat(dead(77, 5_000)).isFalse();
    assertThat(dead(78, 5_000)).as("stopped by a signal").isFalse();
  }

  @Test
  void aProcessThatIsGoneIsDead() {
    assertThat(dead(77, 5_000)).isTrue();
  }

  @Test
  void anotherProcessUnderItsNumberMeansThatItIsDead() throws IOException {
    process(77, "S", 6_000);
    assertThat(dead(77, 5_000)).isTrue();
  }

  @Test
  void aProcessThatOnlyWaitsForItsParentIsDead() throws IOException {
    process(77, "Z", 5_000);
    assertThat(dead(77, 5_000)).isTrue();
  }

  @Test
  void ofAnotherBootOrContainerNothingIsKnown() {
    assertThat(dead("boot-2", "pid:[42]", ownUid, 77, 5_000)).isFalse();
    assertThat(dead("boot-1", "pid:[43]", ownUid, 77, 5_000)).isFalse();
    assertThat(dead("", "", ownUid, 77, 5_000)).isFalse();
    assertThat(dead("boot-1", "pid:[42]", ownUid, -1, 5_000)).isFalse();
    assertThat(dead("boot-1", "pid:[42]", ownUid, 77, -1)).isFalse();
  }

  @Test
  void ofOthersOnlyWhereTheyCanBeSeen() throws IOException {
    assertThat(dead("boot-1", "pid:[42]", ownUid + 1, 77, 5_000)).isFalse();
    process(1, "S", 1);
    assertThat(dead("boot-1", "pid:[42]", ownUid + 1, 77, 5_000)).isTrue();
  }

  @Test
  void withoutProcNothingIsKnown() {
    var nowhere = new LinuxProcesses(proc.resolve("no-such-folder"));
    assertThat(nowhere.isKnownDead(nowhere.own())).isFalse();
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void knowsRealProcesses() throws Exception {
    var processes = new LinuxProcesses();
    assertThat(processes.own().startTicks()).isPositive();
    assertThat(processes.own().pidNamespace()).startsWith("pid:");
    assertThat(processes.isKnownDead(processes.own())).isFalse();

    Process sleeper = new ProcessBuilder("sleep", "600").start();
    try {
      ProcessIdentity own = processes.own();
      long ticks =
          Long.parseLong(
              Files.readString(Path.of("/proc/" + sleeper.pid() + "/stat")).split(" ", -1)[21]);
      var identity =
          new ProcessIdentity(
              own.host(), own.boot(), own.pidNamespace(), own.uid(), sleeper.pid(), ticks);
      assertThat(processes.isKnownDead(identity)).isFalse();
      sleeper.destroyForcibly();
      assertThat(sleeper.waitFor(30, TimeUnit.SECONDS)).isTrue();
      assertThat(processes.isKnownDead(identity)).isTrue();
    } finally {
      sleeper.destroyForcibly();
    }
  }

  @Test
  void aLeaseKeepsEverything() {
    var process = new ProcessIdentity("host \"x\"", "b", "pid:[1]", 5, 6, 7);
    var holder = new LeaseHolder(process, "id", 8);
    assertThat(LeaseHolder.parse(holder.write())).isEqualTo(holder);
  }
}
