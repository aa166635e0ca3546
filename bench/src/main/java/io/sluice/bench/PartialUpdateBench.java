package io.sluice.bench;

import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.binary.BinaryRowWriter;
import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.DataType;
import io.sluice.lsm.schema.DataTypes;
import io.sluice.lsm.schema.RowType;
import io.sluice.lsm.schema.TableSchema;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.apache.paimon.data.BinaryString;
import org.apache.paimon.data.Decimal;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.data.Timestamp;

/**
 * Partial updates of wide rows with compaction, by Sluice's engine and by Paimon's own Java writer,
 * by turns on the same rows: five sources write into one table of a key and 40 columns, 1 million
 * rows over 200,000 keys, 2 buckets, ORC with zstd, a commit every 100,000 rows. Each source has a
 * sequence group of 8 columns (its BIGINT sequence column among them) and leaves all others NULL.
 * The rest is as in {@link TableWriteBench}.
 *
 * <pre>PartialUpdateBench [rows] [keys] [rows per commit] [rounds] [sluice|paimon|both]</pre>
 */
public final class PartialUpdateBench {

  private static final int SOURCES = 5;

  /** Of one source; the first is its sequence column. */
  private static final List<DataType> GROUP =
      List.of(
          DataTypes.BIGINT,
          DataTypes.INT,
          DataTypes.STRING,
          DataTypes.decimal(12, 2),
          DataTypes.timestamp(3),
          DataTypes.BIGINT,
          DataTypes.DOUBLE,
          DataTypes.STRING);

  private static final int COLUMNS = 1 + SOURCES * GROUP.size();

  private PartialUpdateBench() {}

  public static void main(String[] args) throws Exception {
    Arguments arguments = new Arguments(args);
    int rows = arguments.number(0, 1_000_000);
    int keys = arguments.number(1, 200_000);
    int rowsPerCommit = arguments.number(2, 100_000);
    TableSchema schema = schema();
    new Duel("partial updates", arguments.number(3, 5), arguments.text(4, "both"))
        .fight(
            () ->
                TableWriteBench.write(
                    SluiceSession::new, schema, new Source(keys), rows, rowsPerCommit),
            () ->
                TableWriteBench.write(
                    PaimonSession::new, schema, new Source(keys), rows, rowsPerCommit));
    System.exit(0);
  }

  private static TableSchema schema() {
    List<DataField> fields = new ArrayList<>();
    fields.add(new DataField(0, "id", DataTypes.BIGINT.withNullable(false)));
    Map<String, String> options = new HashMap<>();
    options.put("bucket", "2");
    options.put("file.format", "orc");
    options.put("file.compression", "zstd");
    options.put("merge-engine", "partial-update");
    for (int source = 0; source < SOURCES; source++) {
      List<String> members = new ArrayList<>();
      for (int i = 0; i < GROUP.size(); i++) {
        String name = "s" + source + (i == 0 ? "_seq" : "_c" + i);
        fields.add(new DataField(fields.size(), name, GROUP.get(i)));
        if (i > 0) {
          members.add(name);
        }
      }
      options.put("fields.s" + source + "_seq.sequence-group", String.join(",", members));
    }
    return new TableSchema(
        0, new RowType(fields), COLUMNS - 1, List.of(), List.of("id"), options, null, 0);
  }

  /** Rows of the five sources in turn. */
  private static final class Source implements RowSource {
    private final SplittableRandom random = new SplittableRandom(42);
    private final int keys;
    private final BinaryRowWriter writer = new BinaryRowWriter(COLUMNS);
    private final byte[] text = new byte[20];
    private long count = -1;
    private long id;
    private long r;

    Source(int keys) {
      this.keys = keys;
    }

    @Override
    public void advance() {
      count++;
      id = random.nextInt(keys);
      r = random.nextLong();
      for (int i = 0; i < text.length; i++) {
        text[i] = (byte) ('a' + (i < 10 ? (r >>> (i * 5)) & 0xf : i % 13));
      }
    }

    private int first() {
      return 1 + (int) (count % SOURCES) * GROUP.size();
    }

    private int number() {
      return (int) (r & 0xffff);
    }

    private long amount() {
      return (r >>> 24) & 0xfffff;
    }

    private long time() {
      return 1_700_000_000_000L + (r >>> 34);
    }

    private long large() {
      return r >>> 20;
    }

    private double real() {
      return (r >>> 40) / 8.0;
    }

    @Override
    public BinaryRow sluice() {
      int first = first();
      writer.reset();
      writer.writeLong(0, id);
      for (int i = 1; i < first; i++) {
        writer.setNull(i);
      }
      writer.writeLong(first, count);
      writer.writeInt(first + 1, number());
      writer.writeBytes(first + 2, text, 0, 4);
      writer.writeDecimalUnscaled(first + 3, amount());
      writer.writeTimestamp(first + 4, time(), 0, 3);
      writer.writeLong(first + 5, large());
      writer.writeDouble(first + 6, real());
      writer.writeBytes(first + 7, text, 0, text.length);
      for (int i = first + GROUP.size(); i < COLUMNS; i++) {
        writer.setNull(i);
      }
      return writer.finish(RowKind.INSERT);
    }

    @Override
    public InternalRow paimon() {
      int first = first();
      GenericRow row = new GenericRow(COLUMNS);
      row.setField(0, id);
      row.setField(first, count);
      row.setField(first + 1, number());
      row.setField(first + 2, BinaryString.fromBytes(text.clone(), 0, 4));
      row.setField(first + 3, Decimal.fromUnscaledLong(amount(), 12, 2));
      row.setField(first + 4, Timestamp.fromEpochMillis(time()));
      row.setField(first + 5, large());
      row.setField(first + 6, real());
      row.setField(first + 7, BinaryString.fromBytes(text.clone()));
      return row;
    }
  }
}
