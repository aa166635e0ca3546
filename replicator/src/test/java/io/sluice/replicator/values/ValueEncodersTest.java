package io.sluice.replicator.values;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.evolution.MappedType;
import io.sluice.evolution.SourceColumn;
import io.sluice.evolution.SourceTableId;
import io.sluice.evolution.TypeMapping;
import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.binary.BinaryRowWriter;
import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.DataType;
import java.lang.reflect.Proxy;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A SELECT's bytes and the stream's object become one and the same field, or a refusal. */
class ValueEncodersTest {

  private static final SourceTableId TABLE = new SourceTableId("shop", "orders");

  /**
   * @param text as the server sends it
   * @param stream as the binlog reader gives it
   */
  record Same(SourceColumn column, byte[] text, Object stream) {
    @Override
    public String toString() {
      return column.typeName() + " " + new String(text, StandardCharsets.ISO_8859_1);
    }
  }

  record Refused(SourceColumn column, @Nullable String text, @Nullable Object stream, String why) {
    @Override
    public String toString() {
      return column.typeName() + " " + text + " " + stream;
    }
  }

  private static SourceColumn column(
      String type, @Nullable Integer length, @Nullable Integer scale, @Nullable String charset) {
    return new SourceColumn("c", type, length, scale, true, charset, List.of(), null);
  }

  private static Same same(
      String type, @Nullable Integer length, @Nullable Integer scale, String text, Object stream) {
    return new Same(
        column(type, length, scale, null), text.getBytes(StandardCharsets.UTF_8), stream);
  }

  static List<Same> values() {
    List<Same> all = new ArrayList<>();
    all.add(same("TINYINT", null, null, "-128", (short) -128));
    all.add(same("TINYINT UNSIGNED", null, null, "255", (short) 255));
    all.add(same("SMALLINT UNSIGNED", null, null, "65535", 65535));
    all.add(same("MEDIUMINT", null, null, "-8388608", -8388608));
    all.add(same("INT UNSIGNED", null, null, "4294967295", 4294967295L));
    all.add(same("INT UNSIGNED ZEROFILL", 10, null, "0000000042", 42L));
    all.add(same("BIGINT", null, null, "-9223372036854775808", Long.MIN_VALUE));
    all.add(same("BIGINT", null, null, "9223372036854775807", Long.MAX_VALUE));
    all.add(
        same(
            "BIGINT UNSIGNED",
            null,
            null,
            "18446744073709551615",
            new BigDecimal("18446744073709551615")));
    all.add(same("YEAR", null, null, "0000", 1900));
    all.add(same("YEAR", null, null, "2155", 2155));
    all.add(same("DECIMAL", 10, 2, "-99999999.99", new BigDecimal("-99999999.99")));
    all.add(same("DECIMAL", 10, 2, "0.00", new BigDecimal("0.00")));
    String nines = "9".repeat(35) + "." + "9".repeat(30);
    all.add(same("DECIMAL", 65, 30, "-" + nines, new BigDecimal("-" + nines)));
    all.add(same("DECIMAL", 38, 0, "9".repeat(38), new BigDecimal("9".repeat(38))));
    all.add(same("FLOAT", null, null, "3.4028234663852886e38", Float.MAX_VALUE));
    all.add(same("FLOAT", null, null, "1.100000023841858", 1.1f));
    all.add(same("FLOAT", null, null, "-0", -0.0f));
    all.add(same("DOUBLE", null, null, "5e-324", Double.MIN_VALUE));
    all.add(same("DOUBLE", null, null, "0.30000000000000004", 0.1 + 0.2));
    all.add(same("DATE", null, null, "0001-01-01", -719162));
    all.add(same("DATE", null, null, "9999-12-31", 2932896));
    all.add(same("DATETIME", 0, null, "1969-12-31 23:59:59", -1_000_000L));
    all.add(same("DATETIME", 6, null, "1969-12-31 23:59:59.999999", -1L));
    all.add(same("DATETIME", 3, null, "9999-12-31 23:59:59.999", 253402300799999000L));
    all.add(
        same("TIMESTAMP", 6, null, "2038-01-19 03:14:07.999999", "2038-01-19T03:14:07.999999Z"));
    all.add(same("TIMESTAMP", 3, null, "2026-11-01 05:30:00.100", "2026-11-01T05:30:00.1Z"));
    all.add(same("TIME", 0, null, "-838:59:59", -3020399000000L));
    all.add(same("TIME", 1, null, "-00:00:01.5", -1_500_000L));
    all.add(same("TIME", 6, null, "-00:00:00.000001", -1L));
    all.add(same("VARCHAR", 20, null, "ü€😀 ", "ü€😀 "));
    all.add(same("VARCHAR", 20, null, "", ""));
    all.add(same("BINARY", 4, null, "ab\0\0", ByteBuffer.wrap(new byte[] {'a', 'b'})));
    all.add(new Same(column("BIT", 10, null, null), new byte[] {2, 1}, new byte[] {1, 2}));
    all.add(new Same(column("BIT", 1, null, null), new byte[] {1}, true));
    byte[] ones = {-1, -1, -1, -1, -1, -1, -1, -1};
    all.add(new Same(column("BIT", 64, null, null), ones, ones));
    all.add(new Same(column("VARBINARY", 9, null, null), new byte[] {0, -1}, new byte[] {0, -1}));
    return all;
  }

