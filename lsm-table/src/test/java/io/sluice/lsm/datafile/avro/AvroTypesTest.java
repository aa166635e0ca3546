package io.sluice.lsm.datafile.avro;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.lsm.error.UnsupportedTableException;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.DataType;
import io.sluice.lsm.schema.DataType.NestedRowType;
import io.sluice.lsm.schema.DataTypes;
import java.util.List;
import org.apache.avro.Schema;
import org.junit.jupiter.api.Test;

class AvroTypesTest {

  private static DataType row(String field, DataType type) {
    return new NestedRowType(List.of(new DataField(9, field, type)), true);
  }

  @Test
  void refusesTwoRecordsOfOneName() {
    DataType inner = row("x", DataTypes.INT);
    assertThatThrownBy(
            () ->
                AvroTypes.record(
                    List.of(
                        new DataField(0, "a", row("b", inner)),
                        new DataField(1, "a_b", row("y", DataTypes.STRING)))))
        .isInstanceOf(UnsupportedTableException.class)
        .hasMessageContaining("one name")
        .hasMessageContaining("Rename");
    Schema schema =
        AvroTypes.record(
            List.of(
                new DataField(0, "a", row("b", inner)),
                new DataField(1, "ab", row("y", DataTypes.STRING))));
    assertThat(new Schema.Parser().parse(schema.toString())).isEqualTo(schema);
  }
}
