package io.sluice.sinks.epoch;

import io.sluice.lsm.error.StorageException;
import io.sluice.lsm.io.FileIO;
import io.sluice.sinks.PipelineStoppedException;
import io.sluice.sinks.PipelineStoppedException.Reason;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The folder {@code _sluice/<pipeline>} of a warehouse: epoch files {@code epoch-<20 digits>} and
 * folded history files. Thread safe.
 */
public final class EpochStore {

  private static final String PREFIX = "epoch-";

  private static final Pattern HISTORY = Pattern.compile("history-(\\d{1,18})-.*");

  private final FileIO fileIO;
  private final String folder;
  private final String pipeline;

  public EpochStore(FileIO fileIO, String warehouse, String pipeline) {
    this.fileIO = fileIO;
    this.folder = warehouse + "/_sluice/" + pipeline;
    this.pipeline = pipeline;
  }

  public String folder() {
    return folder;
  }

  public String path(long number) {
    return String.format("%s/%s%020d", folder, PREFIX, number);
  }

  /** Numbers of all epoch files, ascending. */
  public List<Long> list() throws IOException {
    List<Long> numbers = new ArrayList<>();
    for (FileIO.FileStatus file : fileIO.list(folder)) {
      String name = file.name();
      if (!file.folder() && name.matches(PREFIX + "\\d{20}")) {
        numbers.add(Long.parseLong(name.substring(PREFIX.length())));
      }
    }
    Collections.sort(numbers);
    return numbers;
  }

  /** Whether the pipeline's folder can be written: then storage as a whole isn't away. */
  public boolean answers() {
    String probe = folder + "/probe";
    try {
      fileIO.replace(probe, new byte[] {'.'});
      fileIO.delete(probe);
      return true;
    } catch (IOException | StorageException e) {
      return false;
    }
  }

  public EpochFile read(long number) throws IOException {
    String path = path(number);
    return EpochJson.read(fileIO.readAll(path), path);
  }

  /** Reads the highest epoch file; null if there is none. */
  public @Nullable EpochFile readHighest() throws IOException {
    while (true) {
      List<Long> numbers = list();
      if (numbers.isEmpty()) {
        return null;
      }
      try {
        return read(numbers.get(numbers.size() - 1));
      } catch (FileNotFoundException e) {
        // Deleted between listing and reading: then there is a higher one now.
        if (list().equals(numbers)) {
          throw e;
        }
      }
    }
  }

  /**
   * Creates an epoch file. "There is one already" and "no answer" alike are settled by reading it
   * back: clients retry under our feet, so a loser may be the winner.
   *
   * @throws IOException nothing is known; call again with the same epoch, whatever time has passed
   * @throws PipelineStoppedException PROTECTED if the number is another's: this pipeline is fenced
   */
  public void create(EpochFile epoch, byte[] content) throws IOException {
    IOException unknown;
    try {
      if (fileIO.createExclusively(path(epoch.number()), content)) {
        return;
      }
      unknown = new FileNotFoundException(path(epoch.number()) + " was there and is gone");
    } catch (IOException e) {
      unknown = e;
    }
    EpochFile found;
    try {
      found = read(epoch.number());
    } catch (FileNotFoundException e) {
      throw unknown == e ? e : new IOException(unknown.getMessage(), unknown);
    } catch (IOException e) {
      e.addSuppressed(unknown);
      throw e;
    }
    if (!found.incarnation().equals(epoch.incarnation())) {
      throw fenced(epoch.number(), "its file is of incarnation " + found.incarnation());
    }
  }

  /**
   * Throws if there is a higher epoch than this: the pipeline has another owner.
   *
   * @return the lower epochs that are there
   */
  public List<Long> refuseHigherThan(long number) throws IOException {
    List<Long> numbers = list();
    if (!numbers.isEmpty() && numbers.get(numbers.size() - 1) > number) {
      throw fenced(number, "there is already epoch " + numbers.get(numbers.size() - 1));
    }
    return numbers.stream().filter(lower -> lower < number).toList();
  }

  /**
   * After an epoch was created, before anything of it is in a table: whether it is the newest, and
   * follows the one before. That one was the newest until now, and nobody deletes the newest but
   * who ends the pipeline; then the new one is taken away again.
   *
   * @return the lower epochs that are there
   * @throws PipelineStoppedException PROTECTED if the pipeline has another owner, or none any more
   */
  public List<Long> refuseUnlessNewest(long number) throws IOException {
    List<Long> lower = refuseHigherThan(number);
    if (number > 1 && !lower.contains(number - 1)) {
      fileIO.deleteQuietly(path(number));
      if (fileIO.list(folder).isEmpty()) {
        fileIO.deleteQuietly(folder);
      }
      throw forgotten("epoch " + (number - 1) + " is gone");
    }
    return lower;
  }

  /** What to stop with when the pipeline was ended under a process that runs it. */
  public PipelineStoppedException forgotten(String how) {
    return new PipelineStoppedException(
        Reason.PROTECTED,
        "Pipeline "
            + pipeline
            + " was ended (sluice forget), or its folder "
            + folder
            + " was deleted, while this process slept: "
            + how
            + ". Nothing was written. Its tables stay as they are; to replicate into them again,"
            + " move them away first.");
  }

  /** What to stop with when the pipeline has another owner. */
  public PipelineStoppedException fenced(long number, String why) {
    return new PipelineStoppedException(
        Reason.PROTECTED,
        "Pipeline "
            + pipeline
            + " is fenced at epoch "
            + number
            + " in "
            + folder
            + ": "
            + why
            + ". Another daemon of this pipeline has taken over; nothing is lost. Run only one.");
  }

  public void delete(long number) throws IOException {
    fileIO.delete(path(number));
  }

  /**
   * Writes history records to a file of their own; {@code fresh} makes its name unique. Trying
   * again with the same name is harmless.
   */
  public String writeHistory(long epoch, String fresh, List<String> records) throws IOException {
    String name = "history-" + epoch + "-" + fresh;
    fileIO.createExclusively(folder + "/" + name, EpochJson.writeHistory(records));
    return name;
  }

  public List<String> readHistory(String name) throws IOException {
    String path = folder + "/" + name;
    return EpochJson.readHistory(fileIO.readAll(path), path);
  }

  /**
   * Deletes the history files that are older than this one. A newer one belongs to an epoch that
   * another owner of this pipeline may just be about to write, or has written.
   */
  void deleteHistoryBefore(String keep) throws IOException {
    long kept = historyNumber(keep);
    for (FileIO.FileStatus file : fileIO.list(folder)) {
      long number = historyNumber(file.name());
      if (number >= 0 && number < kept) {
        fileIO.deleteQuietly(file.path());
      }
    }
  }

  /** The epoch that a history file was written for; -1 if it is none. */
  private static long historyNumber(String name) {
    Matcher matcher = HISTORY.matcher(name);
    return matcher.matches() ? Long.parseLong(matcher.group(1)) : -1;
  }
}
