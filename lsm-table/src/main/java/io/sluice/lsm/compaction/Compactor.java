package io.sluice.lsm.compaction;

import io.sluice.lsm.datafile.DataFileMeta;
import io.sluice.lsm.datafile.FileFormat;
import io.sluice.lsm.datafile.KeyValueReader;
import io.sluice.lsm.datafile.NewFile;
import io.sluice.lsm.datafile.RollingWriter;
import io.sluice.lsm.io.FileIO;
import io.sluice.lsm.level.BucketReader;
import io.sluice.lsm.level.Sections;
import io.sluice.lsm.level.Sections.Section;
import io.sluice.lsm.level.SortedRun;
import io.sluice.lsm.merge.MergeRules;
import io.sluice.lsm.merge.SerializedKeyComparator;
import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.schema.MergeEngine;
import io.sluice.lsm.schema.TableOptions;
import io.sluice.lsm.schema.TableSchema;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs one plan of one bucket (format description section 9.1):
 *
 * <ol>
 *   <li>The files are parted into sections. A section of one run is not overlapped by anything.
 *   <li>Of such a section a file that is large enough is only re-entered at the output level (an
 *       upgrade: same name, same bytes), unless deletes must go from it.
 *   <li>All else is merged and rewritten, neighbours together, in key order, rolled at the target
 *       size. A single small file that has no neighbours to rewrite is upgraded, too.
 * </ol>
 *
 * <p>In a first-row table a key is in one file above level 0 at most, so that files are read
 * without merging: what comes from level 0 is dropped where a level below the output has its key.
 *
 * <p>Of a table without a key the plan's groups of files are read one after the other and written
 * in that order; rows are counted on from the first one's number.
 *
 * <p>New files have the schema of the compaction. Thread safe.
 */
public final class Compactor {

  /** A lone file of so many percent of the target size is upgraded rather than rewritten. */
  private static final int UPGRADE_PERCENT_MIN = 70;

  private static final int RECORDS_BETWEEN_CHECKS = 4096;

  private final FileIO fileIO;
  private final FileFormat format;
  private final BucketReader.SchemaLookup schemas;
  private final Supplier<String> freshIds;

  /**
   * @param freshIds texts that nobody else uses, for file names
   */
  public Compactor(
      FileIO fileIO,
      FileFormat format,
      BucketReader.SchemaLookup schemas,
      Supplier<String> freshIds) {
    this.fileIO = fileIO;
    this.format = format;
    this.schemas = schemas;
    this.freshIds = freshIds;
  }

  /**
   * Runs a plan; nothing of the table changes until the result is committed.
   *
   * @param folder of the bucket
   * @param schema of new files
   * @param deepestLevel of the tree
   * @param cancelled asked now and then; true ends the run with a CancellationException
   * @throws IOException what was written is deleted again
   */
  public CompactionResult run(
      CompactionPlan plan,
      String folder,
      TableSchema schema,
      int deepestLevel,
      BooleanSupplier cancelled)
      throws IOException {
    Task task = new Task(plan, folder, schema, deepestLevel, cancelled);
    boolean done = false;
    try {
      CompactionResult result = task.run();
      done = true;
      return result;
    } finally {
      if (!done) {
        task.writtenPaths.forEach(fileIO::deleteQuietly);
      }
    }
  }

  private final class Task {

    private final CompactionPlan plan;
    private final String folder;
    private final TableSchema schema;
    private final int deepestLevel;
    private final BooleanSupplier cancelled;
    private final BucketReader files;
    private final @Nullable MergeRules rules;
    private final long targetBytes;
    private final boolean dropsKnownKeys;
    private final String filePrefix;
    private final List<DataFileMeta> before = new ArrayList<>();
    private final List<DataFileMeta> after = new ArrayList<>();
    private final List<String> writtenPaths = new ArrayList<>();
    private int nextFile;

    Task(
        CompactionPlan plan,
        String folder,
        TableSchema schema,
        int deepestLevel,
        BooleanSupplier cancelled) {
      this.plan = plan;
      this.folder = folder;
      this.schema = schema;
      this.deepestLevel = deepestLevel;
      this.cancelled = cancelled;
      this.files = new BucketReader(fileIO, format, schemas, folder, schema.rowType());
      this.rules = schema.primaryKeys().isEmpty() ? null : MergeRules.of(schema);
      this.filePrefix = TableOptions.of(schema).dataFiles().prefix() + freshIds.get() + "-";
      this.targetBytes = TableOptions.of(schema).dataFiles().targetSizeBytes();
      this.dropsKnownKeys =
          rules != null
              && rules.options().engine() == MergeEngine.FIRST_ROW
              && !plan.below().isEmpty();
    }

