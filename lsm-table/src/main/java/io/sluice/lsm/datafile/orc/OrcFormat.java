package io.sluice.lsm.datafile.orc;

import io.sluice.lsm.datafile.DataFileReader;
import io.sluice.lsm.datafile.FileFormat;
import io.sluice.lsm.datafile.FileSummary;
import io.sluice.lsm.datafile.KeyValueWriter;
import io.sluice.lsm.datafile.NewFile;
import io.sluice.lsm.datafile.StoredFile;
import io.sluice.lsm.error.UnsupportedTableException;
import io.sluice.lsm.io.FileIO;
import io.sluice.lsm.schema.TableOptions;
import io.sluice.lsm.schema.TableSchema;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.orc.CompressionKind;
import org.apache.orc.OrcConf;
import org.apache.orc.OrcFile;
import org.apache.orc.Writer;
import org.apache.orc.impl.WriterImpl;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * ORC data files (format description section 7.2): file version 0.12, zstd, row index every 10,000
 * rows, field ids as attributes. Thread safe; its writers and readers are not.
 */
public final class OrcFormat implements FileFormat {

  static final Logger LOG = LoggerFactory.getLogger(OrcFormat.class);

  /** Rows of a batch at most. */
  static final int BATCH = 1024;

  /** Text and binary bytes of a batch at most, but for its last row. */
  static final long BATCH_BYTES = 4 << 20;

  private static final int SMALL_BUFFER_BYTES = 8 << 10;

  /** Of the largest stream; each is compressed by itself. */
  private static final int CHUNKS_MIN = 8;

  private static final String OPTION_PREFIX = "orc.";

  private final Clock clock;
  private final Configuration configuration;

  /**
   * @param clock whose zone's wall clock goes into {@code _CREATION_TIME}
   */
  public OrcFormat(Clock clock) {
    this.clock = clock;
    // false: no default resources are looked for.
    this.configuration = new Configuration(false);
  }

  @Override
  public String suffix(TableSchema schema, int level) {
    return "orc";
  }

  @Override
  public KeyValueWriter createWriter(FileIO fileIO, NewFile file) {
    return new OrcKeyValueWriter(this, fileIO, file, clock);
  }

  @Override
  public DataFileReader createReader(FileIO fileIO, StoredFile file) throws IOException {
    return OrcKeyValueReader.open(this, fileIO, file, OrcKeyValueReader.Part.RECORDS);
  }

  @Override
  public DataFileReader createValueReader(FileIO fileIO, StoredFile file) throws IOException {
    return OrcKeyValueReader.open(this, fileIO, file, OrcKeyValueReader.Part.VALUES);
  }

  Configuration configuration() {
    return configuration;
  }

  /** Begins a file on storage. */
  OrcKeyValueWriter.Output open(
      FileIO fileIO,
      NewFile file,
      TableOptions options,
      OrcKeyValueWriter.Shape shape,
      FileSummary summary,
      TimestampEncoder timestamps)
      throws IOException {
    String path = file.path();
    Properties properties = new Properties();
    Configuration own = configuration;
    for (Map.Entry<String, String> option : file.schema().options().entrySet()) {
      if (option.getKey().startsWith(OPTION_PREFIX)) {
        if (own == configuration) {
          own = new Configuration(configuration);
        }
        own.set(option.getKey(), option.getValue());
        properties.setProperty(option.getKey(), option.getValue());
      }
    }
    properties.setProperty(
        OrcConf.COMPRESSION_ZSTD_LEVEL.getAttribute(),
        Integer.toString(options.dataFiles().zstdLevel()));
    OrcFile.WriterOptions writerOptions =
        OrcFile.writerOptions(properties, own)
            .setSchema(shape.type())
            .compress(compression(options.dataFiles().compression(file.level())))
            .version(OrcFile.Version.V_0_12)
            .useUTCTimestamp(true)
            .setProlepticGregorian(false)
            .directEncodingColumns(String.join(",", shape.directColumns()));
    Long stripe = options.dataFiles().blockSizeBytes();
    if (stripe != null) {
      writerOptions.stripeSize(stripe);
    }
    // ORC takes three buffers a stream: the usual 256 KiB would be many megabytes for a few rows.
    // Of a wide table they are smaller by themselves.
    int usual =
        WriterImpl.getEstimatedBufferSize(
            writerOptions.getStripeSize(),
            shape.type().getMaximumId() + 1,
            writerOptions.getBufferSize());
    long buffer = Math.max(SMALL_BUFFER_BYTES, shape.streamBytesMax() / CHUNKS_MIN);
    if (buffer <= usual / 2) {
      writerOptions
          .bufferSize(Integer.highestOneBit(Math.toIntExact(buffer - 1)) * 2)
          .enforceBufferSize();
    }
    Output output = new Output(summary.create(fileIO, path));
    FSDataOutputStream stream = new FSDataOutputStream(output, new FileSystem.Statistics("sluice"));
    Path label = new Path("/" + path.substring(path.lastIndexOf('/') + 1).replace(':', '_'));
    writerOptions.fileSystem(new OrcStreams(fileIO, path, own));
    ZonedPhysicalWriter physical =
        new ZonedPhysicalWriter(stream, writerOptions, timestamps, output.checksums);
    writerOptions.physicalWriter(physical);
    Writer writer = OrcFile.createWriter(label, writerOptions);
    if (timestamps.hasInstants()) {
      writer.addUserMetadata(InstantZone.MARK, StandardCharsets.UTF_8.encode("true"));
    }
    return new OrcKeyValueWriter.Output(stream, physical, writer);
  }

  /** Ends an output without completing its file. */
  void abandon(OrcKeyValueWriter.Output output) {
    if (output.stream().getWrappedStream() instanceof Output stream) {
      stream.detach();
    }
    try {
      // Gives the writer's memory back to ORC's memory manager.
      output.writer().close();
    } catch (IOException | RuntimeException e) {
      LOG.debug("Closing a file that is given up", e);
    }
  }

  private static CompressionKind compression(String name) {
    return switch (name) {
      case "uncompressed" -> CompressionKind.NONE;
      default -> {
        try {
          yield CompressionKind.valueOf(name.toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException e) {
          throw new UnsupportedTableException(
              "file.compression = " + name + " is not known to ORC; use zstd", e);
        }
      }
    };
  }

  /** An output whose bytes are added up, and that can be let go of: later bytes vanish. */
  private static final class Output extends FilterOutputStream {

    final BlockChecksums.Collector checksums = new BlockChecksums.Collector();
    private final byte[] one = new byte[1];
    private boolean detached;

    Output(OutputStream out) {
      super(out);
    }

    void detach() {
      detached = true;
    }

    @Override
    public void write(int b) throws IOException {
      one[0] = (byte) b;
      write(one, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      if (!detached) {
        checksums.add(bytes, offset, length);
        out.write(bytes, offset, length);
      }
    }

    @Override
    public void flush() throws IOException {
      if (!detached) {
        out.flush();
      }
    }
  }
}
