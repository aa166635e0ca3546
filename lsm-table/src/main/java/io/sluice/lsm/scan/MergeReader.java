package io.sluice.lsm.scan;

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
import org.jspecify.annotations.Nullable;

/**
 * The rows of one bucket: its sections one after the other, each merged where files overlap and
 * read as it is where they don't; deletes fall away (format description section 8.2). Only the
 * files of one section are open at a time.
 */
final class MergeReader implements RowReader {

  private final RowType rowType;
  private final BucketReader files;
  private final MergeRules.@Nullable Engine engine;
  private final Iterator<Section> sections;
  private final ColumnsView output;
  private final @Nullable Filter filter;
  private final ColumnsView filtered;
  private @Nullable KeyValueReader current;

  /**
   * @param engine may be null if no section has more than one run
   * @param output the columns asked for
   * @param filtered the same record with all columns of the table, for the filter
   */
  MergeReader(
      RowType rowType,
      BucketReader files,
      List<Section> sections,
      MergeRules.@Nullable Engine engine,
      ColumnsView output,
      @Nullable Filter filter,
      ColumnsView filtered) {
    this.rowType = rowType;
    this.files = files;
    this.sections = sections.iterator();
    this.engine = engine;
    this.output = output;
    this.filter = filter;
    this.filtered = filtered;
  }

  @Override
  public RowType rowType() {
    return rowType;
  }

  @Override
  public boolean advance() throws IOException {
    while (true) {
      KeyValueReader records = current;
      if (records == null) {
        if (!sections.hasNext()) {
          return false;
        }
        Section section = sections.next();
        records = engine == null ? files.run(section.runs().get(0)) : files.merged(section, engine);
        current = records;
      }
      while (records.advance()) {
        if (records.kind().isRetract()) {
          continue;
        }
        Row row = records.row();
        if (filter != null) {
          filtered.moveTo(row);
          if (!filter.test(filtered)) {
            continue;
          }
        }
        output.moveTo(row);
        return true;
      }
      current = null;
      records.close();
    }
  }

  @Override
  public Row row() {
    return output;
  }

  @Override
  public long sequenceNumber() {
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
