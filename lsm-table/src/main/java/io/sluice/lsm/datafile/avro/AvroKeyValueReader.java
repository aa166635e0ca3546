package io.sluice.lsm.datafile.avro;

import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.binary.BinaryRowWriter;
import io.sluice.lsm.binary.Boxed;
import io.sluice.lsm.binary.Casts;
import io.sluice.lsm.datafile.DataFileMeta;
import io.sluice.lsm.datafile.DataFileReader;
import io.sluice.lsm.datafile.KeyValueLayout;
import io.sluice.lsm.datafile.ReadFailures;
import io.sluice.lsm.datafile.StoredFile;
import io.sluice.lsm.error.CorruptTableException;
import io.sluice.lsm.error.UnsupportedTableException;
import io.sluice.lsm.io.FileIO;
import io.sluice.lsm.row.Row;
import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.DataType;
import io.sluice.lsm.schema.DataTypes;
import io.sluice.lsm.schema.RowType;
import io.sluice.lsm.schema.TableSchema;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.avro.Schema;
import org.jspecify.annotations.Nullable;

/**
 * Reads one record after the other. Columns are found by field id in the schema that wrote the file
 * and by the name they have there in the file (format description section 2.5).
 */
final class AvroKeyValueReader implements DataFileReader {

  private final String path;
  private final DataFileMeta file;
  private final AvroBlocks blocks;
  private final AvroInput input = new AvroInput();
  private final BinaryRowWriter writer;

  /** What is done with each field of a record, in the file's order. */
  private final AvroValueReader[] steps;

  private final @Nullable Object[] values;
  private final DataType[] types;
  private final boolean append;

  /** Where the file's records are a union with null: what a record begins with; else -1. */
  private final int recordBranch;

  private long leftInBlock;
  private long recordsSeen;
  private long sequence;
  private long kind;
  private @Nullable BinaryRow row;

  private AvroKeyValueReader(
      String path,
      DataFileMeta file,
      AvroBlocks blocks,
      TableSchema fileSchema,
      RowType readColumns)
      throws IOException {
    this.path = path;
    this.file = file;
    this.blocks = blocks;
    this.append = KeyValueLayout.full(fileSchema).append();
    int width = readColumns.size();
    this.values = new Object[width];
    this.types = new DataType[width];
    this.writer = new BinaryRowWriter(width);
    List<Schema> branches =
        blocks.schema().getType() == Schema.Type.UNION
            ? blocks.schema().getTypes()
            : List.of(blocks.schema());
    int branch = -1;
    for (int i = 0; i < branches.size(); i++) {
      if (branches.get(i).getType() == Schema.Type.RECORD) {
        branch = i;
      }
    }
    if (branch < 0) {
      throw new IOException("Its records are of type " + blocks.schema().getType());
    }
    Schema schema = branches.get(branch);
    this.recordBranch = blocks.schema().getType() == Schema.Type.UNION ? branch : -1;
    Map<String, AvroValueReader> byName = new HashMap<>();
    if (!append) {
      AvroValueReader sequences = reader(schema, KeyValueLayout.SEQUENCE_NUMBER, DataTypes.BIGINT);
      byName.put(KeyValueLayout.SEQUENCE_NUMBER, in -> sequence = number(sequences.read(in)));
      AvroValueReader kinds = reader(schema, KeyValueLayout.VALUE_KIND, DataTypes.TINYINT);
      byName.put(KeyValueLayout.VALUE_KIND, in -> kind = number(kinds.read(in)));
    }
    for (int i = 0; i < width; i++) {
      DataField wanted = readColumns.field(i);
      types[i] = wanted.type();
      int inFile = fileSchema.rowType().positionOfId(wanted.id());
      if (inFile >= 0) {
        DataField stored = fileSchema.rowType().field(inFile);
        byName.put(stored.name(), step(i, stored, wanted, schema));
      }
    }
    List<Schema.Field> fields = schema.getFields();
    this.steps = new AvroValueReader[fields.size()];
    for (int i = 0; i < steps.length; i++) {
      AvroValueReader step = byName.get(fields.get(i).name());
      steps[i] = step == null ? AvroValueReader.skip(fields.get(i).schema()) : step;
    }
  }

