package io.sluice.replicator.messages.canal;

import static io.sluice.replicator.messages.Shown.changes;
import static io.sluice.replicator.messages.Shown.message;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.sluice.replicator.messages.BadMessageException;
import io.sluice.replicator.messages.BadMessageException.Reason;
import io.sluice.replicator.messages.Change;
import io.sluice.replicator.messages.Message;
import io.sluice.replicator.messages.MessageColumns;
import io.sluice.replicator.messages.ResourceText;
import io.sluice.replicator.messages.Shown;
import io.sluice.replicator.messages.canal.CanalOptions.ZeroDates;
import java.nio.charset.StandardCharsets;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class CanalJsonFormatTest {

  private static final CanalOptions SHANGHAI =
      new CanalOptions(ZoneId.of("Asia/Shanghai"), ZeroDates.FAIL);

  private final CanalJsonFormat format = new CanalJsonFormat(SHANGHAI);

  private static String event(String type, String rest) {
    return "{\"database\":\"shop\",\"table\":\"t\",\"type\":\"" + type + "\"," + rest + "}";
  }

  private List<String> read(String json) throws BadMessageException {
    return changes(format, message(null, json));
  }

  /** The value that one text of a type becomes. */
  private static String value(CanalOptions options, String type, String text)
      throws BadMessageException {
    String json =
        event(
            "INSERT", "\"data\":[{\"f\":\"" + text + "\"}],\"mysqlType\":{\"f\":\"" + type + "\"}");
    List<String> values = new ArrayList<>();
    new CanalJsonFormat(options)
        .read(message(null, json), change -> values.add(Shown.value(change.row(), 0)));
    assertThat(values).hasSize(1);
    return values.get(0);
  }

  private static String value(String type, String text) throws BadMessageException {
    return value(SHANGHAI, type, text);
  }

  private static void assertNoValue(CanalOptions options, String type, String text, String why) {
    BadMessageException bad =
        catchThrowableOfType(BadMessageException.class, () -> value(options, type, text));
    assertThat(bad).as(type + " " + text).isNotNull().hasMessageContaining(why);
    assertThat(bad).hasMessageStartingWith("Field f: ");
    assertThat(bad.reason()).isEqualTo(Reason.VALUE);
  }

  private void assertBad(String json, Reason reason, String why) {
    BadMessageException bad = catchThrowableOfType(BadMessageException.class, () -> read(json));
    assertThat(bad).as(json).isNotNull().hasMessageContaining(why);
    assertThat(bad.reason()).isEqualTo(reason);
  }

  @Test
  void readsAWholeUpdateOfTwoRows() throws Exception {
    List<String> rows = read(ResourceText.of("canal/update.json"));
    String behind = " of shop.products key [id] at 1772357400000000";
    assertThat(rows)
        .containsExactly(
            "UPSERT [id=decimal 18446744073709551615, name='kettle', price=decimal 12.50,"
                + " weight='0.75', made=day 20512, sold=wall 1772357400250+0,"
                + " changed=instant 1772357400000+0, took='-00:01:30', photo=bytes 0041ffe9,"
                + " flags=5, mask=decimal 18446744073709551615, on_sale=1, state='sold,out',"
                + " tags='a,c', extra='{\"a\": [1, 2]}', year=2024, note=NULL]"
                + " before [price=decimal 12.00, sold=wall 1772357340000+0]"
                + behind,
            "UPSERT [id=2, name='pot', price=decimal 3.00, weight='1.0', made=day 20454,"
                + " sold=wall 1767225600000+0, changed=instant 1767225600000+0,"
                + " took='838:59:59', photo=bytes , flags=0, mask=0, on_sale=0, state='new',"
                + " tags='a,c', extra='null', year=0, note='x']"
                + " before [name='pan']"
                + behind);
  }

  @Test
  void givesColumnsOfADirectCopy() throws Exception {
    List<@Nullable MessageColumns> columns = new ArrayList<>();
    format.read(
        message(null, ResourceText.of("canal/update.json")),
        change -> columns.add(change.columns()));
    MessageColumns first = columns.get(0);
    assertThat(first).isNotNull();
    assertThat(columns.get(1)).isSameAs(first);
    assertThat(first.columns())
        .extracting(column -> column.name() + " " + column.type())
        .containsExactly(
            "id DECIMAL(20, 0)",
            "name STRING",
            "price DECIMAL(10, 2)",
            "weight FLOAT",
            "made DATE",
            "sold TIMESTAMP(2)",
            "changed TIMESTAMP(0) WITH LOCAL TIME ZONE",
            "took STRING",
            "photo BYTES",
            "flags BIGINT",
            "mask DECIMAL(20, 0)",
            "on_sale TINYINT",
            "state STRING",
            "tags STRING",
            "extra STRING",
            "year INT",
            "note STRING");
    assertThat(first.columns()).allMatch(column -> column.source() != null);
  }

  @Test
  void givesTheSameColumnsAgainUntilATypeChanges() throws Exception {
    List<@Nullable MessageColumns> columns = new ArrayList<>();
    for (String type : List.of("int", "int", "bigint", "int")) {
      String json =
          event("INSERT", "\"data\":[{\"a\":\"1\"}],\"mysqlType\":{\"a\":\"" + type + "\"}");
      format.read(message(null, json), change -> columns.add(change.columns()));
    }
    assertThat(columns.get(1)).isSameAs(columns.get(0));
    assertThat(columns.get(2)).isNotSameAs(columns.get(0));
    assertThat(columns.get(3)).isSameAs(columns.get(0));
  }

  @Test
  void readsInsertsAndDeletes() throws Exception {
    assertThat(read(event("INSERT", "\"data\":[{\"a\":\"1\"},{\"a\":\"2\"}]")))
        .containsExactly("UPSERT [a='1'] of shop.t", "UPSERT [a='2'] of shop.t");
    assertThat(
            read(
                event(
                    "DELETE",
                    "\"data\":[{\"a\":\"1\"}],\"mysqlType\":{\"a\":\"int\"},\"pkNames\":[\"a\"]")))
        .containsExactly("DELETE [a=1] of shop.t key [a]");
  }

  @Test
  void readsAnUpdateWithoutOldAndWithNullInIt() throws Exception {
    assertThat(read(event("UPDATE", "\"data\":[{\"a\":\"1\"}],\"old\":null")))
        .containsExactly("UPSERT [a='1'] of shop.t");
    assertThat(read(event("UPDATE", "\"old\":[null],\"data\":[{\"a\":\"1\"}]")))
        .containsExactly("UPSERT [a='1'] of shop.t");
  }

  @Test
  void saysWhetherTheRowWasThereBefore() throws Exception {
    List<Boolean> updates = new ArrayList<>();
    for (String type : List.of("INSERT", "UPDATE")) {
      format.read(
          message(null, event(type, "\"data\":[{\"a\":\"1\"}]")),
          change -> updates.add(change.isUpdate()));
    }
    assertThat(updates).containsExactly(false, true);
  }

  @Test
  void readsATruncateThoughItIsDdl() throws Exception {
    assertThat(read(event("TRUNCATE", "\"isDdl\":true,\"data\":null,\"sql\":\"truncate table t\"")))
        .containsExactly("TRUNCATE [] of shop.t");
  }

  @Test
  void readsNothingFromDdlAndOtherEvents() throws Exception {
    for (String type :
        List.of("CREATE", "ALTER", "ERASE", "QUERY", "RENAME", "CINDEX", "DINDEX", "GTID")) {
      assertThat(read(event(type, "\"isDdl\":true,\"data\":null"))).as(type).isEmpty();
    }
    assertThat(read(event("SOMETHING", "\"isDdl\":true"))).isEmpty();
    assertThat(read(event("MHEARTBEAT", "\"isDdl\":false"))).isEmpty();
  }

  @Test
  void readsNothingFromATombstoneOrAnEmptyValue() throws Exception {
    assertThat(changes(format, message("k", null))).isEmpty();
    assertThat(read("")).isEmpty();
  }

  @Test
  void leavesValuesAloneThatHaveNoType() throws Exception {
    assertThat(read(event("INSERT", "\"mysqlType\":null,\"data\":[{\"a\":\"1\",\"b\":null}]")))
        .containsExactly("UPSERT [a='1', b=NULL] of shop.t");
    assertThat(read(event("INSERT", "\"mysqlType\":{\"b\":\"int\"},\"data\":[{\"a\":\"1\"}]")))
        .containsExactly("UPSERT [a='1'] of shop.t");
    // Other programs write numbers in this format.
    assertThat(read(event("INSERT", "\"mysqlType\":{\"a\":\"int\"},\"data\":[{\"a\":1}]")))
        .containsExactly("UPSERT [a=1] of shop.t");
  }

  @Test
  void refusesEventsThatLackAPart() {
    assertBad("{}", Reason.INCOMPLETE, "no \"type\"");
    assertBad(event("INSERT", "\"data\":null"), Reason.INCOMPLETE, "\"data\" is null");
    assertBad(event("DELETE", "\"data\":[]"), Reason.INCOMPLETE, "\"data\" is empty");
    assertBad(event("UPSERT", "\"data\":[{}]"), Reason.INCOMPLETE, "none of Canal's events");
    assertBad(
        event("UPDATE", "\"data\":[{\"a\":\"1\"},{\"a\":\"2\"}],\"old\":[{}]"),
        Reason.INCOMPLETE,
        "fewer rows");
    assertBad(
        event("UPDATE", "\"data\":[{\"a\":\"1\"}],\"old\":[{},{}]"),
        Reason.INCOMPLETE,
        "more rows");
  }

  @Test
  void refusesWhatIsNoJsonOfItsShape() {
    assertBad("[]", Reason.MALFORMED, "an object");
    assertBad(event("INSERT", "\"data\":{\"a\":1}"), Reason.MALFORMED, "an array");
    assertBad(event("INSERT", "\"data\":[1]"), Reason.MALFORMED, "an object");
    assertBad(event("INSERT", "\"data\":[{\"a\":1}]") + "x", Reason.MALFORMED, "the end");
    assertBad(event("INSERT", "\"isDdl\":\"no\""), Reason.MALFORMED, "true or false");
    assertBad(event("INSERT", "\"data\":[{}],\"data\":[{}]"), Reason.MALFORMED, "occurs twice");
    assertBad(
        event("INSERT", "\"data\":[{\"a\":\"1\"}],\"mysqlType\":{\"a\":7}"),
        Reason.MALFORMED,
        "a string");
  }

  @Test
  void readsIntegersInTheirWholeRange() throws Exception {
    assertThat(value("int(11)", "-2147483648")).isEqualTo("-2147483648");
    assertThat(value("bigint", "9223372036854775807")).isEqualTo("9223372036854775807");
    assertThat(value("bigint unsigned", "9223372036854775808"))
        .isEqualTo("decimal 9223372036854775808");
    assertNoValue(SHANGHAI, "bigint", "9223372036854775808", "an integer");
    assertNoValue(SHANGHAI, "int", "1.5", "an integer");
    assertNoValue(SHANGHAI, "int", "", "an integer");
    assertNoValue(SHANGHAI, "bigint unsigned", "1e3", "an integer");
  }

  @Test
  void readsBitsAsTheUnsignedNumber() throws Exception {
    assertThat(value("bit(1)", "1")).isEqualTo("1");
    assertThat(value("bit(64)", "-9223372036854775808")).isEqualTo("decimal 9223372036854775808");
    assertThat(value("bit(64)", "18446744073709551615")).isEqualTo("decimal 18446744073709551615");
    assertNoValue(SHANGHAI, "bit(3)", "8", "at most 3 bits");
    assertNoValue(SHANGHAI, "bit(3)", "-1", "at most 3 bits");
    assertNoValue(SHANGHAI, "bit(3)", "x", "at most 64 bits");
  }

  @Test
  void keepsDecimalsOfMoreDigitsThanTheLakeHasAsText() throws Exception {
    assertThat(value("decimal(65,30)", "0." + "0".repeat(30)))
        .isEqualTo("'0." + "0".repeat(30) + "'");
    assertThat(value("decimal(10,2) unsigned", "0.00")).isEqualTo("decimal 0.00");
  }

  @Test
  void readsDatesThatThereAre() throws Exception {
    assertThat(value("date", "1961-11-30")).isEqualTo("day -2954");
    assertThat(value("datetime(6)", "9999-12-31 23:59:59.999999"))
        .isEqualTo("wall 253402300799999+999000");
    assertThat(value("datetime", "1000-01-01T00:00:00")).isEqualTo("wall -30610224000000+0");
    assertNoValue(SHANGHAI, "date", "2026-02-30", "a date that there is");
    assertNoValue(SHANGHAI, "date", "20260201", "a date");
    assertNoValue(SHANGHAI, "datetime", "2026-02-30 00:00:00", "a date that there is");
    assertNoValue(SHANGHAI, "datetime", "2026-02-01 24:00:00", "a time of a day");
    assertNoValue(SHANGHAI, "datetime", "2026-02-01", "a date with time");
  }

  @Test
  void refusesZeroDatesOrMakesThemNullWhenTold() throws Exception {
    CanalOptions lenient = new CanalOptions(ZoneId.of("UTC"), ZeroDates.NULL);
    for (String date : List.of("0000-00-00", "2026-00-01", "2026-01-00")) {
      assertThat(value(lenient, "date", date)).isEqualTo("NULL");
      assertThat(value(lenient, "datetime", date + " 00:00:00")).isEqualTo("NULL");
      assertThat(value(lenient, "timestamp", date + " 00:00:00")).isEqualTo("NULL");
      assertNoValue(SHANGHAI, "date", date, "zero-dates = null");
      assertNoValue(SHANGHAI, "datetime", date + " 00:00:00", "zero-dates = null");
    }
  }

  @Test
  void readsTimestampsInTheZoneOfCanalOnly() throws Exception {
    CanalOptions utc = new CanalOptions(ZoneId.of("UTC"), ZeroDates.FAIL);
    assertThat(value(utc, "timestamp(3)", "1970-01-01 08:00:00.5")).isEqualTo("instant 28800500+0");
    assertThat(value("timestamp(3)", "1970-01-01 08:00:00.5")).isEqualTo("instant 500+0");
    assertNoValue(
        new CanalOptions(null, ZeroDates.FAIL),
        "timestamp",
        "1970-01-01 08:00:00",
        "option time-zone");
    CanalOptions newYork = new CanalOptions(ZoneId.of("America/New_York"), ZeroDates.FAIL);
    assertNoValue(newYork, "timestamp", "2026-11-01 01:30:00", "showed it twice");
    assertNoValue(newYork, "timestamp", "2026-03-08 02:30:00", "that clocks in");
  }

  @Test
  void readsTimesWithTheirColumnsDigits() throws Exception {
    assertThat(value("time(3)", "10:00:00")).isEqualTo("'10:00:00.000'");
    assertThat(value("time(6)", "-838:59:59.5")).isEqualTo("'-838:59:59.500000'");
    assertThat(value("time", "00:00:00")).isEqualTo("'00:00:00'");
    assertNoValue(SHANGHAI, "time", "10:00:00.5", "0 fraction digits");
    assertNoValue(SHANGHAI, "time", "10:60:00", "a TIME");
    assertNoValue(SHANGHAI, "time", "1000:00:00", "a TIME");
  }

  @Test
  void readsBytesOneACharacter() throws Exception {
    assertThat(value("blob", "\\u0000\\u007f\\u0080\\u00bf\\u00c0\\u00ff"))
        .isEqualTo("bytes 007f80bfc0ff");
    assertThat(value("binary(4)", "\\u0001")).isEqualTo("bytes 01000000");
    assertThat(value("binary", "")).isEqualTo("bytes 00");
    assertThat(value("varbinary(4)", "\\u0001")).isEqualTo("bytes 01");
    assertThat(value("point", "\\u0001")).isEqualTo("bytes 01");
    assertNoValue(SHANGHAI, "blob", "\\u0100", "ISO 8859-1");
    assertNoValue(SHANGHAI, "blob", "\\ud83d\\ude00", "ISO 8859-1");
  }

  @Test
  void readsEnumsByIndexAndByLabel() throws Exception {
    assertThat(value("enum('x','y')", "2")).isEqualTo("'y'");
    assertThat(value("enum('x','y')", "y")).isEqualTo("'y'");
    assertThat(value("enum('x','y')", "0")).isEqualTo("''");
    assertThat(value("enum('x','y')", "")).isEqualTo("''");
    assertThat(value("enum('1','2')", "2")).isEqualTo("'2'");
    assertNoValue(SHANGHAI, "enum('x','y')", "3", "labels, nor the index");
    assertNoValue(SHANGHAI, "enum('x','y')", "z", "labels, nor the index");
    assertNoValue(SHANGHAI, "enum('2','1')", "2", "it is both");
  }

  @Test
  void readsSetsByBitsAndByLabels() throws Exception {
    assertThat(value("set('x','y','z')", "5")).isEqualTo("'x,z'");
    assertThat(value("set('x','y','z')", "0")).isEqualTo("''");
    assertThat(value("set('x','y','z')", "x,z")).isEqualTo("'x,z'");
    assertThat(value("set('x','y','z')", "")).isEqualTo("''");
    assertNoValue(SHANGHAI, "set('x','y','z')", "8", "bits of its column's labels");
    assertNoValue(SHANGHAI, "set('x','y','z')", "-1", "bits of its column's labels");
    assertNoValue(SHANGHAI, "set('x','y','z')", "w", "its column's labels");
    assertNoValue(SHANGHAI, "set('1','2','3')", "3", "it is both");
  }

  @Test
  void printsJsonAsTheServerDoes() throws Exception {
    assertThat(value("json", "{\\\"a\\\":[1,\\\"x:, \\\\\\\"y\\\"],\\\"b\\\" :  null}"))
        .isEqualTo("'{\"a\": [1, \"x:, \\\"y\"], \"b\": null}'");
  }

  @Test
  void keepsTextsOfTypesThatItDoesNotKnow() throws Exception {
    assertThat(value("wibble(3)", "x")).isEqualTo("'x'");
    assertThat(value("varchar(20)", "2")).isEqualTo("'2'");
  }

  @Test
  void survivesDamage() throws Exception {
    long seed = Long.getLong("test.seed", 20261130);
    System.out.println("test.seed=" + seed);
    Random random = new Random(seed);
    byte[] whole = ResourceText.of("canal/update.json").strip().getBytes(StandardCharsets.UTF_8);
    int bad = 0;
    for (int i = 0; i < 20_000; i++) {
      byte[] damaged =
          i % 4 == 0 ? Arrays.copyOf(whole, 1 + random.nextInt(whole.length - 1)) : whole.clone();
      damaged[random.nextInt(damaged.length)] = (byte) random.nextInt();
      try {
        format.read(new Message("t", 0, 0, 0, null, damaged, List.of()), CanalJsonFormatTest::walk);
      } catch (BadMessageException e) {
        bad++;
      }
    }
    assertThat(bad).isGreaterThan(5_000);
  }

  private static void walk(Change change) {
    assertThat(Shown.change(change)).isNotEmpty();
  }
}
