package io.sluice.bench;

import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.binary.BinaryRowWriter;
import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.DataTypes;
import io.sluice.lsm.schema.RowType;
import io.sluice.lsm.schema.TableSchema;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.apache.paimon.data.BinaryString;
import org.apache.paimon.data.Decimal;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.data.Timestamp;

/** An orders table of 8 columns, about 110 bytes a row. */
final class Orders {

  private static final String[] STATES = {"new", "paid", "packed", "sent", "delivered", "returned"};
  private static final byte[][] STATE_BYTES =
      Arrays.stream(STATES)
          .map(state -> state.getBytes(StandardCharsets.UTF_8))
          .toArray(byte[][]::new);

  private Orders() {}

  /** ORC with zstd. */
  static TableSchema schema(int buckets) {
    return new TableSchema(
        0,
        new RowType(
            List.of(
                new DataField(0, "id", DataTypes.BIGINT.withNullable(false)),
                new DataField(1, "customer", DataTypes.INT),
                new DataField(2, "state", DataTypes.STRING),
                new DataField(3, "amount", DataTypes.decimal(12, 2)),
                new DataField(4, "quantity", DataTypes.INT),
                new DataField(5, "note", DataTypes.STRING),
                new DataField(6, "created", DataTypes.timestamp(3)),
                new DataField(7, "updated", DataTypes.timestamp(6)))),
        7,
        List.of(),
        List.of("id"),
        Map.of(
            "bucket", Integer.toString(buckets), "file.format", "orc", "file.compression", "zstd"),
        null,
        0);
  }

  /** Rows of keys below {@code keys}: each once in ascending order, or at random. */
  static final class Source implements RowSource {
    private final SplittableRandom random;
    private final int keys;
    private final boolean ascending;
    private final BinaryRowWriter writer = new BinaryRowWriter(8);
    private final byte[] note = new byte[40];
    private long id = -1;
    private long r;

    private Source(long seed, int keys, boolean ascending) {
      this.random = new SplittableRandom(seed);
      this.keys = keys;
      this.ascending = ascending;
    }

    static Source ascending(long seed, int keys) {
      return new Source(seed, keys, true);
    }

    static Source random(long seed, int keys) {
      return new Source(seed, keys, false);
    }

    @Override
    public void advance() {
      id = ascending ? id + 1 : random.nextInt(keys);
      r = random.nextLong();
      // Text that compresses about as well as such notes do.
      for (int i = 0; i < note.length; i++) {
        note[i] = (byte) ('a' + (i < 16 ? (r >>> (i * 4)) & 0xf : i % 13));
      }
    }

    private int customer() {
      return (int) (r & 0xffff);
    }

    private byte[] state() {
      return STATE_BYTES[(int) ((r >>> 16) & 0xff) % STATES.length];
    }

    private long amount() {
      return (r >>> 24) & 0xfffff;
    }

    private int quantity() {
      return (int) ((r >>> 44) & 0xf);
    }

    private long created() {
      return 1_700_000_000_000L + id * 1000;
    }

    private long updated() {
      return 1_760_000_000_000L + (r >>> 32);
    }

    @Override
    public BinaryRow sluice() {
      writer.reset();
      writer.writeLong(0, id);
      writer.writeInt(1, customer());
      byte[] state = state();
      writer.writeBytes(2, state, 0, state.length);
      writer.writeDecimalUnscaled(3, amount());
      writer.writeInt(4, quantity());
      writer.writeBytes(5, note, 0, note.length);
      writer.writeTimestamp(6, created(), 0, 3);
      writer.writeTimestamp(7, updated(), 0, 6);
      return writer.finish(RowKind.INSERT);
    }

    @Override
    public InternalRow paimon() {
      return GenericRow.of(
          id,
          customer(),
          BinaryString.fromBytes(state()),
          Decimal.fromUnscaledLong(amount(), 12, 2),
          quantity(),
          BinaryString.fromBytes(note.clone()),
          Timestamp.fromEpochMillis(created()),
          Timestamp.fromEpochMillis(updated()));
    }
  }
}
