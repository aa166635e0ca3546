package io.sluice.lsm.datafile.parquet;

import java.util.Optional;
import java.util.PrimitiveIterator;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.page.DataPage;
import org.apache.parquet.column.page.DictionaryPage;
import org.apache.parquet.column.page.PageReadStore;
import org.apache.parquet.column.page.PageReader;
import org.apache.parquet.io.ParquetDecodingException;
import org.jspecify.annotations.Nullable;

/**
 * The pages of a row group whose dictionaries have no more values than bytes: a page's header has
 * no checksum, and memory is taken for as many values as it says. Whoever made the group closes it.
 */
record CheckedPages(PageReadStore group) implements PageReadStore {

  @Override
  public PageReader getPageReader(ColumnDescriptor descriptor) {
    return new CheckedReader(descriptor, group.getPageReader(descriptor));
  }

  @Override
  public long getRowCount() {
    return group.getRowCount();
  }

  @Override
  public Optional<Long> getRowIndexOffset() {
    return group.getRowIndexOffset();
  }

  @Override
  public Optional<PrimitiveIterator.OfLong> getRowIndexes() {
    return group.getRowIndexes();
  }

  private record CheckedReader(ColumnDescriptor column, PageReader pages) implements PageReader {

    @Override
    public @Nullable DictionaryPage readDictionaryPage() {
      DictionaryPage page = pages.readDictionaryPage();
      if (page != null
          && (page.getDictionarySize() < 0
              || page.getDictionarySize() > page.getUncompressedSize())) {
        throw new ParquetDecodingException(
            "The dictionary of "
                + String.join(".", column.getPath())
                + " has "
                + page.getDictionarySize()
                + " values in "
                + page.getUncompressedSize()
                + " bytes");
      }
      return page;
    }

    @Override
    public long getTotalValueCount() {
      return pages.getTotalValueCount();
    }

    @Override
    public @Nullable DataPage readPage() {
      return pages.readPage();
    }
  }
}
