package io.sluice.replicator.sources.kafka;

import io.sluice.config.WidePart;
import io.sluice.config.WidePart.OnDelete;
import io.sluice.evolution.SourceTable;
import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.schema.RowType;
import io.sluice.replicator.messages.BadMessageException;
import io.sluice.replicator.messages.BadMessageException.Reason;
import io.sluice.replicator.messages.Change;
import io.sluice.replicator.messages.Message;
import io.sluice.replicator.messages.rows.PartRow;
import io.sluice.replicator.messages.rows.PartRow.Image;
import io.sluice.replicator.messages.rows.PartRow.Members;
import io.sluice.replicator.messages.rows.RowColumns;
import io.sluice.replicator.messages.rows.RowColumns.NumbersAsTimes;
import io.sluice.replicator.messages.rows.RowWriter;
import io.sluice.replicator.wide.WideColumns;
import io.sluice.sinks.RoutedTable;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A part's columns of a wide table. Each row sets them all, NULLs too, if its sequence columns are
 * not below those of the wide row; a sum gets the difference that an update makes (decision 0010).
 */
final class PartRoute implements Route {

  private final Handover handover;
  private final TopicTable table;
  private final WideTable wide;
  private final WidePart part;
  private final Consumer<SourceTable> aim;
  private final PartRow row;
  private final List<String> sums;
  private final Map<String, String> onlyAdding;
  private final RowColumns columns;
  private @Nullable RowWriter writer;
  private @Nullable RoutedTable written;

  /**
   * @param aim told of a definition before the table becomes it: options follow columns
   * @param numbers what a number means in a column that is a point in time
   */
  PartRoute(
      Handover handover,
      TopicTable table,
      WideTable wide,
      WidePart part,
      Consumer<SourceTable> aim,
      NumbersAsTimes numbers) {
    this.handover = handover;
    this.table = table;
    this.wide = wide;
    this.part = part;
    this.aim = aim;
    PartRow.Columns all = wide.columns(part);
    this.row = new PartRow(all, numbers);
    this.sums = all.sums();
    this.onlyAdding = WideColumns.onlyAdding(part);
    this.columns = new RowColumns(Map.of(), RowColumns.Rest.BY_NAME, Set.of(), numbers);
  }

  @Override
  public TopicTable table() {
    return table;
  }

  /** Whether the part is filled by what names this table. */
  boolean takesFrom(@Nullable String database, @Nullable String name) {
    return part.from().isEmpty()
        || name != null && part.from().get().matches(database == null ? "" : database, name);
  }

  @Override
  public void take(Message message, Change change) throws BadMessageException {
    if (handover.leaves(table)) {
      return;
    }
    if (change.kind() == Change.Kind.TRUNCATE) {
      throw new BadMessageException(
          Reason.SCHEMA,
          "A TRUNCATE of part "
              + part.name()
              + " would have to clear its columns in every row of "
              + table.id()
              + ", which no record can say.");
    }
    boolean delete = change.kind() == Change.Kind.DELETE;
    if (delete && part.onDelete() == OnDelete.IGNORE) {
      return;
    }
    refuseLoss(delete, change);
    refuseReplay();
    boolean moves = !delete && row.movesKey(change);
    boolean ends = delete || moves && part.onDelete() != OnDelete.IGNORE;
    if (ends && !end(message, change, delete ? Image.NOW : Image.BEFORE)) {
      return;
    }
    if (!delete) {
      add(
          message,
          row.of(
              change,
              Image.NOW,
              change.before() == null || moves ? Members.VALUES : Members.DIFFERENCES,
              handover.nextNumber()),
          change.isUpdate() ? RowKind.UPDATE_AFTER : RowKind.INSERT);
    }
  }

  /**
   * The part's row of a key is gone: its columns become NULL, by a row like any other; or the wide
   * row goes.
   */
  private boolean end(Message message, Change change, Image image) throws BadMessageException {
    return part.onDelete() == OnDelete.DELETE_ROW
        ? add(message, row.of(change, image, Members.NONE, handover.nextNumber()), RowKind.DELETE)
        : add(
            message,
            row.of(change, image, Members.TAKEN_BACK, handover.nextNumber()),
            RowKind.UPDATE_AFTER);
  }

  /** What was added up can't be right any more where the former value isn't known or can't go. */
  private void refuseLoss(boolean delete, Change change) throws BadMessageException {
    if (!onlyAdding.isEmpty() && (delete || change.isUpdate())) {
      throw new BadMessageException(
          Reason.SCHEMA,
          "A row of part "
              + part.name()
              + " of table "
              + table.id()
              + " was changed or deleted, and "
              + onlyAdding
              + " can't take its former value back.");
    }
    if ((!sums.isEmpty() || part.nested().isPresent())
        && !delete
        && change.isUpdate()
        && change.before() == null) {
      throw new BadMessageException(
          Reason.INCOMPLETE,
          "An update of part "
              + part.name()
              + " of table "
              + table.id()
              + " doesn't tell the former values, by which "
              + (sums.isEmpty()
                  ? "an element would have to go where its key was another"
                  : "the sums " + sums + " would have to change")
              + ". Let the source send them.");
    }
  }

  /** Elements have no order of their own: a compaction has perhaps passed the letter's place. */
  private void refuseReplay() throws BadMessageException {
    if (part.nested().isPresent() && handover.isReplay()) {
      throw new BadMessageException(
          Reason.SCHEMA,
          "An element of part "
              + part.name()
              + " of table "
              + table.id()
              + " can't be replayed: whether an older or a newer version of it stayed would depend"
              + " on compactions. Let the source send the row once more.");
    }
  }

  /** False if the table grew by it, and the message is read again; or if it is parked. */
  private boolean add(Message message, Change change, RowKind kind) throws BadMessageException {
    if (table.routed() == null && !grow(message, change, kind)) {
      return false;
    }
    RowWriter into = writer(Objects.requireNonNull(table.routed()));
    if (into.write(message, change, kind) == RowWriter.Outcome.FITS) {
      long micros = Handover.micros(change, message.timestampMillis());
      handover.pending().add(table, into.row(), micros);
      return true;
    }
    BadMessageException misfit = into.misfit();
    SourceTable before = table.definition();
    if (grow(message, change, kind) && Objects.equals(before, table.definition())) {
      throw misfit;
    }
    return false;
  }

  private RowWriter writer(RoutedTable routed) throws BadMessageException {
    RowWriter now = writer;
    if (now == null || written != routed) {
      row.checkElements(routed.lakeSchema().rowType());
      now = RowWriter.of(routed.lakeSchema().rowType(), routed.lakeSchema().primaryKeys(), columns);
      writer = now;
      written = routed;
    }
    return now;
  }

  private boolean grow(Message message, Change change, RowKind kind) throws BadMessageException {
    SourceTable wanted = wide.with(table.definition(), change);
    aim.accept(wanted);
    return handover.grow(
        table, wanted, lake -> tryOut(lake, wanted.primaryKey(), message, change, kind));
  }

  private void tryOut(RowType lake, List<String> key, Message message, Change change, RowKind kind)
      throws BadMessageException {
    RowWriter trial = RowWriter.of(lake, key, columns);
    if (trial.write(message, change, kind) != RowWriter.Outcome.FITS) {
      throw trial.misfit();
    }
  }
}