    CompactionResult run() throws IOException {
      MergeRules merging = rules;
      if (merging == null) {
        for (SortedRun group : plan.runs()) {
          join(group.files());
        }
      } else {
        merge(merging);
      }
      return new CompactionResult(before, after, writtenPaths);
    }

    /** Writes the rows of files of a table without a key as one sequence. */
    private void join(List<DataFileMeta> group) throws IOException {
      long number = group.get(0).minSequenceNumber();
      RollingWriter writer = newWriter(group.stream().mapToLong(DataFileMeta::rowCount).sum());
      boolean done = false;
      try {
        for (DataFileMeta file : group) {
          try (KeyValueReader rows = files.open(file)) {
            int untilCheck = 0;
            while (rows.advance()) {
              untilCheck = checkNowAndThen(untilCheck);
              writer.write(rows.row(), number++, RowKind.INSERT);
            }
          }
        }
        after.addAll(writer.finish());
        done = true;
      } finally {
        if (!done) {
          writer.abort();
        }
      }
      before.addAll(group);
    }

    /**
     * @param rowsMax that can come of what is merged
     */
    private RollingWriter newWriter(long rowsMax) {
      return new RollingWriter(
          format,
          fileIO,
          () ->
              new NewFile(
                  nextPath(), schema, plan.outputLevel(), DataFileMeta.SOURCE_COMPACTION, rowsMax),
          targetBytes);
    }

    /** Returns the records until the next look whether the task is cancelled. */
    private int checkNowAndThen(int untilCheck) {
      if (untilCheck > 0) {
        return untilCheck - 1;
      }
      if (cancelled.getAsBoolean()) {
        throw new CancellationException("Compaction of " + folder + " was cancelled");
      }
      return RECORDS_BETWEEN_CHECKS;
    }

    private void merge(MergeRules merging) throws IOException {
      Comparator<byte[]> keyOrder = new SerializedKeyComparator(schema);
      List<Section> candidates = new ArrayList<>();
      for (Section section : Sections.of(keyOrder, plan.files())) {
        if (section.runs().size() > 1) {
          candidates.add(section);
          continue;
        }
        for (DataFileMeta file : section.runs().get(0)) {
          if (file.fileSize() * 100 < targetBytes * UPGRADE_PERCENT_MIN) {
            candidates.add(single(file));
          } else {
            flush(candidates, merging);
            upgrade(file, merging);
          }
        }
      }
      flush(candidates, merging);
    }

    private static Section single(DataFileMeta file) {
      return new Section(List.of(List.of(file)));
    }

    private void flush(List<Section> candidates, MergeRules merging) throws IOException {
      if (candidates.size() == 1 && candidates.get(0).fileCount() == 1) {
        upgrade(candidates.get(0).runs().get(0).get(0), merging);
      } else if (!candidates.isEmpty()) {
        rewrite(candidates, merging);
      }
      candidates.clear();
    }

    private void upgrade(DataFileMeta file, MergeRules merging) throws IOException {
      if (plan.outputLevel() == deepestLevel && file.mayHoldDeletes()
          || dropsKnownKeys && file.level() == 0) {
        rewrite(List.of(single(file)), merging);
      } else if (file.level() != plan.outputLevel()) {
        before.add(file);
        after.add(file.withLevel(plan.outputLevel()));
      }
    }

    private void rewrite(List<Section> sections, MergeRules merging) throws IOException {
      RollingWriter writer = newWriter(sections.stream().mapToLong(Section::rowCount).sum());
      boolean done = false;
      try (KeysBelow below = keysBelow()) {
        MergeRules.Engine engine = merging.engine(schema.rowType());
        for (Section section : sections) {
          try (KeyValueReader records = files.merged(section, engine)) {
            copy(records, writer, below);
          }
        }
        after.addAll(writer.finish());
        done = true;
      } finally {
        if (!done) {
          writer.abort();
        }
      }
      for (Section section : sections) {
        section.runs().forEach(before::addAll);
      }
    }

    private KeysBelow keysBelow() {
      return new KeysBelow(
          schema,
          dropsKnownKeys ? plan.below() : List.of(),
          keyType -> new BucketReader(fileIO, format, schemas, folder, keyType));
    }

    private void copy(KeyValueReader records, RollingWriter writer, KeysBelow below)
        throws IOException {
      boolean dropDeletes = plan.deletes() == CompactionPlan.Deletes.DROPPED;
      int untilCheck = 0;
      while (records.advance()) {
        untilCheck = checkNowAndThen(untilCheck);
        if (dropDeletes && records.kind().isRetract() || below.contains(records.row())) {
          continue;
        }
        writer.write(records.row(), records.sequenceNumber(), records.kind());
      }
    }

    private String nextPath() {
      String path =
          folder + "/" + filePrefix + nextFile++ + "." + format.suffix(schema, plan.outputLevel());
      writtenPaths.add(path);
      return path;
    }
  }
}