  private static Refused refused(
      SourceColumn column, @Nullable String text, @Nullable Object stream, String why) {
    return new Refused(column, text, stream, why);
  }

  static List<Refused> refusals() {
    return List.of(
        refused(column("INT", null, null, null), "2147483648", 2147483648L, "range"),
        refused(column("TINYINT", null, null, null), "-129", (short) -129, "range"),
        refused(column("BIGINT", null, null, null), "9223372036854775808", null, "range"),
        refused(column("INT", null, null, null), "1x", "1", ""),
        refused(column("DECIMAL", 4, 2, null), "1.234", new BigDecimal("1.234"), "fraction"),
        refused(column("DECIMAL", 4, 2, null), "123.45", new BigDecimal("123.45"), "digits"),
        refused(column("FLOAT", null, null, null), "1.1", 1.1, "four bytes"),
        refused(column("DATE", null, null, null), "2023-02-30", null, "calendar"),
        refused(column("DATETIME", 0, null, null), "2023-02-30 00:00:00", null, "calendar"),
        refused(column("DATETIME", 3, null, null), "2023-02-03 00:00:00.0001", 100L, "fraction"),
        refused(column("TIME", 0, null, null), "839:00:00", 3020400000000L, "839"),
        refused(column("TIME", 0, null, null), "00:00:00.5", 500_000L, "fraction"),
        refused(column("VARCHAR", 3, null, "latin1"), null, "a\uFFFD", "latin1"),
        refused(column("VARCHAR", 3, null, "utf16"), null, "a\uD83D", "surrogate"),
        refused(column("BIT", 3, null, null), "\u0008", new byte[] {8}, "bits"));
  }

  @ParameterizedTest
  @MethodSource("values")
  void bothWaysGiveTheSameBytes(Same value) throws Exception {
    assertThat(select(value.column(), value.text()))
        .isEqualTo(stream(value.column(), value.stream()));
  }

  @ParameterizedTest
  @MethodSource("refusals")
  void whatDoesNotFitIsRefusedByName(Refused value) {
    String text = value.text();
    if (text != null) {
      assertThatThrownBy(() -> select(value.column(), text.getBytes(StandardCharsets.UTF_8)))
          .isInstanceOf(UnencodableValueException.class)
          .hasMessageContaining("Column c of shop.orders")
          .hasMessageContaining(value.why().equals("839") ? "838" : value.why());
    }
    Object stream = value.stream();
    if (stream != null) {
      assertThatThrownBy(() -> stream(value.column(), stream))
          .isInstanceOf(UnencodableValueException.class)
          .hasMessageContaining("Column c of shop.orders")
          .hasMessageContaining(value.why().equals("839") ? "838" : value.why());
    }
  }

  @Test
  void nullIsNullInBoth() throws Exception {
    for (Same value : values()) {
      BinaryRow fromSelect = select(value.column(), null);
      assertThat(fromSelect.isNullAt(0)).as(value.toString()).isTrue();
      assertThat(fromSelect).as(value.toString()).isEqualTo(stream(value.column(), null));
    }
  }

  @Test
  void zeroDatesGoByThePolicy() throws Exception {
    List<String> told = new ArrayList<>();
    ValueEncoders lenient =
        new ValueEncoders(MySqlFlavor.MYSQL, ZeroDates.NULL, (table, c) -> told.add(c));
    ValueEncoders strict =
        new ValueEncoders(MySqlFlavor.MYSQL, ZeroDates.FAIL, (table, c) -> told.add(c));
    SourceColumn date = column("DATE", null, null, null);
    for (String zero : List.of("0000-00-00", "2023-00-15", "2023-05-00")) {
      byte[] text = zero.getBytes(StandardCharsets.UTF_8);
      assertThat(select(lenient, date, text).isNullAt(0)).isTrue();
      assertThatThrownBy(() -> select(strict, date, text)).hasMessageContaining("zero");
    }
    assertThat(told).containsExactly("c", "c", "c");
  }

  private static BinaryRow select(SourceColumn column, byte @Nullable [] text) throws Exception {
    return select(encoders(), column, text);
  }

  private static BinaryRow select(
      ValueEncoders encoders, SourceColumn column, byte @Nullable [] text) throws Exception {
    BinaryRowWriter writer = new BinaryRowWriter(1);
    ResultSet row =
        (ResultSet)
            Proxy.newProxyInstance(
                ResultSet.class.getClassLoader(),
                new Class<?>[] {ResultSet.class},
                (self, method, args) -> {
                  if (!method.getName().equals("getBytes")) {
                    throw new UnsupportedOperationException(method.toString());
                  }
                  return text;
                });
    compile(encoders, column).encode(row, 1, writer, 0);
    return writer.finish(RowKind.INSERT);
  }

  private static BinaryRow stream(SourceColumn column, @Nullable Object value) {
    BinaryRowWriter writer = new BinaryRowWriter(1);
    compile(encoders(), column).encode(value, writer, 0);
    return writer.finish(RowKind.INSERT);
  }

  private static ValueEncoders encoders() {
    return new ValueEncoders(MySqlFlavor.MYSQL, ZeroDates.NULL, (table, column) -> {});
  }

  private static ValueEncoder compile(ValueEncoders encoders, SourceColumn column) {
    DataType type = ((MappedType.Lake) new TypeMapping(false).map(column)).type();
    return encoders.compile(TABLE, column, new DataField(0, "c", type));
  }
}
