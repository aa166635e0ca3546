package io.sluice.lsm.datafile.orc;

import io.sluice.lsm.datafile.column.Column;
import org.apache.hadoop.hive.ql.exec.vector.ColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.VectorizedRowBatch;
import org.apache.orc.TypeDescription;
import org.apache.orc.TypeDescription.RowBatchVersion;
import org.apache.orc.impl.TypeUtils;

/** Some records, by an {@link OrcColumnGroup}. Filled again and again; one thread at a time. */
final class OrcBatch {

  final VectorizedRowBatch vectors;

  /** In the group's order. */
  final Column[] columns;

  /** Of the group that reads numbers and kinds; else empty. */
  long[] sequences = new long[0];

  long[] kinds = new long[0];

  /** The first record, in the file. */
  long start;

  /**
   * @param include what is read, by the ids of the type; nothing else takes memory
   * @param columns that the group gives
   * @param rowsMax of a batch
   */
  OrcBatch(TypeDescription type, boolean[] include, int columns, int rowsMax) {
    this.columns = new Column[columns];
    int width = type.getChildren().size();
    ColumnVector[] of = new ColumnVector[width];
    for (int i = 0; i < width; i++) {
      TypeDescription child = type.getChildren().get(i);
      if (include[child.getId()]) {
        of[i] = TypeUtils.createColumn(child, RowBatchVersion.USE_DECIMAL64, rowsMax);
      }
    }
    this.vectors = new VectorizedRowBatch(width, rowsMax);
    this.vectors.cols = of;
  }

  int size() {
    return vectors.size;
  }
}
