package io.sluice.replicator.messages.csv;

import static io.sluice.replicator.messages.Shown.changes;
import static io.sluice.replicator.messages.Shown.message;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.replicator.messages.BadMessageException;
import io.sluice.replicator.messages.MessageFormat;
import io.sluice.replicator.messages.formats.FormatSettings;
import io.sluice.replicator.messages.formats.MessageFormats;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class CsvFormatTest {

  private static MessageFormat csv(String... options) {
    Map<String, String> all = new HashMap<>();
    all.put("columns", "a, b,c");
    for (int i = 0; i < options.length; i += 2) {
      all.put(options[i], options[i + 1]);
    }
    return MessageFormats.create(new FormatSettings("csv", all, Optional.empty()));
  }

  private static List<String> read(MessageFormat format, String value) throws BadMessageException {
    return changes(format, message(null, value));
  }

  @Test
  void readsFieldsAndQuotes() throws BadMessageException {
    MessageFormat csv = csv();
    assertThat(read(csv, "1,ü x,2026-01-01"))
        .containsExactly("UPSERT [a='1', b='ü x', c='2026-01-01']");
    assertThat(read(csv, "\"1,2\",\"say \"\"hi\"\"\",\"two\r\nlines\""))
        .containsExactly("UPSERT [a='1,2', b='say \"hi\"', c='two\r\nlines']");
    assertThat(read(csv, "\"\"\"\",\"\",'x'")).containsExactly("UPSERT [a='\"', b='', c=''x'']");
    assertThat(read(csv, "a\rb, c ,d\r")).containsExactly("UPSERT [a='a\rb', b=' c ', c='d\r']");
  }

  @Test
  void aFieldOfNothingIsNull() throws BadMessageException {
    assertThat(read(csv(), ",\"\",")).containsExactly("UPSERT [a=NULL, b='', c=NULL]");
    assertThat(read(csv("null", "\\N"), "\\N,,\"\\N\""))
        .containsExactly("UPSERT [a=NULL, b='', c='\\N']");
  }

  @Test
  void aMessageMayHoldSeveralRecords() throws BadMessageException {
    assertThat(read(csv(), "1,2,3\n\n4,5,6\r\n7,8,\n"))
        .containsExactly(
            "UPSERT [a='1', b='2', c='3']",
            "UPSERT [a='4', b='5', c='6']",
            "UPSERT [a='7', b='8', c=NULL]");
    assertThat(read(csv(), "")).isEmpty();
    assertThat(changes(csv(), message(null, null))).isEmpty();
  }

  @Test
  void isWrittenAsTheOptionsSay() throws BadMessageException {
    assertThat(read(csv("delimiter", "\\t", "quote", ""), "\"1\"\t2,5\t"))
        .containsExactly("UPSERT [a='\"1\"', b='2,5', c=NULL]");
    assertThat(read(csv("delimiter", ";", "quote", "'", "escape", "\\"), "'it\\'s';a\\;b;'\\\\'"))
        .containsExactly("UPSERT [a='it's', b='a;b', c='\\']");
    assertThat(read(csv("escape", "\\"), "a\\\nb,c,\"x\\\"y\""))
        .containsExactly("UPSERT [a='a\nb', b='c', c='x\"y']");
  }

  @Test
  void refusesWhatIsNoRecord() {
    for (String value :
        List.of(
            "1,2", "1,2,3,4", "1,2,3\n4,5", "\"1,2,3", "\"1\"x,2,3", "1\"x,2,3", "1,2,\"3\"\"")) {
      assertThatThrownBy(() -> read(csv(), value))
          .as(value)
          .isInstanceOf(BadMessageException.class)
          .hasMessageStartingWith("No record at byte ");
    }
    assertThatThrownBy(() -> read(csv("escape", "\\"), "1,2,3\\"))
        .hasMessageContaining("an escape at the end");
    assertThatThrownBy(() -> read(csv("escape", "\\"), "1,2,\"3\\"))
        .hasMessageContaining("isn't closed");
    byte[] latin = "1,\u00fc,3".getBytes(StandardCharsets.ISO_8859_1);
    assertThatThrownBy(
            () ->
                csv()
                    .read(
                        new io.sluice.replicator.messages.Message(
                            "t", 0, 0, 0, null, latin, List.of()),
                        change -> {}))
        .hasMessageContaining("at byte 2");
  }

  @Test
  void refusesOptionsThatSayNothing() {
    for (String[] option :
        new String[][] {
          {"columns", ""}, {"columns", "a,,b"}, {"columns", "a,a"}, {"delimiter", ""},
          {"delimiter", "\""}, {"quote", "''"}, {"escape", "ü"}, {"header", "true"}
        }) {
      assertThatThrownBy(() -> csv(option))
          .as(option[0])
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void readsTenMegabytes() throws BadMessageException {
    String text = "ü\"\"".repeat(3_000_000);
    assertThat(read(csv(), "1,\"" + text + "\",3")).hasSize(1);
  }
}
