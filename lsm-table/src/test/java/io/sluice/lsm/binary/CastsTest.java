package io.sluice.lsm.binary;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.DataType;
import io.sluice.lsm.schema.DataTypeText;
import io.sluice.lsm.schema.RowType;
import io.sluice.lsm.testing.CanonicalRows;
import io.sluice.lsm.testing.PaimonFiles;
import io.sluice.lsm.testing.PaimonOracle;
import io.sluice.lsm.testing.RandomValues;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.paimon.casting.CastExecutor;
import org.apache.paimon.casting.CastExecutors;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.memory.MemorySegment;
import org.junit.jupiter.api.Test;

/** Every cast that we make gives what Paimon's gives, for random values of random types. */
class CastsTest {

  private static final List<String> TYPES =
      List.of(
          "BOOLEAN",
          "TINYINT",
          "SMALLINT",
          "INT",
          "BIGINT",
          "FLOAT",
          "DOUBLE",
          "DECIMAL(3, 1)",
          "DECIMAL(9, 2)",
          "DECIMAL(18, 5)",
          "DECIMAL(20, 2)",
          "DECIMAL(38, 10)",
          "CHAR(3)",
          "CHAR(7)",
          "VARCHAR(2)",
          "VARCHAR(8)",
          "STRING",
          "BINARY(3)",
          "BINARY(5)",
          "VARBINARY(2)",
          "BYTES",
          "DATE",
          "TIME(0)",
          "TIME(3)",
          "TIMESTAMP(0)",
          "TIMESTAMP(3)",
          "TIMESTAMP(6)",
          "TIMESTAMP(9)",
          "TIMESTAMP_LTZ(3)",
          "TIMESTAMP_LTZ(6)");

  private static RowType one(DataType type) {
    return new RowType(List.of(new DataField(0, "c", type)));
  }

  private static String ours(DataType type, Object value) {
    List<Object> row = new ArrayList<>();
    row.add(value);
    return CanonicalRows.of(one(type), RandomValues.binary(one(type), row, RowKind.INSERT))
        .get("c");
  }

  private static InternalRow row(DataType type, Object value) {
    BinaryRow row = RandomValues.binary(one(type), List.of(value), RowKind.INSERT);
    org.apache.paimon.data.BinaryRow result = new org.apache.paimon.data.BinaryRow(1);
    byte[] bytes = row.toByteArray();
    result.pointTo(MemorySegment.wrap(bytes), 0, bytes.length);
    return result;
  }

  @Test
  @SuppressWarnings("unchecked")
  void giveWhatPaimonGives() {
    long seed = Long.getLong("test.seed", System.nanoTime());
    RandomValues values = new RandomValues(new Random(seed), "orc");
    int pairs = 0;
    List<String> problems = new ArrayList<>();
    for (String from : TYPES) {
      DataType source = DataTypeText.parse(from).withNullable(false);
      for (String to : TYPES) {
        DataType target = DataTypeText.parse(to);
        Casts.Cast cast = Casts.of(source, target);
        if (cast == null || from.equals(to)) {
          continue;
        }
        pairs++;
        org.apache.paimon.types.RowType theirSource = PaimonFiles.paimonType(one(source).fields());
        org.apache.paimon.types.RowType theirTarget = PaimonFiles.paimonType(one(target).fields());
        CastExecutor<Object, Object> theirs =
            (CastExecutor<Object, Object>)
                CastExecutors.resolve(theirSource.getTypeAt(0), theirTarget.getTypeAt(0));
        if (theirs == null) {
          // TIME(0) to TIME(3): the values are the same.
          if (source.root() != target.root()) {
            problems.add("Paimon has no cast from " + from + " to " + to);
          }
          continue;
        }
        for (int i = 0; i < 60; i++) {
          Object value = values.value(source);
          if (value instanceof Double number && !Double.isFinite(number)) {
            continue;
          }
          Object in =
              InternalRow.createFieldGetter(theirSource.getTypeAt(0), 0)
                  .getFieldOrNull(row(source, value));
          String expected =
              PaimonOracle.render(theirTarget.getFields(), GenericRow.of(theirs.cast(in))).get("c");
          String made = ours(target, cast.apply(value));
          if (!java.util.Objects.equals(made, expected)) {
            problems.add(
                ours(source, value)
                    + " of "
                    + from
                    + " to "
                    + to
                    + ": "
                    + made
                    + ", not "
                    + expected);
            break;
          }
        }
      }
    }
    assertThat(problems).as("Replay with -Dtest.seed=%s", seed).isEmpty();
    assertThat(pairs).isGreaterThan(200);
  }
}
