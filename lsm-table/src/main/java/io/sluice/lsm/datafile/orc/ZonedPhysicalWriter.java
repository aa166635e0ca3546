package io.sluice.lsm.datafile.orc;

import java.io.IOException;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.orc.OrcFile;
import org.apache.orc.OrcProto;
import org.apache.orc.impl.PhysicalFsWriter;
import org.apache.orc.impl.StreamName;
import org.apache.orc.impl.writer.WriterEncryptionVariant;

/**
 * Writes ORC's bytes to our stream and says in each stripe's footer which zone its TIMESTAMPs are
 * in (see {@link TimestampEncoder}).
 */
final class ZonedPhysicalWriter extends PhysicalFsWriter {

  private static final long WIDENED_MILLIS = 1000;

  private final TimestampEncoder encoder;

  ZonedPhysicalWriter(
      FSDataOutputStream stream, OrcFile.WriterOptions options, TimestampEncoder encoder)
      throws IOException {
    super(stream, options, new WriterEncryptionVariant[0]);
    this.encoder = encoder;
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

  @Override
  public void writeIndex(StreamName name, OrcProto.RowIndex.Builder index) throws IOException {
    if (encoder.shiftedInStripe()) {
      for (OrcProto.RowIndexEntry.Builder entry : index.getEntryBuilderList()) {
        widen(entry.getStatisticsBuilder());
      }
    }
    super.writeIndex(name, index);
  }

  @Override
  public void writeStatistics(StreamName name, OrcProto.ColumnStatistics.Builder statistics) {
    if (encoder.shiftedInFile()) {
      widen(statistics);
    }
    super.writeStatistics(name, statistics);
  }

  /** ORC computes the bounds as if the zone were UTC: they may be off by a second. */
  private static void widen(OrcProto.ColumnStatistics.Builder statistics) {
    if (!statistics.hasTimestampStatistics()) {
      return;
    }
    OrcProto.TimestampStatistics.Builder timestamps = statistics.getTimestampStatisticsBuilder();
    if (timestamps.hasMinimumUtc()) {
      timestamps.setMinimumUtc(timestamps.getMinimumUtc() - WIDENED_MILLIS);
    }
    if (timestamps.hasMaximumUtc()) {
      timestamps.setMaximumUtc(timestamps.getMaximumUtc() + WIDENED_MILLIS);
    }
  }
}
