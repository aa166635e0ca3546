package io.sluice.lsm.scan;

import io.sluice.lsm.datafile.DataFileMeta;
import io.sluice.lsm.datafile.KeyValueReader;
import io.sluice.lsm.level.BucketReader;
import io.sluice.lsm.level.Sections.Section;
import io.sluice.lsm.merge.MergeRules;
import io.sluice.lsm.row.Row;
import io.sluice.lsm.schema.RowType;
import java.io.IOException;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The rows of one bucket: its sections one after the other, each merged where files overlap and
 * read as it is where they don't; deletes fall away (format description section 8.2). Only the
 * files of one section are open at a time. Of files that are not merged and hold no deletes neither
 * numbers nor kinds are read, unless numbers are asked for.
 */
final class MergeReader implements RowReader {

  private final RowType rowType;
  private final BucketReader single;
  private final BucketReader merged;
  private final MergeRules.@Nullable Engine engine;
  private final Iterator<Section> sections;
  private final ColumnsView output;
  private final @Nullable Filter filter;
  private final ColumnsView filtered;
  private final boolean numbered;
  private @Nullable KeyValueReader current;
  private Row row;

  /** Whether the records of the current section are the rows, without a view between. */
  private boolean asRecorded;

  /**
   * @param single reads files whose keys no other file has
   * @param merged reads files to be merged
   * @param engine may be null if no section has more than one run
   * @param output the columns asked for
   * @param filtered the same record with all columns of the table, for the filter
   * @param numbered whether {@link #sequenceNumber} may be asked for
   */
  MergeReader(
      RowType rowType,
      BucketReader single,
      BucketReader merged,
      List<Section> sections,
      MergeRules.@Nullable Engine engine,
      ColumnsView output,
      @Nullable Filter filter,
      ColumnsView filtered,
      boolean numbered) {
    this.rowType = rowType;
    this.single = single;
    this.merged = merged;
    this.sections = sections.iterator();
    this.engine = engine;
    this.output = output;
    this.filter = filter;
    this.filtered = filtered;
    this.numbered = numbered;
    this.row = output;
  }

  @Override
  public RowType rowType() {
    return rowType;
  }

  @Override
  public boolean advance() throws IOException {
    KeyValueReader plain = current;
    if (plain != null && asRecorded && filter == null && plain.advance()) {
      row = plain.row();
      return true;
    }
    return advanceMerging();
  }

  /** As {@link #advance} does, for any kind of section, and from one to the next. */
  private boolean advanceMerging() throws IOException {
    while (true) {
      KeyValueReader records = current;
      if (records == null) {
        if (!sections.hasNext()) {
          return false;
        }
        records = open(sections.next());
        current = records;
      }
      while (records.advance()) {
        if (records.kind().isRetract()) {
          continue;
        }
        Row record = records.row();
        if (filter != null) {
          filtered.moveTo(record);
          if (!filter.test(filtered)) {
            continue;
          }
        }
        if (asRecorded) {
          row = record;
        } else {
          output.moveTo(record);
        }
        return true;
      }
      current = null;
      records.close();
    }
  }

  private KeyValueReader open(Section section) {
    List<DataFileMeta> first = section.runs().get(0);
    boolean unmerged = engine == null || section.runs().size() == 1;
    boolean values = !numbered && unmerged && BucketReader.holdsValuesAlone(first);
    // Such records are +I; others need the view, which says so of them.
    asRecorded = values && output.showsAllInOrder();
    row = output;
    if (values) {
      return single.values(first);
    }
    return unmerged ? single.run(first) : merged.merged(section, Objects.requireNonNull(engine));
  }

  @Override
  public Row row() {
    return row;
  }

  @Override
  public long sequenceNumber() {
    if (!numbered) {
      throw new IllegalStateException(
          "The scan reads no numbers: ask for them by TableScan.withSequenceNumbers");
    }
    KeyValueReader records = current;
    if (records == null) {
      throw new NoSuchElementException("There is no current row");
    }
    return records.sequenceNumber();
  }

  @Override
  public void close() throws IOException {
    KeyValueReader records = current;
    current = null;
    if (records != null) {
      records.close();
    }
  }
}
