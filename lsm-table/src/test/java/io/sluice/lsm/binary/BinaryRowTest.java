package io.sluice.lsm.binary;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.schema.DataType;
import io.sluice.lsm.schema.DataType.ArrayType;
import io.sluice.lsm.schema.DataType.MapType;
import io.sluice.lsm.schema.DataTypeText;
import io.sluice.lsm.schema.DataTypes;
import io.sluice.lsm.schema.RowType;
import java.math.BigDecimal;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The worked examples of the format description, sections 5.3 and 6.2. */
class BinaryRowTest {

  private static Arguments example(String types, String hex, Object... values) {
    return Arguments.of(types, hex, values);
  }

  static List<Arguments> examples() {
    return List.of(
        example("", "00000000 0000000000000000"),
        example("INT", "00000001 0000000000000000 0100000000000000", 1),
        example("INT", "00000001 0000000000000000 ffffffff00000000", -1),
        example("INT", "00000001 0001000000000000 0000000000000000", new Object[] {null}),
        example("STRING", "00000001 0000000000000000 0000000000000080", ""),
        example("STRING", "00000001 0000000000000000 6162630000000083", "abc"),
        example("STRING", "00000001 0000000000000000 3132333435363787", "1234567"),
        example(
            "STRING", "00000001 0000000000000000 0800000010000000 3132333435363738", "12345678"),
        example(
            "STRING;INT;STRING",
            "00000003 0000000000000000 0b00000020000000 0700000000000000 6162000000000082"
                + " 68656c6c6f20776f 726c640000000000",
            "hello world",
            7,
            "ab"),
        example(
            "BOOLEAN;TINYINT;SMALLINT;FLOAT;DOUBLE",
            "00000005 0000000000000000 0100000000000000 fe00000000000000 0201000000000000"
                + " 0000c03f00000000 00000000000004c0",
            true,
            (byte) -2,
            (short) 258,
            1.5f,
            -2.5),
        example(
            "DECIMAL(10,2)",
            "00000001 0000000000000000 3930000000000000",
            new BigDecimal("123.45")),
        example(
            "DECIMAL(20,2)",
            "00000001 0000000000000000 0200000010000000 30390000000000000000000000000000",
            new BigDecimal("123.45")),
        example(
            "DECIMAL(20,2)",
            "00000001 0000000000000000 0100000010000000 9c000000000000000000000000000000",
            new BigDecimal("-1.00")),
        example(
            "DECIMAL(20,2)",
            "00000001 0001000000000000 0000000010000000 00000000000000000000000000000000",
            new Object[] {null}),
        example(
            "TIMESTAMP(3)",
            "00000001 0000000000000000 dc05000000000000",
            LocalDateTime.of(1970, 1, 1, 0, 0, 1, 500_000_000)),
        example(
            "TIMESTAMP(6)",
            "00000001 0000000000000000 581b000010000000 dc05000000000000",
            LocalDateTime.of(1970, 1, 1, 0, 0, 1, 500_007_000)),
        example(
            "TIMESTAMP(6)",
            "00000001 0001000000000000 0000000010000000 0000000000000000",
            new Object[] {null}),
        example(
            "TIMESTAMP(9)",
            "00000001 0000000000000000 3f420f0010000000 ffffffffffffffff",
            LocalDateTime.of(1969, 12, 31, 23, 59, 59, 999_999_999)),
        example(
            "DATE;TIME(3)",
            "00000002 0000000000000000 474d000000000000 fcce380000000000",
            LocalDate.of(2024, 3, 1),
            LocalTime.of(1, 2, 3, 4_000_000)),
        example(
            "BYTES",
            "00000001 0000000000000000 0900000010000000 0102030405060708 0900000000000000",
            new byte[] {1, 2, 3, 4, 5, 6, 7, 8, 9}));
  }

  private static RowType type(String types) {
    return TestRows.type(
        Arrays.stream(types.split(";"))
            .filter(text -> !text.isEmpty())
            .map(DataTypeText::parse)
            .toArray(DataType[]::new));
  }

  @ParameterizedTest
  @MethodSource("examples")
  void writesTheWorkedExamples(String types, String hex, Object[] values) {
    RowType type = type(types);
    BinaryRow row = TestRows.row(type, values);
    assertThat(TestRows.hex(row.serialize())).isEqualTo(TestRows.hex(hex));
    assertThat(TestRows.values(type, BinaryRow.deserialize(row.serialize())))
        .isEqualTo(TestRows.normal(values));
    assertThat(new BinaryRowProjection(type).apply(row)).isEqualTo(row);
  }

  @Test
  void reservesSixteenNullBytesFor57Columns() {
    Object[] values = new Object[57];
    values[56] = 1;
    DataType[] types = new DataType[57];
    Arrays.fill(types, DataTypes.INT);
    assertThat(TestRows.hex(TestRows.row(TestRows.type(types), values).serialize()))
        .startsWith(TestRows.hex("00000039 00ffffffffffffff 0000000000000000 0000000000000000"))
        .hasSize(2 * (4 + 16 + 57 * 8));
  }

  @Test
  void projectsColumnsInAnyOrder() {
    RowType type = type("STRING;INT;DECIMAL(20,2);TIMESTAMP(6)");
    BinaryRow row =
        TestRows.row(
            type, "a longer text", 7, new BigDecimal("1.50"), LocalDateTime.of(1, 1, 1, 1, 1));
    BinaryRowProjection projection = new BinaryRowProjection(type, List.of("f3", "f1", "f0"));
    assertThat(projection.apply(row, RowKind.DELETE).kind()).isEqualTo(RowKind.DELETE);
    assertThat(projection.apply(row))
        .isEqualTo(
            TestRows.row(
                type("TIMESTAMP(6);INT;STRING"),
                LocalDateTime.of(1, 1, 1, 1, 1),
                7,
                "a longer text"));
  }

