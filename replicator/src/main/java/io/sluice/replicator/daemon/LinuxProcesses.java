package io.sluice.replicator.daemon;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** Reads {@code /proc}; where there is none, nothing is known of any process. */
final class LinuxProcesses implements ProcessTable {

  /** State and start time stand this far behind the command's closing parenthesis. */
  private static final int STATE = 0;

  private static final int START_TICKS = 19;

  private final Path proc;

  LinuxProcesses() {
    this(Path.of("/proc"));
  }

  LinuxProcesses(Path proc) {
    this.proc = proc;
  }

  @Override
  public ProcessIdentity own() {
    long pid = ProcessHandle.current().pid();
    return new ProcessIdentity(
        host(), boot(), pidNamespace(), uid(), pid, stat(pid).map(Stat::startTicks).orElse(-1L));
  }

  /**
   * A file {@code /proc/<pid>/stat}.
   *
   * @param ended it runs no more, only its parent hasn't taken notice
   */
  private record Stat(boolean ended, long startTicks) {}

  @Override
  public boolean isKnownDead(ProcessIdentity process) {
    boolean comparable =
        !process.boot().isEmpty()
            && process.boot().equals(boot())
            && !process.pidNamespace().isEmpty()
            && process.pidNamespace().equals(pidNamespace())
            && process.pid() > 0
            && process.startTicks() >= 0;
    if (!comparable) {
      return false;
    }
    Path folder = proc.resolve(Long.toString(process.pid()));
    if (!Files.exists(folder)) {
      return wouldBeSeen(process);
    }
    Optional<Stat> stat = stat(process.pid());
    return stat.isPresent()
        && (stat.get().ended() || stat.get().startTicks() != process.startTicks());
  }

  /** {@code /proc} may hide what others run (hidepid, systemd's ProtectProc). */
  private boolean wouldBeSeen(ProcessIdentity process) {
    return process.uid() == uid() && uid() >= 0 || Files.exists(proc.resolve("1"));
  }

  private Optional<Stat> stat(long pid) {
    try {
      byte[] content = Files.readAllBytes(proc.resolve(Long.toString(pid)).resolve("stat"));
      // The command stands in parentheses and may hold any character, parentheses and blanks too.
      String text = new String(content, StandardCharsets.ISO_8859_1);
      String[] fields = text.substring(text.lastIndexOf(')') + 1).strip().split(" ", -1);
      boolean ended = fields[STATE].equals("Z") || fields[STATE].equals("X");
      return Optional.of(new Stat(ended, Long.parseLong(fields[START_TICKS])));
    } catch (IOException | RuntimeException e) {
      return Optional.empty();
    }
  }

  private long uid() {
    try {
      Object uid = Files.getAttribute(proc.resolve("self"), "unix:uid");
      return uid instanceof Integer number ? number : -1;
    } catch (IOException | UnsupportedOperationException | IllegalArgumentException e) {
      return -1;
    }
  }

  private String pidNamespace() {
    try {
      return Files.readSymbolicLink(proc.resolve("self").resolve("ns").resolve("pid")).toString();
    } catch (IOException | UnsupportedOperationException e) {
      return "";
    }
  }

  private String boot() {
    try {
      return Files.readString(proc.resolve("sys/kernel/random/boot_id")).strip();
    } catch (IOException e) {
      return "";
    }
  }

  private static String host() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      return "unknown";
    }
  }
}
