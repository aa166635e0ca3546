package io.sluice.replicator.letters;

import io.sluice.lsm.io.FileIO;
import io.sluice.lsm.row.Row;
import io.sluice.lsm.scan.PredicateParser;
import io.sluice.lsm.scan.RowReader;
import io.sluice.lsm.scan.TableScan;
import io.sluice.lsm.table.LsmTable;
import io.sluice.sinks.DeadLetter;
import io.sluice.sinks.DeadLetter.State;
import io.sluice.sinks.DeadLetterTable;
import io.sluice.sinks.epoch.LakeTable;
import java.io.IOException;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Reads the letters of one pipeline from {@link DeadLetterTable}. The facts about all of them fit
 * into memory (a few hundred bytes each); their bytes are read one after the other. Thread safe.
 */
public final class LetterBox {

  /** Columns without the bytes, so many from the first on, and the last. */
  private static final List<Integer> FACTS =
      IntStream.range(0, DeadLetterTable.DEFINITION.columns().size())
          .filter(
              column ->
                  column != DeadLetterTable.KEY
                      && column != DeadLetterTable.VALUE
                      && column != DeadLetterTable.HEADERS)
          .boxed()
          .toList();

  private static final List<Integer> ALL =
      IntStream.range(0, DeadLetterTable.DEFINITION.columns().size()).boxed().toList();

  private static final List<Integer> PLACES =
      List.of(
          DeadLetterTable.PIPELINE,
          DeadLetterTable.STATE,
          DeadLetterTable.SOURCE,
          DeadLetterTable.POSITION);

  private static final int TIME_PRECISION = 3;

  private final FileIO fileIO;
  private final String root;
  private final String pipeline;
  private final Clock clock;
  private final Supplier<String> ids;

  /** Takes letters one by one. */
  @FunctionalInterface
  public interface Visitor {
    /**
     * @param letter with its bytes
     */
    void letter(KeptLetter letter) throws IOException, InterruptedException;
  }

  /**
   * @param pipeline whose letters are meant
   */
  public LetterBox(
      FileIO fileIO, String warehouse, String pipeline, Clock clock, Supplier<String> ids) {
    this.fileIO = fileIO;
    this.root =
        new LakeTable(DeadLetterTable.ID.database(), DeadLetterTable.ID.table()).root(warehouse);
    this.pipeline = pipeline;
    this.clock = clock;
    this.ids = ids;
  }

  /**
   * All letters that a selection means, whatever became of them, without their bytes, oldest first.
   */
  public List<KeptLetter> list(LetterSelection selection) throws IOException {
    if (!LsmTable.exists(fileIO, root)) {
      return List.of();
    }
    Map<KeptLetter.Id, Tally> tallies = new LinkedHashMap<>();
    try (RowReader rows = scan(FACTS, "").open()) {
      while (rows.advance()) {
        Row row = rows.row();
        DeadLetter letter = letter(row, FACTS);
        long sequence = row.getLong(at(FACTS, DeadLetterTable.SEQUENCE));
        tallies
            .computeIfAbsent(
                new KeptLetter.Id(letter.source(), letter.position(), sequence), id -> new Tally())
            .count(letter, state(row, FACTS), stateMillis(row, FACTS));
      }
    }
    List<KeptLetter> result = new ArrayList<>();
    tallies.forEach(
        (id, tally) -> {
          KeptLetter kept = tally.letter(id.sequence());
          if (selection.matches(kept)) {
            result.add(kept);
          }
        });
    result.sort(Comparator.comparingLong(KeptLetter::sequence));
    return result;
  }

  /** Takes where letters come from. */
  @FunctionalInterface
  public interface PlaceVisitor {
    /** See {@link DeadLetter}. */
    void place(String source, String position, State state);
  }

  /** Tells of all letters where they come from, once for each thing that became of one. */
  public void forEachPlace(PlaceVisitor visitor) throws IOException {
    if (!LsmTable.exists(fileIO, root)) {
      return;
    }
    try (RowReader rows = scan(PLACES, "").open()) {
      while (rows.advance()) {
        String source = text(rows.row(), at(PLACES, DeadLetterTable.SOURCE));
        String position = text(rows.row(), at(PLACES, DeadLetterTable.POSITION));
        visitor.place(
            source == null ? "" : source,
            position == null ? "" : position,
            state(rows.row(), PLACES));
      }
    }
  }

  /** What the rows of one letter say together. */
  private static final class Tally {
    private @Nullable DeadLetter told;
    private int setAside;
    private long setAsideMillis;
    private int ended;
    private State endedAs = State.REPLAYED;
    private long endedMillis = Long.MIN_VALUE;

