package io.sluice.lsm.datafile.orc;

import java.io.IOException;
import java.io.OutputStream;
import java.util.BitSet;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.orc.OrcFile;
import org.apache.orc.OrcProto;
import org.apache.orc.TypeDescription;
import org.apache.orc.impl.OutStream;
import org.apache.orc.impl.PhysicalFsWriter;
import org.apache.orc.impl.StreamName;
import org.apache.orc.impl.writer.StreamOptions;
import org.apache.orc.impl.writer.WriterEncryptionVariant;

/**
 * Writes ORC's bytes to our stream, says in each stripe's footer which zone its TIMESTAMPs are in
 * (see {@link TimestampEncoder}), and puts the file's checksums into its end.
 */
final class ZonedPhysicalWriter extends PhysicalFsWriter {

  private static final long ZONE_SLACK_MILLIS = 1000;

  private static final long DAY_MILLIS = 86_400_000L;

  /** 1582-10-15 and, since a zone may come between, a day. */
  private static final int GREGORIAN_START_DAY = -141_427 + 1;

  private static final long GREGORIAN_START = GREGORIAN_START_DAY * DAY_MILLIS;

  /** The calendars differ by 2 days in the year 1, by 10 in 1582; some readers convert twice. */
  private static final int CALENDAR_SLACK_DAYS = 40;

  private static final int INDEX_BUFFER_BYTES = 4 << 10;

  private final FSDataOutputStream stream;
  private final TimestampEncoder encoder;
  private final BlockChecksums.Collector checksums;
  private final int lastColumn;
  private final BitSet charColumns = new BitSet();
  private long tailStart;
  private long footerStart;
  private boolean ending;

  /**
   * @param checksums of all that goes through the stream
   */
  ZonedPhysicalWriter(
      FSDataOutputStream stream,
      OrcFile.WriterOptions options,
      TimestampEncoder encoder,
      BlockChecksums.Collector checksums)
      throws IOException {
    super(stream, options, new WriterEncryptionVariant[0]);
    this.stream = stream;
    this.encoder = encoder;
    this.checksums = checksums;
    this.lastColumn = options.getSchema().getMaximumId();
    for (int id = 0; id <= lastColumn; id++) {
      charColumns.set(
          id, options.getSchema().findSubtype(id).getCategory() == TypeDescription.Category.CHAR);
    }
  }

  /** Compressed bytes of the stripe that wait for its end. */
  long bufferedBytes() {
    long bytes = 0;
    for (int column = 0; column <= lastColumn; column++) {
      bytes += getFileBytes(column, null);
    }
    return bytes;
  }

  @Override
  public void finalizeStripe(
      OrcProto.StripeFooter.Builder footer, OrcProto.StripeInformation.Builder entry)
      throws IOException {
    if (footer.hasWriterTimezone()) {
      footer.setWriterTimezone(encoder.zone());
    }
    super.finalizeStripe(footer, entry);
    encoder.stripeWritten();
  }

  /** Says that the next footer is the file's last. */
  void end() {
    ending = true;
  }

  @Override
  public void writeFileMetadata(OrcProto.Metadata.Builder metadata) throws IOException {
    tailStart = stream.getPos();
    checksums.beginTail();
    super.writeFileMetadata(metadata);
  }

  @Override
  public void writeFileFooter(OrcProto.Footer.Builder footer) throws IOException {
    footerStart = stream.getPos();
    if (ending) {
      footer.addMetadata(checksums.entry());
    }
    super.writeFileFooter(footer);
  }

  @Override
  public long writePostScript(OrcProto.PostScript.Builder postscript) throws IOException {
    if (ending) {
      // What ORC fills in, too.
      postscript.setFooterLength(stream.getPos() - footerStart);
      postscript.setMetadataLength(footerStart - tailStart);
      checksums.seal(postscript);
    }
    return super.writePostScript(postscript);
  }

  @Override
  protected OutputStream createIndexStream(StreamName name) {
    // An entry for 10,000 rows: it needs no buffers of the size of a column's.
    StreamOptions options = new StreamOptions(getStreamOptions());
    options.bufferSize(Math.min(options.getBufferSize(), INDEX_BUFFER_BYTES));
    return new OutStream(name, options, createDataStream(name));
  }

  @Override
  public void writeIndex(StreamName name, OrcProto.RowIndex.Builder index) throws IOException {
    for (OrcProto.RowIndexEntry.Builder entry : index.getEntryBuilderList()) {
      widen(name, entry.getStatisticsBuilder(), encoder.shiftedInStripe());
    }
    super.writeIndex(name, index);
  }

  @Override
  public void writeStatistics(StreamName name, OrcProto.ColumnStatistics.Builder statistics) {
    widen(name, statistics, encoder.shiftedInFile());
    super.writeStatistics(name, statistics);
  }

  /**
   * Makes bounds hold for every reader that prunes by them. ORC computes those of timestamps as if
   * the stripe's zone were UTC; readers turn a literal before 1582 into a day of the Julian
   * calendar; and ORC pads CHAR values to their length, which readers do not do to a literal.
   */
  private void widen(
      StreamName name, OrcProto.ColumnStatistics.Builder statistics, boolean shifted) {
    if (charColumns.get(name.getColumn())) {
      statistics.clearStringStatistics();
    }
    if (statistics.hasDateStatistics()) {
      OrcProto.DateStatistics.Builder days = statistics.getDateStatisticsBuilder();
      if (days.hasMinimum() && days.hasMaximum() && days.getMinimum() < GREGORIAN_START_DAY) {
        days.setMinimum(days.getMinimum() - CALENDAR_SLACK_DAYS);
        days.setMaximum(days.getMaximum() + CALENDAR_SLACK_DAYS);
      }
    }
    if (!statistics.hasTimestampStatistics()) {
      return;
    }
    OrcProto.TimestampStatistics.Builder bounds = statistics.getTimestampStatisticsBuilder();
    if (!bounds.hasMinimumUtc() || !bounds.hasMaximumUtc()) {
      return;
    }
    long slack = bounds.getMinimumUtc() < GREGORIAN_START ? CALENDAR_SLACK_DAYS * DAY_MILLIS : 0;
    slack += shifted ? ZONE_SLACK_MILLIS : 0;
    if (slack > 0) {
      bounds.setMinimumUtc(bounds.getMinimumUtc() - slack);
      bounds.setMaximumUtc(bounds.getMaximumUtc() + slack);
    }
  }
}
