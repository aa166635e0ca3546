package io.sluice.lsm.testing;

import io.sluice.lsm.binary.ColumnStats;
import io.sluice.lsm.datafile.DataFileMeta;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.RowType;
import io.sluice.lsm.schema.TableSchema;
import io.sluice.lsm.schema.TableSchemaJson;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.format.FileFormat;
import org.apache.paimon.format.FormatReaderContext;
import org.apache.paimon.format.FormatWriter;
import org.apache.paimon.fs.Path;
import org.apache.paimon.fs.PositionOutputStream;
import org.apache.paimon.fs.local.LocalFileIO;
import org.apache.paimon.options.Options;
import org.apache.paimon.reader.RecordReader;

/**
 * Paimon's own readers and writers of single data files. Rows are handed to it as they are: our
 * binary rows are Paimon's.
 */
public final class PaimonFiles {

  private final FileFormat format;
  private final org.apache.paimon.types.RowType rowType;

  public PaimonFiles(String format, List<DataField> fields) {
    this(format, paimonType(fields), Map.of());
  }

  private PaimonFiles(
      String format, org.apache.paimon.types.RowType rowType, Map<String, String> moreOptions) {
    Options options = new Options();
    options.set("orc.timestamp-ltz.legacy.type", "false");
    moreOptions.forEach(options::set);
    this.format = FileFormat.fromIdentifier(format, options);
    this.rowType = rowType;
  }

  /** The same, with {@link PaimonOracle#ROW_BY_ROW}. */
  public PaimonFiles rowByRow() {
    return new PaimonFiles(format.getFormatIdentifier(), rowType, PaimonOracle.ROW_BY_ROW);
  }

  /** The same columns as Paimon has them. */
  public static org.apache.paimon.types.RowType paimonType(List<DataField> fields) {
    int highest = fields.stream().mapToInt(DataField::id).max().orElse(0);
    TableSchema schema =
        new TableSchema(
            0, new RowType(fields), highest, List.of(), List.of(), Map.of("bucket", "-1"), null, 0);
    return org.apache.paimon.schema.TableSchema.fromJson(
            new String(TableSchemaJson.write(schema), StandardCharsets.UTF_8))
        .logicalRowType();
  }

  /** What a manifest must at least say of a file for it to be read. */
  public static DataFileMeta described(String path, long rows) throws java.io.IOException {
    return new DataFileMeta(
        path.substring(path.lastIndexOf('/') + 1),
        java.nio.file.Files.size(java.nio.file.Path.of(path)),
        rows,
        new byte[0],
        new byte[0],
        ColumnStats.EMPTY,
        ColumnStats.EMPTY,
        0,
        rows - 1,
        0,
        0,
        List.of(),
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null);
  }

  /** All rows, in the file's order. */
  public List<Map<String, String>> read(String path) throws Exception {
    LocalFileIO io = LocalFileIO.create();
    Path file = new Path(path);
    List<Map<String, String>> rows = new ArrayList<>();
    try (RecordReader<InternalRow> reader =
        format
            .createReaderFactory(rowType, rowType, new ArrayList<>())
            .createReader(new FormatReaderContext(io, file, io.getFileSize(file)))) {
      reader.forEachRemaining(row -> rows.add(PaimonOracle.render(rowType.getFields(), row)));
    }
    return rows;
  }

  public void write(String path, List<io.sluice.lsm.binary.BinaryRow> rows) throws Exception {
    write(path, rows, "zstd");
  }

  /**
   * @param compression as {@code file.compression} has it
   */
  public void write(String path, List<io.sluice.lsm.binary.BinaryRow> rows, String compression)
      throws Exception {
    try (PositionOutputStream out = LocalFileIO.create().newOutputStream(new Path(path), false);
        FormatWriter writer = format.createWriterFactory(rowType).create(out, compression)) {
      for (io.sluice.lsm.binary.BinaryRow row : rows) {
        writer.addElement(PaimonOracle.theirs(row));
      }
    }
  }
}
