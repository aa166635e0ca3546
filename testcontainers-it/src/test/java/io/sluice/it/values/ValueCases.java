package io.sluice.it.values;

import static io.sluice.it.values.ValueCase.pairs;

import io.sluice.replicator.demo.servers.ServerKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Every type with its extremes. */
final class ValueCases {

  private final List<ValueCase> cases = new ArrayList<>();
  private int row = 1;

  private ValueCases() {}

  static List<ValueCase> of(ServerKind kind) {
    ValueCases all = new ValueCases();
    all.numbers();
    all.dates();
    all.times();
    all.texts();
    all.bytes();
    if (kind == ServerKind.MYSQL) {
      all.json();
    } else {
      all.add(
          "JSON",
          "LONGTEXT",
          null,
          null,
          "utf8mb4",
          pairs("'{\"b\": 1.0,  \"a\":2}'", "{\"b\": 1.0,  \"a\":2}"));
    }
    return all.cases;
  }

  private void add(
      String ddl,
      String type,
      @Nullable Integer length,
      @Nullable Integer scale,
      @Nullable String charset,
      Map<String, @Nullable String> values) {
    cases.add(new ValueCase(ddl, type, length, scale, charset, List.of(), values, row));
    row += values.size();
  }

  private void plain(String ddl, String type, @Nullable String... pairs) {
    add(ddl, type, null, null, null, pairs(pairs));
  }

  private void numbers() {
    plain("TINYINT", "TINYINT", "-128", "-128", "127", "127", "0", "0");
    add("TINYINT(1)", "TINYINT", 1, null, null, pairs("127", "127", "1", "1", "-1", "-1"));
    plain("TINYINT UNSIGNED", "TINYINT UNSIGNED", "255", "255", "128", "128");
    plain("SMALLINT", "SMALLINT", "-32768", "-32768", "32767", "32767");
    plain("SMALLINT UNSIGNED", "SMALLINT UNSIGNED", "65535", "65535");
    plain("MEDIUMINT", "MEDIUMINT", "-8388608", "-8388608", "8388607", "8388607");
    plain("MEDIUMINT UNSIGNED", "MEDIUMINT UNSIGNED", "16777215", "16777215");
    plain("INT", "INT", "-2147483648", "-2147483648", "2147483647", "2147483647");
    plain("INT UNSIGNED", "INT UNSIGNED", "4294967295", "4294967295");
    plain("INT(10) UNSIGNED ZEROFILL", "INT UNSIGNED ZEROFILL", "42", "42");
    plain(
        "BIGINT",
        "BIGINT",
        "-9223372036854775808",
        "-9223372036854775808",
        "9223372036854775807",
        "9223372036854775807");
    plain(
        "BIGINT UNSIGNED",
        "BIGINT UNSIGNED",
        "0",
        "0",
        "9223372036854775808",
        "9223372036854775808",
        "18446744073709551615",
        "18446744073709551615");
    add(
        "DECIMAL(10,2)",
        "DECIMAL",
        10,
        2,
        null,
        pairs("-99999999.99", "-99999999.99", "0.00", "0.00", "1.5", "1.50", "1E+2", "100.00"));
    add(
        "DECIMAL(18,18)",
        "DECIMAL",
        18,
        18,
        null,
        pairs(
            "0.999999999999999999",
            "0.999999999999999999",
            "-0.000000000000000001",
            "-0.000000000000000001"));
    add(
        "DECIMAL(38,18)",
        "DECIMAL",
        38,
        18,
        null,
        pairs(
            "99999999999999999999.999999999999999999",
            "99999999999999999999.999999999999999999",
            "-99999999999999999999.999999999999999999",
            "-99999999999999999999.999999999999999999",
            "0",
            "0.000000000000000000"));
    String nines = "9".repeat(35) + "." + "9".repeat(30);
    add(
        "DECIMAL(65,30)",
        "DECIMAL",
        65,
        30,
        null,
        pairs(nines, nines, "-" + nines, "-" + nines, "0", "0." + "0".repeat(30)));
    add(
        "DECIMAL(6,2) UNSIGNED ZEROFILL",
        "DECIMAL UNSIGNED ZEROFILL",
        6,
        2,
        null,
        pairs("1.5", "1.50"));
    plain(
        "FLOAT",
        "FLOAT",
        "1.1",
        "1.1",
        "16777216",
        "1.6777216E7",
        "3.4028234663852886e38",
        "3.4028235E38",
        "1e-45",
        "1.4E-45",
        "-0e0",
        "-0.0",
        "123456.789",
        "123456.79");
    add("FLOAT(7,3)", "FLOAT", 7, 3, null, pairs("1234.567", "1234.567", "-0.001", "-0.001"));
    plain(
        "DOUBLE",
        "DOUBLE",
        "1.1",
        "1.1",
        "1.7976931348623157e308",
        "1.7976931348623157E308",
        "5e-324",
        "4.9E-324",
        "-0e0",
        "-0.0",
        "0.1e0+0.2e0",
        "0.30000000000000004",
        "123456789012345680",
        "1.2345678901234568E17",
        "2e-3",
        "0.002",
        "1e23",
        null,
        "2.2250738585072014e-308",
        "2.2250738585072014E-308",
        "9007199254740993",
        "9.007199254740992E15");
    add("DOUBLE(20,4)", "DOUBLE", 20, 4, null, pairs("1234567.8901", "1234567.8901"));
    add("BIT(1)", "BIT", 1, null, null, pairs("b'0'", "false", "b'1'", "true"));
    add("BIT(10)", "BIT", 10, null, null, pairs("b'1000000001'", "513", "b'0'", "0"));
    add("BIT(63)", "BIT", 63, null, null, pairs("~0 >> 1", "9223372036854775807"));
    add("BIT(64)", "BIT", 64, null, null, pairs("~0", "18446744073709551615", "b'1'", "1"));
    plain("YEAR", "YEAR", "1901", "1901", "2155", "2155", "'0000'", "0", "'70'", "1970");
  }