  static List<Arguments> hashes() {
    return List.of(
        example("INT", "-300363099 3", 0),
        example("INT", "1465514398 2", 1),
        example("INT", "1340390384 0", 2),
        example("INT", "907821237 1", 42),
        example("INT", "1133687267 3", -1),
        example("INT", "916225219 3", Integer.MIN_VALUE),
        example("DATE", "-1417397940 0", LocalDate.of(2024, 3, 1)),
        example("DECIMAL(10,2)", "767607022 2", new BigDecimal("123.45")),
        example("BIGINT", "-290760731 3", 123456789012L),
        example("BIGINT", "-716660054 2", -5L),
        example("STRING", "302122119 3", ""),
        example("STRING", "943281246 2", "a"),
        example("STRING", "-101922419 3", "abc"),
        example("STRING", "161593394 2", "hello world"),
        example("STRING", "1956728004 0", "\u4E2D\u6587"),
        example("TIMESTAMP(6)", "207592530 2", LocalDateTime.of(2024, 3, 1, 0, 0, 0, 1000)),
        example("INT", "-1748325344 0", new Object[] {null}));
  }

  @ParameterizedTest
  @MethodSource("hashes")
  void hashesTheWorkedExamples(String types, String expected, Object[] values) {
    BinaryRow row = TestRows.row(type(types), values);
    assertThat(
            BucketHash.hash(row.array(), row.offset(), row.length())
                + " "
                + BucketHash.bucket(row, 4))
        .isEqualTo(expected);
  }

  @Test
  void hashesOneBigintWithoutARow() {
    Random random = new Random(11);
    for (int i = 0; i < 1000; i++) {
      long value =
          i < 4
              ? List.of(0L, -1L, Long.MIN_VALUE, Long.MAX_VALUE).get(i)
              : random.nextLong() >> random.nextInt(64);
      int buckets = 1 + random.nextInt(50);
      assertThat(BucketHash.bucket(value, buckets))
          .as("%d of %d", value, buckets)
          .isEqualTo(BucketHash.bucket(TestRows.row(type("BIGINT"), value), buckets));
    }
  }

  @Test
  void leavesNothingOfEarlierRows() {
    Random random = new Random(12);
    BinaryRowWriter reused = new BinaryRowWriter(3);
    for (int i = 0; i < 1000; i++) {
      byte[] text = new byte[random.nextInt(40)];
      random.nextBytes(text);
      BinaryRowWriter fresh = new BinaryRowWriter(3);
      for (BinaryRowWriter writer : List.of(reused, fresh)) {
        writer.reset();
        writer.writeBytes(0, text, 0, text.length);
        writer.writeTimestamp(1, i, i, 6);
        writer.writeBytes(2, text, text.length / 2, text.length - text.length / 2);
      }
      assertThat(reused.finish(RowKind.INSERT)).isEqualTo(fresh.finish(RowKind.INSERT));
    }
  }

  @Test
  void hashesTwoColumns() {
    BinaryRow row = TestRows.row(type("STRING;BIGINT"), "eu", 7L);
    assertThat(BucketHash.hash(row.array(), row.offset(), row.length())).isEqualTo(2096362028);
    assertThat(BucketHash.bucket(row, 8)).isEqualTo(4);
  }

  @Test
  void reservesForNullsAlsoWhereTheBufferGrows() {
    BinaryRowWriter writer = new BinaryRowWriter(2);
    byte[] filling = new byte[80];
    writer.writeBytes(0, filling, 0, filling.length);
    writer.setNullDecimal(1, 20);
    BinaryRow row = writer.finish(RowKind.INSERT);
    // Behind 8 bytes of null bits, two slots and the filling.
    assertThat(row.getLong(1)).isEqualTo((8L + 16 + 80) << 32);
    assertThat(row.length()).isEqualTo(8 + 16 + 80 + 16);
  }

  @Test
  void laysArraysAndMapsOutAsPaimonDoes() {
    RowType arrays = TestRows.type(new ArrayType(DataTypes.INT, true));
    BinaryRowWriter writer = new BinaryRowWriter(1);
    Boxed.write(writer, 0, arrays.type(0), java.util.Arrays.asList(1L, null, 3L));
    assertThat(TestRows.hex(writer.finish(RowKind.INSERT).serialize()))
        .isEqualTo(
            TestRows.hex(
                "00000001 0000000000000000 1800000010000000"
                    + " 03000000 02000000 01000000 00000000 03000000 00000000"));
    RowType maps =
        TestRows.type(new MapType(DataTypes.STRING.withNullable(false), DataTypes.INT, true));
    writer.reset();
    Boxed.write(
        writer,
        0,
        maps.type(0),
        new Boxed.Entries(java.util.List.of(TestRows.utf8("a")), java.util.List.of(1L)));
    assertThat(TestRows.hex(writer.finish(RowKind.INSERT).serialize()))
        .isEqualTo(
            TestRows.hex(
                "00000001 0000000000000000 2400000010000000 10000000 0100000000000000"
                    + " 6100000000000081 0100000000000000 0100000000000000 00000000"));
  }
}
