package io.sluice.replicator.cli;

import io.sluice.config.ConfigProblemsException;
import io.sluice.lsm.error.CorruptTableException;
import io.sluice.lsm.error.LsmException;
import io.sluice.lsm.error.StorageException;
import io.sluice.lsm.error.UnsupportedTableException;
import io.sluice.sinks.PipelineStoppedException;
import io.sluice.sinks.TableRefusedException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;

/** Which exit code and which words a failure gets. Pure. */
final class Failures {

  private Failures() {}

  static int exitCode(Throwable failure) {
    if (failure instanceof CommandFailedException known) {
      return known.exitCode();
    }
    if (failure instanceof ConfigProblemsException
        || failure instanceof UnsupportedTableException
        || failure instanceof FileNotFoundException) {
      return ExitCode.USAGE;
    }
    if (failure instanceof PipelineStoppedException stopped) {
      return stopped.reason().exitCode();
    }
    if (failure instanceof TableRefusedException refused) {
      return refused.reason().exitCode();
    }
    if (failure instanceof CorruptTableException) {
      return ExitCode.PROTECTED;
    }
    if (failure instanceof StorageException
        || failure instanceof IOException
        || failure instanceof UncheckedIOException) {
      return ExitCode.UNREACHABLE;
    }
    return failure instanceof LsmException ? ExitCode.PROTECTED : ExitCode.FAULTS;
  }

  /** One or more lines for a person. */
  static String text(Throwable failure) {
    Throwable told =
        failure instanceof UncheckedIOException unchecked && unchecked.getCause() != null
            ? unchecked.getCause()
            : failure;
    String message = told.getMessage();
    if (told instanceof AccessDeniedException) {
      return "Access denied: " + message + ". Give the user who runs this the right to it.";
    }
    if (told instanceof FileSystemException || message == null || message.isBlank()) {
      return told.getClass().getSimpleName() + (message == null ? "" : ": " + message);
    }
    boolean ownWords =
        told instanceof CommandFailedException
            || told instanceof ConfigProblemsException
            || told instanceof LsmException
            || told instanceof PipelineStoppedException
            || told instanceof TableRefusedException
            || told instanceof IOException;
    return ownWords
        ? message
        : "Unexpected: "
            + told
            + ". This is a fault of Sluice; run it again with -v for the stack.";
  }
}