  private void dates() {
    plain(
        "DATE",
        "DATE",
        "'1970-01-01'",
        "1970-01-01",
        "'0001-01-01'",
        "0001-01-01",
        "'9999-12-31'",
        "9999-12-31",
        "'2024-02-29'",
        "2024-02-29",
        "'1582-10-10'",
        "1582-10-10",
        "'1900-02-28'",
        "1900-02-28",
        "'0000-00-00'",
        "NULL",
        "'2023-00-15'",
        "NULL",
        "'2023-05-00'",
        "NULL");
    plain(
        "DATE NOT NULL DEFAULT '2001-01-01'",
        "DATE",
        "'0000-00-00'",
        "NULL",
        "'1970-01-01'",
        "1970-01-01",
        "'2023-00-15'",
        "NULL");
    for (int digits : new int[] {0, 1, 3, 6}) {
      String f = digits == 0 ? "" : "." + "123456".substring(0, digits);
      String nines = digits == 0 ? "" : "." + "9".repeat(digits);
      add(
          "DATETIME(" + digits + ")",
          "DATETIME",
          digits,
          null,
          null,
          pairs(
              "'2024-01-31 10:20:30" + f + "'",
              null,
              "'0001-01-01 00:00:00" + f + "'",
              null,
              "'0099-12-31 23:59:59" + nines + "'",
              null,
              "'9999-12-31 23:59:59" + nines + "'",
              null,
              "'1969-12-31 23:59:59" + nines + "'",
              null,
              "'0000-00-00'",
              "NULL",
              "'2023-00-15 10:00:00'",
              "NULL",
              "'2026-11-01 01:30:00'",
              "2026-11-01T01:30",
              "'2026-03-08 02:30:00'",
              "2026-03-08T02:30"));
      add(
          "TIMESTAMP(" + digits + ") NULL",
          "TIMESTAMP",
          digits,
          null,
          null,
          pairs(
              "'2024-01-31 10:20:30" + f + "'",
              null,
              "'1970-01-01 00:00:01'",
              "1970-01-01T00:00:01Z",
              "'2038-01-19 03:14:07" + nines + "'",
              null,
              "'0000-00-00 00:00:00'",
              "NULL",
              "'2026-11-01 05:30:00'",
              "2026-11-01T05:30:00Z",
              "'2026-11-01 06:30:00'",
              "2026-11-01T06:30:00Z",
              "'2026-01-15 14:00:00'",
              "2026-01-15T14:00:00Z"));
    }
    add(
        "DATETIME(6) NOT NULL DEFAULT '2001-01-01 00:00:00'",
        "DATETIME",
        6,
        null,
        null,
        pairs(
            "'0000-00-00'",
            "NULL",
            "'1970-01-01 00:00:00'",
            "1970-01-01T00:00",
            "'2024-01-31 10:20:30.000001'",
            "2024-01-31T10:20:30.000001"));
  }

