package io.sluice.lsm.datafile.orc;

import java.io.EOFException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.hive.common.io.DiskRangeList;
import org.apache.hadoop.hive.ql.exec.vector.VectorizedRowBatch;
import org.apache.hadoop.hive.ql.io.sarg.SearchArgument;
import org.apache.orc.DataReader;
import org.apache.orc.OrcProto;
import org.apache.orc.StripeInformation;
import org.apache.orc.TypeDescription;
import org.apache.orc.impl.DataReaderProperties;
import org.apache.orc.impl.InStream;
import org.apache.orc.impl.OrcCodecPool;
import org.apache.orc.impl.OrcIndex;
import org.apache.orc.impl.PositionProvider;
import org.apache.orc.impl.ReaderImpl;
import org.apache.orc.impl.RecordReaderImpl.PositionProviderImpl;
import org.apache.orc.impl.RecordReaderImpl.SargApplier;
import org.apache.orc.impl.RecordReaderImpl.ZeroPositionProvider;
import org.apache.orc.impl.RecordReaderUtils;
import org.apache.orc.impl.SchemaEvolution;
import org.apache.orc.impl.StreamName;
import org.apache.orc.impl.TreeReaderFactory;
import org.apache.orc.impl.reader.StripePlanner;
import org.apache.orc.impl.reader.tree.BatchReader;
import org.apache.orc.impl.reader.tree.TypeReader.ReadPhase;
import org.jspecify.annotations.Nullable;

/**
 * The rows of an ORC file, stripe by stripe, without the row groups that a search argument rules
 * out. It stands where ORC's own {@code RecordReader} could, on the same parts of ORC, since that
 * one lets streams be read past their end: ORC 2.3.1 adds up the -1 that it gets there, for hours
 * where it unpacks integers, and takes it for bytes elsewhere. Here such a stream throws. One
 * thread.
 */
final class OrcRecords implements AutoCloseable {

  private static final int JAVA_WRITER = 0;

  private final ReaderImpl file;
  private final List<StripeInformation> stripes;
  private final TypeDescription type;
  private final boolean[] include;
  private final DataReader data;
  private final StripePlanner planner;
  private final BatchReader columns;
  private final int groupRows;
  private final @Nullable SargApplier search;
  private final boolean[] searched;

  private int stripe = -1;

  /** The first row of this stripe, in the file. */
  private long stripeStart;

  private long row;
  private long rows;

  /** Where row groups begin and what is in them. */
  private @Nullable OrcIndex index;

  /** Which row groups are read; null: all. */
  private boolean @Nullable [] groups;

  /**
   * @param file not yet read from; this takes its stream over
   * @param trusted whether checksums vouch for the bytes that are read
   * @param include what is read, by the ids of the file's type
   */
  OrcRecords(
      ReaderImpl file,
      OrcStreams streams,
      boolean trusted,
      boolean[] include,
      @Nullable SearchArgument search)
      throws IOException {
    this.file = file;
    this.stripes = file.getStripes();
    this.type = file.getSchema();
    this.include = include;
    SchemaEvolution same = new SchemaEvolution(type, type, file.options().include(include));
    DataReaderProperties.Builder properties =
        DataReaderProperties.builder()
            .withCompression(
                InStream.options()
                    .withCodec(OrcCodecPool.getCodec(file.getCompressionKind()))
                    .withBufferSize(file.getCompressionSize()))
            .withFileSystem(streams)
            .withPath(OrcStreams.PATH)
            .withMaxDiskRangeChunkLimit(OrcStreams.RANGE_BYTES_MAX);
    FSDataInputStream opened = file.takeFile();
    this.data =
        RecordReaderUtils.createDefaultDataReader(
            (opened == null ? properties : properties.withFile(opened)).build());
    this.planner = new Planner(file, data, trusted);
    this.columns =
        TreeReaderFactory.createRootReader(
            type,
            new TreeReaderFactory.ReaderContext()
                .setSchemaEvolution(same)
                .fileFormat(file.getFileVersion())
                .useUTCTimestamp(true)
                .setProlepticGregorian(file.writerUsedProlepticGregorian(), false)
                .setEncryption(file.getEncryption()));
    this.groupRows = file.getRowIndexStride();
    this.searched = new boolean[type.getMaximumId() + 1];
    this.search =
        search == null || groupRows == 0
            ? null
            : new SargApplier(
                search,
                groupRows,
                same,
                file.getWriterVersion(),
                true,
                file.writerUsedProlepticGregorian(),
                false);
    if (this.search != null) {
      this.search.setRowIndexCols(searched);
    }
  }

  /** The row, in the file, that the next batch begins with; of the last batch's stripe. */
  long rowNumber() {
    return stripeStart + row;
  }

  /** The zone in which timestamps of this stripe were written; empty if it has none. */
  String writerTimezone() {
    return planner.getWriterTimezone();
  }

  int stripe() {
    return stripe;
  }

  /**
   * Moves to the next row that may be wanted, in this stripe or another; {@code false} at the end.
   */
  boolean advance() throws IOException {
    while (!findGroup()) {
      if (!openStripe()) {
        return false;
      }
    }
    return true;
  }

  /** Fills a batch from where {@link #advance} went. Batches don't reach over stripes. */
  void read(VectorizedRowBatch batch) throws IOException {
    boolean[] wanted = groups;
    long end = rows;
    if (wanted != null) {
      int group = (int) (row / groupRows);
      while (group < wanted.length && wanted[group]) {
        group++;
      }
      end = Math.min(rows, (long) group * groupRows);
    }
    int count = (int) Math.min(batch.getMaxSize(), end - row);
    columns.nextBatch(batch, count, ReadPhase.ALL);
    batch.size = count;
    batch.selectedInUse = false;
    row += count;
  }

