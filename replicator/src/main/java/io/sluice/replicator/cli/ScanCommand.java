package io.sluice.replicator.cli;

import io.sluice.lsm.datafile.DecodingThreads;
import io.sluice.lsm.scan.PredicateParser;
import io.sluice.lsm.scan.RowReader;
import io.sluice.lsm.scan.TableScan;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.RowType;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Prints rows of a table. */
@Command(
    name = "scan",
    description = "Prints the rows of a table, in key order within a bucket.",
    footer = {
      "",
      "jsonl: a JSON object a line. Integers and floats are numbers, DECIMAL a text with its scale,",
      "DATE 2024-01-31, TIME 10:00:00.000, TIMESTAMP 2024-01-31T10:00:00.123456 (no zone), TIMESTAMP",
      "WITH LOCAL TIME ZONE the same with Z, BYTES base64. canonical: every value is a text, bytes in",
      "hexadecimal, a blank between date and time."
    })
final class ScanCommand implements Callable<Integer> {

  private final Context context;

  @Mixin private TableArgument table = new TableArgument();

  @Mixin private BranchArgument branch = new BranchArgument();

  @ArgGroup private @Nullable SnapshotArgument which;

  @Option(
      names = "--columns",
      paramLabel = "a,b",
      split = ",",
      description = "These columns only, in this order.")
  private @Nullable List<String> columns;

  @Option(
      names = "--where",
      paramLabel = "CONDITION",
      description = "Rows that fulfil it, e.g. 'a >= 3 AND (b = \"x\" OR c IS NULL)'.")
  private @Nullable String where;

  @Option(names = "--limit", paramLabel = "N", description = "At most so many rows.")
  private long limit = Long.MAX_VALUE;

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      description = "table, jsonl, csv or canonical. Default: ${DEFAULT-VALUE}.")
  private RecordPrinter.Format format = RecordPrinter.Format.TABLE;

  ScanCommand(Context context) {
    this.context = context;
  }

  @Override
  public Integer call() throws IOException {
    if (limit < 0) {
      throw new CommandFailedException(ExitCode.USAGE, "--limit must not be negative.");
    }
    TableScan scan =
        (which == null ? new SnapshotArgument() : which).scan(branch.of(table.open(context)));
    try {
      if (columns != null) {
        scan = scan.columns(columns.stream().map(String::strip).toList());
      }
      if (where != null) {
        scan = scan.where(PredicateParser.parse(where));
      }
    } catch (NoSuchElementException | IllegalArgumentException e) {
      throw new CommandFailedException(ExitCode.USAGE, String.valueOf(e.getMessage()));
    }
    print(scan);
    return ExitCode.OK;
  }

  private void print(TableScan scan) throws IOException {
    RowType type = scan.rowType();
    ValueText text =
        format == RecordPrinter.Format.CANONICAL ? ValueText.CANONICAL : ValueText.PLAIN;
    RecordPrinter printer =
        RecordPrinter.of(
            format, context.out(), type.fields().stream().map(DataField::name).toList());
    long left = limit;
    try (DecodingThreads threads = DecodingThreads.besideTheReader();
        RowReader rows = scan.ahead(threads).open()) {
      boolean wanted = true;
      while (wanted && left-- > 0 && rows.advance()) {
        @Nullable Object[] values = new @Nullable Object[type.size()];
        Arrays.setAll(values, i -> text.of(rows.row(), i, type.type(i)));
        wanted = printer.print(values);
      }
    }
    printer.end();
  }
}