  private void times() {
    add(
        "TIME",
        "TIME",
        0,
        null,
        null,
        pairs(
            "'838:59:59'",
            "838:59:59",
            "'-838:59:59'",
            "-838:59:59",
            "'00:00:00'",
            "00:00:00",
            "'-00:00:01'",
            "-00:00:01",
            "'99:00:00'",
            "99:00:00",
            "'100:00:00'",
            "100:00:00"));
    add(
        "TIME(1)",
        "TIME",
        1,
        null,
        null,
        pairs("'-00:00:01.5'", "-00:00:01.5", "'10:00:00'", "10:00:00.0"));
    add("TIME(3)", "TIME", 3, null, null, pairs("'23:59:59.999'", "23:59:59.999"));
    add(
        "TIME(6)",
        "TIME",
        6,
        null,
        null,
        pairs(
            "'838:59:58.999999'",
            "838:59:58.999999",
            "'-838:59:58.000001'",
            "-838:59:58.000001",
            "'-00:00:00.000001'",
            "-00:00:00.000001"));
  }

  private void texts() {
    add(
        "CHAR(10) CHARACTER SET utf8mb4",
        "CHAR",
        10,
        null,
        "utf8mb4",
        pairs("'ab   '", "ab", "'ü€😀'", "ü€😀", "''", ""));
    add(
        "VARCHAR(20) CHARACTER SET latin1",
        "VARCHAR",
        20,
        null,
        "latin1",
        pairs(
            "'äöü€ ß'",
            "äöü€ ß",
            "'trailing  '",
            "trailing  ",
            "_latin1 0x80818D8F909DE4",
            "€\u0081\u008d\u008f\u0090\u009dä"));
    add("VARCHAR(20) CHARACTER SET utf16", "VARCHAR", 20, null, "utf16", pairs("'a😀ü'", "a😀ü"));
    add("VARCHAR(20) CHARACTER SET sjis", "VARCHAR", 20, null, "sjis", pairs("'あア亜'", "あア亜"));
    add("VARCHAR(20) CHARACTER SET gbk", "VARCHAR", 20, null, "gbk", pairs("'中文'", "中文"));
    add(
        "VARCHAR(20) CHARACTER SET utf8mb3",
        "VARCHAR",
        20,
        null,
        "utf8mb3",
        pairs("'€uro'", "€uro"));
    add(
        "LONGTEXT",
        "LONGTEXT",
        null,
        null,
        "utf8mb4",
        pairs("REPEAT('x😀', 3000)", "x😀".repeat(3000), "'\\0\\n\\'\"\\\\'", "\0\n'\"\\"));
    cases.add(
        new ValueCase(
            "ENUM('a','b,c','d''e','f\\\\g','')",
            "ENUM",
            null,
            null,
            "utf8mb4",
            List.of("a", "b,c", "d'e", "f\\g", ""),
            pairs(
                "'a'", "a", "'b,c'", "b,c", "'d''e'", "d'e", "'f\\\\g'", "f\\g", "0", "", "5", ""),
            row));
    row += 6;
    cases.add(
        new ValueCase(
            "SET('x','y z','ü','q''')",
            "SET",
            null,
            null,
            "utf8mb4",
            List.of("x", "y z", "ü", "q'"),
            pairs("''", "", "'x'", "x", "'ü,x'", "x,ü", "15", "x,y z,ü,q'"),
            row));
    row += 4;
  }