  /** Goes on to a wanted row group of this stripe, if the row isn't in one. */
  private boolean findGroup() throws IOException {
    boolean[] wanted = groups;
    if (wanted == null || row >= rows) {
      return row < rows;
    }
    int group = (int) (row / groupRows);
    if (wanted[group]) {
      return true;
    }
    while (group < wanted.length && !wanted[group]) {
      group++;
    }
    row = Math.min(rows, (long) group * groupRows);
    if (row == rows) {
      return false;
    }
    seek(group);
    return true;
  }

  private boolean openStripe() throws IOException {
    if (stripe + 1 >= stripes.size()) {
      return false;
    }
    stripe++;
    stripeStart += rows;
    StripeInformation of = stripes.get(stripe);
    check(of);
    planner.clearStreams();
    planner.parseStripe(of, include);
    row = 0;
    rows = of.getNumberOfRows();
    groups = pick(of);
    boolean[] wanted = groups;
    if (wanted != null) {
      boolean any = false;
      for (boolean one : wanted) {
        any |= one;
      }
      if (!any) {
        row = rows;
        return true;
      }
    }
    planner.readData(index, wanted, false, ReadPhase.ALL);
    columns.startStripe(planner, ReadPhase.ALL);
    return true;
  }

  /** Which row groups of a stripe may hold wanted rows; null: all. */
  private boolean @Nullable [] pick(StripeInformation of) throws IOException {
    if (search == null) {
      return null;
    }
    OrcIndex read = planner.readRowIndex(searched, null);
    index = read;
    List<OrcProto.ColumnEncoding> encodings = new ArrayList<>();
    for (int id = 0; id <= type.getMaximumId(); id++) {
      encodings.add(planner.getEncoding(id));
    }
    // Old writers in C++ made filters that lack values.
    boolean blooms = file.getFileTail().getFooter().getWriter() == JAVA_WRITER;
    return search.pickRowGroups(
        of,
        read.getRowGroupIndex(),
        blooms ? read.getBloomFilterKinds() : null,
        encodings,
        blooms ? read.getBloomFilterIndex() : null,
        false);
  }

  private void seek(int group) throws IOException {
    OrcIndex of = index;
    if (of == null) {
      throw new IllegalStateException("Row groups are left out without an index");
    }
    OrcProto.RowIndex[] indexes = of.getRowGroupIndex();
    PositionProvider[] positions = new PositionProvider[indexes.length];
    for (int id = 0; id < positions.length; id++) {
      if (indexes[id] != null) {
        OrcProto.RowIndexEntry entry = indexes[id].getEntry(group);
        positions[id] =
            group == 0 && entry.getPositionsCount() == 0
                ? new ZeroPositionProvider()
                : new PositionProviderImpl(entry);
      }
    }
    columns.seek(positions, ReadPhase.ALL);
  }

  /** Numbers of a footer that can't be, before memory is taken by them. */
  private void check(StripeInformation of) throws IOException {
    long left = file.getFileTail().getFileLength() - of.getOffset();
    boolean fits = of.getOffset() >= 0 && left > 0;
    for (long part : new long[] {of.getIndexLength(), of.getDataLength(), of.getFooterLength()}) {
      fits &= part >= 0 && part < left;
      left -= part;
    }
    if (!fits || of.getNumberOfRows() < 0) {
      throw new IOException(
          "Stripe " + stripe + " is said to be where the file has no room: " + of);
    }
  }

  @Override
  public void close() throws IOException {
    planner.clearStreams();
    data.close();
  }

  /** Hands out streams that throw at their end, unless checksums vouch for them. */
  private static final class Planner extends StripePlanner {

    private final boolean trusted;

    Planner(ReaderImpl file, DataReader data, boolean trusted) {
      super(
          file.getSchema(),
          file.getEncryption(),
          data,
          file.getWriterVersion(),
          false,
          OrcStreams.RANGE_BYTES_MAX,
          Set.of());
      this.trusted = trusted;
    }

    @Override
    public @Nullable InStream getStream(StreamName name) throws IOException {
      InStream stream = super.getStream(name);
      return trusted || stream == null ? stream : new EndingStream(stream, name);
    }
  }

  /** A stream that nobody reads on after its end. */
  private static final class EndingStream extends InStream {

    private final InStream in;

    EndingStream(InStream in, StreamName name) {
      super(name, 0, 0);
      this.in = in;
    }

    private int some(int read) throws EOFException {
      if (read < 0) {
        throw new EOFException("The stream " + name + " ends too early");
      }
      return read;
    }

    @Override
    public int read() throws IOException {
      return some(in.read());
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
      return length == 0 ? 0 : some(in.read(into, offset, length));
    }

    @Override
    public int available() throws IOException {
      return in.available();
    }

    @Override
    public void seek(PositionProvider to) throws IOException {
      in.seek(to);
    }

    @Override
    public void changeIv(Consumer<byte[]> modifier) {
      in.changeIv(modifier);
    }

    @Override
    protected void setCurrent(DiskRangeList ignored, boolean isJump) {
      throw new UnsupportedOperationException("The stream within has the bytes");
    }

    @Override
    public void close() {
      in.close();
    }
  }
}
