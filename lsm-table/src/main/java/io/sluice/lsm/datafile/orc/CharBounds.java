package io.sluice.lsm.datafile.orc;

import io.sluice.lsm.schema.RowType;
import io.sluice.lsm.schema.TypeRoot;
import java.util.Arrays;
import org.apache.hadoop.hive.ql.exec.vector.BytesColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.VectorizedRowBatch;
import org.jspecify.annotations.Nullable;

/** Smallest and largest values of CHAR columns: ORC's own are padded with blanks. */
final class CharBounds {

  private final @Nullable BytesColumnVector[] vectors;
  private final byte[] @Nullable [] min;
  private final byte[] @Nullable [] max;

  CharBounds(RowType type, VectorizedRowBatch batch, int firstVector) {
    vectors = new BytesColumnVector[type.size()];
    min = new byte[type.size()][];
    max = new byte[type.size()][];
    for (int i = 0; i < type.size(); i++) {
      if (type.type(i).root() == TypeRoot.CHAR) {
        vectors[i] = (BytesColumnVector) batch.cols[firstVector + i];
      }
    }
  }

  void add(int size) {
    for (int column = 0; column < vectors.length; column++) {
      BytesColumnVector vector = vectors[column];
      if (vector != null) {
        add(column, vector, size);
      }
    }
  }

  private void add(int column, BytesColumnVector vector, int size) {
    for (int i = 0; i < size; i++) {
      if (vector.noNulls || !vector.isNull[i]) {
        byte[] bytes = vector.vector[i];
        int from = vector.start[i];
        int to = from + vector.length[i];
        byte[] smallest = min[column];
        if (smallest == null
            || Arrays.compareUnsigned(bytes, from, to, smallest, 0, smallest.length) < 0) {
          min[column] = Arrays.copyOfRange(bytes, from, to);
        }
        byte[] largest = max[column];
        if (largest == null
            || Arrays.compareUnsigned(bytes, from, to, largest, 0, largest.length) > 0) {
          max[column] = Arrays.copyOfRange(bytes, from, to);
        }
      }
    }
  }

  /** Null where the column had no value. */
  byte @Nullable [] min(int column) {
    return min[column];
  }

  byte @Nullable [] max(int column) {
    return max[column];
  }
}