  private void bytes() {
    add(
        "BINARY(4)",
        "BINARY",
        4,
        null,
        null,
        pairs("X'1100'", "11000000", "X'01020304'", "01020304", "''", "00000000"));
    add(
        "BINARY(16)",
        "BINARY",
        16,
        null,
        null,
        pairs("X'" + "11".repeat(15) + "00'", "11".repeat(15) + "00"));
    add(
        "VARBINARY(10)",
        "VARBINARY",
        10,
        null,
        null,
        pairs("X''", "", "X'00FF00'", "00ff00", "X'C3'", "c3"));
    add("BLOB", "BLOB", null, null, null, pairs("REPEAT(X'00FF', 5000)", "00ff".repeat(5000)));
  }

  private void json() {
    plain(
        "JSON",
        "JSON",
        "'{\"name\":\"a\",\"id\":1,\"v\":1.0}'",
        "{\"v\": 1.0, \"id\": 1, \"name\": \"a\"}",
        "'[1,1.0,1e0,1e2,1e14,1e15,1e20,1e-4,1e-15,1e-16,-0.0]'",
        "[1, 1.0, 1.0, 100.0, 100000000000000.0, 1e15, 1e20, 0.0001, 0.000000000000001, 1e-16, -0.0]",
        "'[123456789012345678901234567890, 0.1234567890123456789, 5e-324, 1.7976931348623157e308]'",
        null,
        "'[-9223372036854775808, 9223372036854775807, 18446744073709551615, 32767, 32768, -32769, 65535, 65536]'",
        null,
        "JSON_ARRAY(CAST(1.50 AS DECIMAL(5,2)), CAST(-12345678901234567890.0123456789 AS DECIMAL(40,10)), CAST(0 AS DECIMAL(5,3)), CAST(7 AS DECIMAL(3,0)))",
        "[1.50, -12345678901234567890.0123456789, 0.000, 7]",
        "JSON_ARRAY(CAST('2020-01-01 01:02:03.12' AS DATETIME(2)), CAST('2020-01-01' AS DATE), CAST('-100:00:00.5' AS TIME(6)), CAST('10:00:00' AS TIME), CAST('0001-01-01' AS DATETIME))",
        "[\"2020-01-01 01:02:03.120000\", \"2020-01-01\", \"-100:00:00.500000\", \"10:00:00.000000\", \"0001-01-01 00:00:00.000000\"]",
        "JSON_ARRAY('2020-01-01 01:02:03.120000', '2020-01-01 01:02:03.12')",
        null,
        "JSON_ARRAY(X'0102', REPEAT(X'0102', 100), b'101', CAST(1 AS YEAR), CAST('x' AS BINARY))",
        null,
        "JSON_ARRAY('a/b\"\\\\\\b\\t\\n\\r', CONVERT(UNHEX('017F0C') USING utf8mb4), 'ü€😀', '')",
        null,
        "'null'",
        "null",
        "'true'",
        "true",
        "'\"s\"'",
        "\"s\"",
        "'{}'",
        "{}",
        "'[]'",
        "[]",
        "'{\"bb\":1,\"a\":{\"x\":[{},[],null,false]},\"\":2}'",
        null,
        "CONCAT('{\"k\":\"', REPEAT('y', 70000), '\",\"n\":[1,70000,-70000,4294967295,\"z\"]}')",
        null,
        "CONCAT('[', REPEAT('12345,', 20000), '\"end\"]')",
        null);
  }
}