    void count(DeadLetter letter, State state, long millis) {
      if (state == State.SET_ASIDE) {
        setAside++;
        setAsideMillis = Math.max(setAsideMillis, millis);
        told = letter;
        return;
      }
      ended++;
      if (millis >= endedMillis) {
        endedMillis = millis;
        endedAs = state;
      }
      if (told == null) {
        told = letter;
      }
    }

    /** What was set aside and not ended waits, whatever the clocks of two machines say. */
    KeptLetter letter(long sequence) {
      int waiting = Math.max(0, setAside - ended);
      return new KeptLetter(
          Objects.requireNonNull(told),
          sequence,
          waiting > 0 ? State.SET_ASIDE : endedAs,
          waiting > 0 ? setAsideMillis : endedMillis,
          waiting);
    }
  }

  /**
   * Hands over the letters of a selection that wait, with their bytes, each once; oldest first
   * within a file.
   */
  public void forEachWaiting(LetterSelection selection, Visitor visitor)
      throws IOException, InterruptedException {
    read(list(selection).stream().filter(kept -> kept.waiting() > 0).toList(), "", visitor);
  }

  /** Hands over one letter with its bytes. */
  public void open(KeptLetter letter, Visitor visitor) throws IOException, InterruptedException {
    read(List.of(letter), " AND sequence_number = " + letter.sequence(), visitor);
  }

  private void read(List<KeptLetter> wanted, String where, Visitor visitor)
      throws IOException, InterruptedException {
    Map<KeptLetter.Id, KeptLetter> left = new LinkedHashMap<>();
    wanted.forEach(kept -> left.put(kept.id(), kept));
    if (left.isEmpty()) {
      return;
    }
    try (RowReader rows =
        scan(ALL, " AND state = '" + State.SET_ASIDE.text() + "'" + where).open()) {
      while (!left.isEmpty() && rows.advance()) {
        DeadLetter letter = letter(rows.row(), ALL);
        long sequence = rows.row().getLong(DeadLetterTable.SEQUENCE);
        KeptLetter kept =
            left.remove(new KeptLetter.Id(letter.source(), letter.position(), sequence));
        if (kept != null) {
          visitor.letter(
              new KeptLetter(letter, sequence, kept.state(), kept.stateMillis(), kept.waiting()));
        }
      }
    }
  }

  private TableScan scan(List<Integer> columns, String and) throws IOException {
    return LsmTable.open(fileIO, root, clock, ids)
        .newScan()
        .columns(
            columns.stream()
                .map(column -> DeadLetterTable.DEFINITION.columns().get(column).name())
                .toList())
        .where(PredicateParser.parse("pipeline = '" + pipeline.replace("'", "''") + "'" + and));
  }

  private static int at(List<Integer> columns, int column) {
    return columns.indexOf(column);
  }

  private static State state(Row row, List<Integer> columns) {
    String text = row.getString(at(columns, DeadLetterTable.STATE));
    for (State state : State.values()) {
      if (state.text().equals(text)) {
        return state;
      }
    }
    throw new IllegalStateException("A dead letter's state " + text + " is not known");
  }

  private static long stateMillis(Row row, List<Integer> columns) {
    return row.getTimestampMillis(at(columns, DeadLetterTable.STATE_TIME), TIME_PRECISION);
  }

  private static DeadLetter letter(Row row, List<Integer> columns) {
    int time = at(columns, DeadLetterTable.MESSAGE_TIME);
    String source = text(row, at(columns, DeadLetterTable.SOURCE));
    String position = text(row, at(columns, DeadLetterTable.POSITION));
    String reason = text(row, at(columns, DeadLetterTable.REASON));
    String detail = text(row, at(columns, DeadLetterTable.DETAIL));
    return new DeadLetter(
        source == null ? "" : source,
        position == null ? "" : position,
        text(row, at(columns, DeadLetterTable.TABLE)),
        row.isNullAt(time) ? -1 : row.getTimestampMillis(time, TIME_PRECISION),
        reason == null ? "" : reason,
        detail == null ? "" : detail,
        bytes(row, at(columns, DeadLetterTable.KEY)),
        bytes(row, at(columns, DeadLetterTable.VALUE)),
        text(row, at(columns, DeadLetterTable.HEADERS)));
  }

  private static @Nullable String text(Row row, int column) {
    return column < 0 || row.isNullAt(column) ? null : row.getString(column);
  }

  private static byte @Nullable [] bytes(Row row, int column) {
    return column < 0 || row.isNullAt(column) ? null : row.getByteArray(column);
  }
}
