package io.sluice.replicator.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.Test;

class RecordPrinterTest {

  private static String printed(RecordPrinter.Format format, Object... values) {
    StringWriter out = new StringWriter();
    RecordPrinter printer = RecordPrinter.of(format, new PrintWriter(out), List.of("a", "名"));
    printer.print(values);
    printer.end();
    return out.toString().replace(System.lineSeparator(), "\n");
  }

  @Test
  void tableAlignsNumbersRightAndWideCharactersByTwo() {
    assertThat(printed(RecordPrinter.Format.TABLE, 12345L, "订单"))
        .isEqualTo("a      名\n-----  ----\n12345  订单\n");
    assertThat(printed(RecordPrinter.Format.TABLE, null, 1L)).endsWith("\nNULL   1\n");
  }

  @Test
  void tableNeverSendsControlCharactersToATerminal() {
    assertThat(printed(RecordPrinter.Format.TABLE, "x\n\t\u001b[31m", ""))
        .contains("x\\n\\t\\u001b[31m");
  }

  @Test
  void csvQuotesWhatNeedsIt() {
    assertThat(printed(RecordPrinter.Format.CSV, "a,b", "c\"d")).endsWith("\"a,b\",\"c\"\"d\"\r\n");
    assertThat(printed(RecordPrinter.Format.CSV, null, "")).endsWith(",\"\"\r\n");
    assertThat(printed(RecordPrinter.Format.CSV, 1.5, true)).endsWith("1.5,true\r\n");
  }

  @Test
  void jsonHasNoWordForNotANumber() {
    assertThat(printed(RecordPrinter.Format.JSONL, Double.NaN, Float.NEGATIVE_INFINITY))
        .isEqualTo("{\"a\":\"NaN\",\"名\":\"-Infinity\"}\n");
    assertThat(printed(RecordPrinter.Format.JSONL, 1.0e20, 0.1f))
        .isEqualTo("{\"a\":1.0E20,\"名\":0.1}\n");
  }

  @Test
  void tellsWhenNobodyReadsAnyMore() {
    OutputStream closed =
        new OutputStream() {
          @Override
          public void write(int b) throws IOException {
            throw new IOException("Broken pipe");
          }
        };
    RecordPrinter printer =
        RecordPrinter.of(
            RecordPrinter.Format.JSONL,
            new PrintWriter(closed, false, java.nio.charset.StandardCharsets.UTF_8),
            List.of("a"));
    boolean wanted = true;
    for (int i = 0; wanted && i < 5000; i++) {
      wanted = printer.print((long) i);
    }
    assertThat(wanted).isFalse();
  }
}
