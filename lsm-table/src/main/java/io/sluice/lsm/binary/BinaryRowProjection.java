package io.sluice.lsm.binary;

import io.sluice.lsm.row.Row;
import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.schema.RowType;
import java.util.List;

/**
 * Copies chosen columns of any {@link Row} into a {@link BinaryRow}: keys, partitions, bucket keys,
 * whole rows. One thread at a time: the result is a view of one reused buffer.
 */
public final class BinaryRowProjection {

  private final int[] sources;
  private final ValueCopier[] copiers;
  private final BinaryRowWriter writer;

  /**
   * @param type of the rows that are projected
   * @param columns positions in it, in the order wanted
   */
  public BinaryRowProjection(RowType type, int[] columns) {
    this.sources = columns.clone();
    this.copiers = new ValueCopier[columns.length];
    for (int i = 0; i < columns.length; i++) {
      copiers[i] = ValueCopier.of(type.type(columns[i]));
    }
    this.writer = new BinaryRowWriter(columns.length);
  }

  public BinaryRowProjection(RowType type, List<String> columns) {
    this(type, type.positions(columns));
  }

  private BinaryRowProjection(int[] sources, ValueCopier[] copiers) {
    this.sources = sources;
    this.copiers = copiers;
    this.writer = new BinaryRowWriter(sources.length);
  }

  /**
   * The other way round: whole rows from rows that hold only these columns, in this order; the
   * others become NULL.
   */
  public static BinaryRowProjection ofPart(RowType type, List<String> columns) {
    int[] sources = new int[type.size()];
    ValueCopier[] copiers = new ValueCopier[type.size()];
    for (int i = 0; i < sources.length; i++) {
      sources[i] = columns.indexOf(type.field(i).name());
      copiers[i] = ValueCopier.of(type.type(i));
    }
    return new BinaryRowProjection(sources, copiers);
  }

  /** All columns. */
  public BinaryRowProjection(RowType type) {
    this(type, java.util.stream.IntStream.range(0, type.size()).toArray());
  }

  /** The chosen columns, kind +I: a view that the next call changes. */
  public BinaryRow apply(Row row) {
    return apply(row, RowKind.INSERT);
  }

  /** The chosen columns with a kind: a view that the next call changes. */
  public BinaryRow apply(Row row, RowKind kind) {
    writer.reset();
    for (int i = 0; i < sources.length; i++) {
      if (sources[i] < 0) {
        copiers[i].setNull(writer, i);
      } else {
        copiers[i].copy(row, sources[i], writer, i);
      }
    }
    return writer.finish(kind);
  }
}
