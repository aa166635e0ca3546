package io.sluice.lsm.manifest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.binary.BinaryRowWriter;
import io.sluice.lsm.error.UnsupportedTableException;
import io.sluice.lsm.io.TablePaths;
import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.DataType;
import io.sluice.lsm.schema.DataTypes;
import io.sluice.lsm.schema.RowType;
import java.math.BigDecimal;
import java.util.List;
import java.util.function.Consumer;
import org.apache.paimon.data.BinaryString;
import org.apache.paimon.data.Decimal;
import org.apache.paimon.data.Timestamp;
import org.apache.paimon.utils.InternalRowPartitionComputer;
import org.apache.paimon.utils.PartitionPathUtils;
import org.junit.jupiter.api.Test;

/** Folder names are those that Paimon's own classes make. */
class PartitionPathsTest {

  private static final TablePaths PATHS = new TablePaths("/t");

  @Test
  void namesFoldersAsPaimonDoes() {
    text("a/b=c");
    text("100% sure?");
    text("tab\tnl\n");
    text("q?x=1&y=2");
    text("\"#%'*/:=?\\{}[]^\u007f\u0001");
    text(" ~`.-_()|<>;,!@$+");
    text("订单 é 😀");
    text("");
    text("  \t");
    text("__DEFAULT_PARTITION__");
    for (boolean value : new boolean[] {true, false}) {
      check(DataTypes.BOOLEAN, w -> w.writeBoolean(0, value), value);
    }
    check(DataTypes.TINYINT, w -> w.writeByte(0, (byte) -7), (byte) -7);
    check(DataTypes.SMALLINT, w -> w.writeShort(0, (short) 300), (short) 300);
    check(DataTypes.INT, w -> w.writeInt(0, Integer.MIN_VALUE), Integer.MIN_VALUE);
    check(DataTypes.BIGINT, w -> w.writeLong(0, Long.MAX_VALUE), Long.MAX_VALUE);
    check(DataTypes.FLOAT, w -> w.writeFloat(0, 1.5e-10f), 1.5e-10f);
    check(DataTypes.DOUBLE, w -> w.writeDouble(0, -0.1), -0.1);
    for (int day : new int[] {-1, 0, 19783}) {
      check(DataTypes.DATE, w -> w.writeInt(0, day), day);
    }
    for (String number : new String[] {"123.45", "-0.05", "0.00"}) {
      decimal(number, 10, 2);
      decimal(number, 30, 2);
    }
    for (int millis : new int[] {0, 3_600_000, 45_296_789, 45_296_700}) {
      check(DataTypes.time(0), w -> w.writeInt(0, millis), millis);
      check(DataTypes.time(3), w -> w.writeInt(0, millis), millis);
    }
    for (int precision : new int[] {0, 3, 6, 9}) {
      for (long millis : new long[] {0, -1000, 1_704_067_200_000L, 1_704_067_260_000L}) {
        timestamp(millis, 0, precision);
      }
      if (precision >= 3) {
        timestamp(1_704_067_200_500L, 0, precision);
      }
      if (precision >= 6) {
        timestamp(1_704_067_200_500L, 7_000, precision);
      }
    }
    check(DataTypes.STRING, w -> w.setNull(0), null);
    check(DataTypes.INT, w -> w.setNull(0), null);
  }

  @Test
  void joinsLevelsAndBuckets() {
    RowType type =
        new RowType(
            List.of(
                new DataField(3, "k=1", DataTypes.STRING), new DataField(4, "dt", DataTypes.DATE)));
    PartitionPaths paths = new PartitionPaths(PATHS, type, "__DEFAULT_PARTITION__", true);
    BinaryRowWriter writer = new BinaryRowWriter(2);
    writer.reset();
    writer.writeString(0, "x/y");
    writer.writeInt(1, 19783);
    BinaryRow row = writer.finish(RowKind.INSERT);

    assertThat(paths.bucketFolder(row, 3)).isEqualTo("/t/k%3D1=x%2Fy/dt=19783/bucket-3");
    assertThat(paths.file(row, -2, "f.orc"))
        .isEqualTo("/t/k%3D1=x%2Fy/dt=19783/bucket-postpone/f.orc");
    PartitionPaths none = new PartitionPaths(PATHS, new RowType(List.of()), "x", true);
    assertThat(none.file(BinaryRow.EMPTY, 0, "f.orc")).isEqualTo("/t/bucket-0/f.orc");
  }

  @Test
  void refusesColumnsWithoutAFolderName() {
    RowType type = new RowType(List.of(new DataField(0, "b", DataTypes.BYTES)));
    assertThatThrownBy(() -> new PartitionPaths(PATHS, type, "x", true))
        .isInstanceOf(UnsupportedTableException.class)
        .hasMessageContaining("Table /t is partitioned by b of type VARBINARY");
  }

  private static void text(String value) {
    check(DataTypes.STRING, w -> w.writeString(0, value), BinaryString.fromString(value));
  }

  private static void decimal(String number, int precision, int scale) {
    BigDecimal value = new BigDecimal(number);
    check(
        DataTypes.decimal(precision, scale),
        w -> w.writeDecimal(0, value, precision),
        Decimal.fromBigDecimal(value, precision, scale));
  }

  private static void timestamp(long millis, int nano, int precision) {
    check(
        DataTypes.timestamp(precision),
        w -> w.writeTimestamp(0, millis, nano, precision),
        Timestamp.fromEpochMillis(millis, nano));
  }

  private static void check(DataType type, Consumer<BinaryRowWriter> write, Object paimonValue) {
    for (boolean legacy : new boolean[] {true, false}) {
      RowType rowType = new RowType(List.of(new DataField(0, "p", type)));
      PartitionPaths ours = new PartitionPaths(PATHS, rowType, "__DEFAULT_PARTITION__", legacy);
      BinaryRowWriter writer = new BinaryRowWriter(1);
      writer.reset();
      write.accept(writer);
      org.apache.paimon.types.RowType paimonType =
          org.apache.paimon.types.RowType.builder().field("p", paimonType(type)).build();
      InternalRowPartitionComputer computer =
          new InternalRowPartitionComputer(
              "__DEFAULT_PARTITION__", paimonType, new String[] {"p"}, legacy);
      String theirs =
          PartitionPathUtils.generatePartitionPath(
              computer.generatePartValues(org.apache.paimon.data.GenericRow.of(paimonValue)));

      assertThat(ours.partitionPath(writer.finish(RowKind.INSERT)) + "/")
          .as("%s %s legacy %s", type, paimonValue, legacy)
          .isEqualTo(theirs);
    }
  }

  private static org.apache.paimon.types.DataType paimonType(DataType type) {
    String text = "\"" + type + "\"";
    return org.apache.paimon.utils.JsonSerdeUtil.fromJson(
        text, org.apache.paimon.types.DataType.class);
  }
}
