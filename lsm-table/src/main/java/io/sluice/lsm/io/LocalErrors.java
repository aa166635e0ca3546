package io.sluice.lsm.io;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.util.Locale;

/** Turns what the operating system says into what an operator can act on. */
final class LocalErrors {

  private LocalErrors() {}

  /** The same kind of exception with a better text; the first one is its cause. */
  static IOException explain(String verb, String path, IOException e) {
    if (e instanceof ExplainedException || e instanceof java.io.FileNotFoundException) {
      return e;
    }
    String reason = e.getMessage() == null ? "" : e.getMessage().toLowerCase(Locale.ROOT);
    if (e instanceof AccessDeniedException || reason.contains("permission denied")) {
      return denied(verb, path, e);
    }
    if (reason.contains("no space left")) {
      return new ExplainedException(
          path, "Cannot " + verb + " it: the disk is full. Free space on its file system", e);
    }
    if (reason.contains("quota exceeded")) {
      return new ExplainedException(
          path, "Cannot " + verb + " it: the disk quota is used up. Raise it or free space", e);
    }
    if (reason.contains("read-only file system")) {
      return new ExplainedException(
          path,
          "Cannot " + verb + " it: its file system is mounted read-only. Remount it read-write",
          e);
    }
    if (reason.contains("too many open files")) {
      return new ExplainedException(
          path,
          "Cannot "
              + verb
              + " it: the process has too many open files. Raise its limit (LimitNOFILE, ulimit -n)",
          e);
    }
    return new ExplainedException(path, "Cannot " + verb + " it: " + e, e);
  }

  static IOException denied(String verb, String path, IOException e) {
    AccessDeniedException result =
        new AccessDeniedException(
            path,
            null,
            "Cannot "
                + verb
                + " it: permission denied. Give user '"
                + System.getProperty("user.name")
                + "' access to the file and its folder");
    result.initCause(e);
    return result;
  }

  static IOException noLinks(String path, Exception e) {
    return new ExplainedException(
        path,
        "Cannot create it exclusively: its file system has no hard links, so two writers could"
            + " overwrite each other. Put the warehouse on a file system that has them (ext4, xfs,"
            + " btrfs, zfs, nfs)",
        e);
  }

  /** Says file and reason; is not explained twice. */
  static final class ExplainedException extends FileSystemException {
    private static final long serialVersionUID = 1L;

    ExplainedException(String path, String reason, Exception cause) {
      super(path, null, reason);
      initCause(cause);
    }
  }
}