  private AvroValueReader reader(Schema schema, String name, DataType type) {
    Schema.Field field = schema.getField(name);
    if (field == null) {
      throw new CorruptTableException(path + " lacks the column " + name);
    }
    return AvroValueReader.of(path, name, type, field.schema());
  }

  private long number(@Nullable Object value) {
    if (value == null) {
      throw new CorruptTableException(path + ": a record has no sequence number or kind");
    }
    return (Long) value;
  }

  private AvroValueReader step(int column, DataField stored, DataField wanted, Schema schema) {
    AvroValueReader reader = reader(schema, stored.name(), stored.type());
    if (stored.type().withNullable(true).equals(wanted.type().withNullable(true))) {
      return in -> values[column] = reader.read(in);
    }
    Casts.Cast cast = Casts.of(stored.type(), wanted.type());
    if (cast == null) {
      throw new UnsupportedTableException(
          "Column "
              + wanted.name()
              + " of type "
              + wanted.type()
              + " is stored in "
              + path
              + " as "
              + stored.type()
              + ", and this engine does not convert that. Compact the table fully with an engine"
              + " that does.");
    }
    return in -> {
      Object value = reader.read(in);
      values[column] = value == null ? null : cast.apply(value);
      return null;
    };
  }

  static AvroKeyValueReader open(FileIO fileIO, StoredFile file) {
    String path = file.path();
    AvroBlocks blocks = null;
    boolean opened = false;
    try {
      blocks = new AvroBlocks(fileIO, path, file.meta().fileSize());
      AvroKeyValueReader result =
          new AvroKeyValueReader(path, file.meta(), blocks, file.schema(), file.wanted());
      opened = true;
      return result;
    } catch (IOException | RuntimeException e) {
      throw failure(path, ReadFailures.METADATA, e);
    } finally {
      if (!opened && blocks != null) {
        closeQuietly(blocks);
      }
    }
  }

  private static void closeQuietly(AvroBlocks blocks) {
    try {
      blocks.close();
    } catch (IOException e) {
      AvroFormat.LOG.debug("Closing a file that can't be read", e);
    }
  }

  private static RuntimeException failure(String path, String part, Exception e) {
    IOException storage = e instanceof AvroBlocks.StorageFault fault ? fault.storage() : null;
    return ReadFailures.of(path, part, storage, e);
  }

  @Override
  public boolean advance() {
    try {
      if (leftInBlock == 0) {
        if (!input.atEnd()) {
          throw new IOException("A block has bytes behind its last record");
        }
        leftInBlock = blocks.next(input);
        if (leftInBlock == 0) {
          if (recordsSeen != file.rowCount()) {
            throw ReadFailures.count(path, recordsSeen, file.rowCount());
          }
          row = null;
          return false;
        }
      }
      java.util.Arrays.fill(values, null);
      if (recordBranch >= 0 && input.readInt() != recordBranch) {
        throw new IOException("A record that is NULL");
      }
      for (AvroValueReader step : steps) {
        step.read(input);
      }
      if (kind < 0 || kind > 3) {
        throw ReadFailures.kind(path, kind);
      }
      leftInBlock--;
      recordsSeen++;
      writer.reset();
      for (int i = 0; i < values.length; i++) {
        Boxed.write(writer, i, types[i], values[i]);
      }
      row = writer.finish(kind());
      return true;
    } catch (IOException | RuntimeException e) {
      throw failure(path, ReadFailures.records(recordsSeen), e);
    }
  }

  @Override
  public long positionInFile() {
    return recordsSeen - 1;
  }

  @Override
  public long sequenceNumber() {
    return append ? file.minSequenceNumber() + positionInFile() : sequence;
  }

  @Override
  public RowKind kind() {
    return RowKind.of((byte) kind);
  }

  @Override
  public Row row() {
    BinaryRow current = row;
    if (current == null) {
      throw new IllegalStateException("There is no current record");
    }
    return current;
  }

  @Override
  public void close() throws IOException {
    blocks.close();
  }
}
