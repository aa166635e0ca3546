package io.sluice.lsm.datafile.orc;

import io.sluice.lsm.binary.TestRows;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.DataType;
import io.sluice.lsm.schema.DataType.DecimalType;
import io.sluice.lsm.schema.DataType.TemporalType;
import java.math.BigDecimal;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.apache.paimon.data.BinaryString;
import org.apache.paimon.data.Decimal;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.data.Timestamp;
import org.apache.paimon.format.FileFormat;
import org.apache.paimon.format.FormatReaderContext;
import org.apache.paimon.format.FormatWriter;
import org.apache.paimon.fs.Path;
import org.apache.paimon.fs.PositionOutputStream;
import org.apache.paimon.fs.local.LocalFileIO;
import org.apache.paimon.options.Options;
import org.apache.paimon.predicate.Predicate;
import org.apache.paimon.predicate.PredicateBuilder;
import org.apache.paimon.reader.RecordReader;
import org.apache.paimon.types.DataTypeJsonParser;

/** Paimon's own ORC reader and writer, to the values of {@link TestRows}. */
final class PaimonOrc {

  private final FileFormat format;
  private final List<DataField> fields;
  private final org.apache.paimon.types.RowType rowType;

  PaimonOrc(List<DataField> fields) {
    this(fields, false);
  }

  PaimonOrc(List<DataField> fields, boolean legacyTimestampLtz) {
    Options options = new Options();
    options.set("orc.timestamp-ltz.legacy.type", String.valueOf(legacyTimestampLtz));
    this.format = FileFormat.fromIdentifier("orc", options);
    this.fields = fields;
    List<org.apache.paimon.types.DataField> theirs = new ArrayList<>();
    for (DataField field : fields) {
      theirs.add(
          new org.apache.paimon.types.DataField(
              field.id(),
              field.name(),
              DataTypeJsonParser.parseAtomicTypeSQLString(field.type().toString())));
    }
    this.rowType = new org.apache.paimon.types.RowType(theirs);
  }

  List<List<Object>> read(String path) throws Exception {
    return read(path, new ArrayList<>());
  }

  /** What is left of the file when Paimon prunes it for {@code column = value}. */
  List<List<Object>> readWhere(String path, int column, Object value) throws Exception {
    Predicate equal =
        new PredicateBuilder(rowType).equal(column, internal(fields.get(column).type(), value));
    return read(path, new ArrayList<>(List.of(equal)));
  }

  private List<List<Object>> read(String path, List<Predicate> filters) throws Exception {
    LocalFileIO io = LocalFileIO.create();
    Path file = new Path(path);
    List<List<Object>> rows = new ArrayList<>();
    try (RecordReader<InternalRow> reader =
        format
            .createReaderFactory(rowType, rowType, filters)
            .createReader(new FormatReaderContext(io, file, io.getFileSize(file)))) {
      reader.forEachRemaining(
          row -> {
            List<Object> values = new ArrayList<>();
            for (int i = 0; i < fields.size(); i++) {
              values.add(row.isNullAt(i) ? null : value(fields.get(i).type(), row, i));
            }
            rows.add(values);
          });
    }
    return rows;
  }

  void write(String path, List<List<Object>> rows) throws Exception {
    try (PositionOutputStream out = LocalFileIO.create().newOutputStream(new Path(path), false);
        FormatWriter writer = format.createWriterFactory(rowType).create(out, "zstd")) {
      for (List<Object> row : rows) {
        GenericRow generic = new GenericRow(fields.size());
        for (int i = 0; i < fields.size(); i++) {
          generic.setField(i, internal(fields.get(i).type(), row.get(i)));
        }
        writer.addElement(generic);
      }
    }
  }

  private static Object internal(DataType type, Object value) {
    if (value == null) {
      return null;
    }
    return switch (type.root()) {
      case CHAR, VARCHAR -> BinaryString.fromString((String) value);
      case DECIMAL -> {
        DecimalType decimal = (DecimalType) type;
        yield Decimal.fromBigDecimal((BigDecimal) value, decimal.precision(), decimal.scale());
      }
      case BINARY, VARBINARY -> value instanceof String s ? HexFormat.of().parseHex(s) : value;
      case DATE -> (int) ((LocalDate) value).toEpochDay();
      case TIME -> (int) (((LocalTime) value).toNanoOfDay() / 1_000_000);
      case TIMESTAMP, TIMESTAMP_LTZ ->
          Timestamp.fromEpochMillis(
              ((LocalDateTime) value).toInstant(ZoneOffset.UTC).toEpochMilli(),
              ((LocalDateTime) value).getNano() % 1_000_000);
      default -> value;
    };
  }

  private static Object value(DataType type, InternalRow row, int i) {
    return switch (type.root()) {
      case BOOLEAN -> row.getBoolean(i);
      case TINYINT -> row.getByte(i);
      case SMALLINT -> row.getShort(i);
      case INT -> row.getInt(i);
      case BIGINT -> row.getLong(i);
      case FLOAT -> row.getFloat(i);
      case DOUBLE -> row.getDouble(i);
      case DECIMAL -> {
        DecimalType decimal = (DecimalType) type;
        yield row.getDecimal(i, decimal.precision(), decimal.scale()).toBigDecimal();
      }
      case CHAR, VARCHAR -> row.getString(i).toString();
      case BINARY, VARBINARY -> HexFormat.of().formatHex(row.getBinary(i));
      case DATE -> LocalDate.ofEpochDay(row.getInt(i));
      case TIME -> LocalTime.ofNanoOfDay(row.getInt(i) * 1_000_000L);
      case TIMESTAMP, TIMESTAMP_LTZ -> {
        Timestamp time = row.getTimestamp(i, ((TemporalType) type).precision());
        yield TestRows.moment(time.getMillisecond(), time.getNanoOfMillisecond());
      }
      default -> throw new AssertionError(type);
    };
  }
}
