package io.sluice.replicator.sources.debezium;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.shyiko.mysql.binlog.event.DeleteRowsEventData;
import com.github.shyiko.mysql.binlog.event.Event;
import com.github.shyiko.mysql.binlog.event.EventData;
import com.github.shyiko.mysql.binlog.event.EventHeaderV4;
import com.github.shyiko.mysql.binlog.event.EventType;
import com.github.shyiko.mysql.binlog.event.QueryEventData;
import com.github.shyiko.mysql.binlog.event.RowsQueryEventData;
import com.github.shyiko.mysql.binlog.event.TableMapEventData;
import com.github.shyiko.mysql.binlog.event.UpdateRowsEventData;
import com.github.shyiko.mysql.binlog.event.WriteRowsEventData;
import com.github.shyiko.mysql.binlog.event.deserialization.ColumnType;
import io.debezium.relational.Column;
import io.debezium.relational.Table;
import io.debezium.relational.TableId;
import io.sluice.evolution.SourceTableId;
import io.sluice.replicator.sources.debezium.RowReaders.ImpossibleDate;
import io.sluice.replicator.sources.debezium.RowReaders.RowsHead;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What the binlog brings that Debezium loses, or dies of: whose it is, and what Debezium sees. */
class BinlogGuardTest {

  private static final SourceTableId T = new SourceTableId("d", "t");
  private static final int COLUMNS = 3;
  private static final ImpossibleDate IMPOSSIBLE = new ImpossibleDate("Invalid date 'FEBRUARY 31'");

  private final Set<SourceTableId> parked = new HashSet<>();
  private boolean parks = true;
  private final EngineSession session =
      EngineSession.open(
          null,
          List.of(),
          point -> {},
          () -> {},
          new EngineSession.Tables() {
            @Override
            public boolean isCaptured(SourceTableId table) {
              return !table.table().startsWith("not_");
            }

            @Override
            public boolean isParked(SourceTableId table) {
              return parked.contains(table);
            }

            @Override
            public boolean areParked() {
              return parks;
            }
          });
  private final RowsStatement statement = new RowsStatement();
  private final RowReaders readers = new RowReaders(statement.tables());
  private final List<Throwable> failures = new ArrayList<>();
  private int columnsKnown = COLUMNS;
  private final BinlogGuard guard =
      new BinlogGuard(
          session,
          () -> "binlog.000007",
          failures::add,
          (database, table) -> table.startsWith("unknown_") ? null : definition(table),
          new LoggedColumns(collation -> null, charset -> null),
          statement,
          readers);
  private long at = 1000;

  @AfterEach
  void close() {
    session.close();
  }

  private Table definition(String name) {
    var editor = Table.editor().tableId(new TableId("d", null, name));
    for (String column : List.of("id", "born", "v", "x").subList(0, columnsKnown)) {
      editor.addColumn(Column.editor().name(column).type("INT").create());
    }
    return editor.setPrimaryKeyNames("id").create();
  }

  /** Each event is ten bytes long. */
  private Event event(EventType type, @Nullable EventData data) {
    var header = new EventHeaderV4();
    header.setEventType(type);
    header.setEventLength(10);
    at += 10;
    header.setNextPosition(at);
    Event event = new Event(header, data);
    guard.onEvent(event);
    return event;
  }

  private void map(long number, String table) {
    var data = new TableMapEventData();
    data.setTableId(number);
    data.setDatabase("d");
    data.setTable(table);
    byte[] types = new byte[COLUMNS];
    java.util.Arrays.fill(types, (byte) ColumnType.LONG.getCode());
    data.setColumnTypes(types);
    data.setColumnMetadata(new int[COLUMNS]);
    event(EventType.TABLE_MAP, data);
  }

  private static BitSet columns(int... indexes) {
    var set = new BitSet();
    for (int index : indexes) {
      set.set(index);
    }
    return set;
  }

  private WriteRowsEventData insert(long number, BitSet columns, Serializable... row) {
    var data = new WriteRowsEventData();
    data.setTableId(number);
    data.setIncludedColumns(columns);
    data.setRows(new ArrayList<>(List.<Serializable[]>of(row)));
    event(EventType.EXT_WRITE_ROWS, data);
    return data;
  }

  private QueryEventData query(String sql) {
    var data = new QueryEventData();
    data.setDatabase("d");
    data.setSql(sql);
    event(EventType.QUERY, data);
    return data;
  }

  private LostRows onlyLost() {
    List<LostRows> lost = session.takeLost();
    assertThat(lost).hasSize(1);
    assertThat(session.takeLost()).isEmpty();
    assertThat(failures).isEmpty();
    return lost.get(0);
  }

  @Test
  void losesATableWhoseRowsLackColumnsAndHidesTheRows() {
    event(EventType.ROWS_QUERY, text("UPDATE t SET v = 2"));
    map(5, "t");
    map(6, "other");
    var update = new UpdateRowsEventData();
    update.setTableId(5);
    update.setIncludedColumnsBeforeUpdate(columns(0));
    update.setIncludedColumns(columns(2));
    update.setRows(
        new ArrayList<>(List.of(Map.entry(new Serializable[] {1}, new Serializable[] {2}))));
    event(EventType.EXT_UPDATE_ROWS, update);
    WriteRowsEventData whole = insert(6, columns(0, 1, 2), 1, 2, 3);
    LostRows lost = onlyLost();
    assertThat(lost.table()).isEqualTo(T);
    assertThat(lost.reason())
        .contains("rows of d.t (1 of 3 columns) (at binlog.000007:1030")
        .contains("statement \"UPDATE t SET v = 2\"")
        .contains("binlog_row_image=FULL");
    assertThat(lost.behind()).isEqualTo(new BinlogPoint("binlog.000007", 1040));
    assertThat(update.getRows()).isEmpty();
    assertThat(whole.getRows()).hasSize(1);
  }

  private static RowsQueryEventData text(String sql) {
    var data = new RowsQueryEventData();
    data.setQuery(sql);
    return data;
  }

  @Test
  void keepsTheFirstReasonAndTheLastPlace() {
    map(5, "t");
    insert(5, columns(0), 1);
    insert(5, columns(0), 2);
    LostRows lost = onlyLost();
    assertThat(lost.reason()).contains(":1010");
    assertThat(lost.behind().pos()).isEqualTo(1030);
  }

  @Test
  void hidesWhatDebeziumWouldDieOfAlsoOfOthersTables() {
    map(5, "not_t");
    WriteRowsEventData rows = insert(5, columns(0), 1);
    assertThat(rows.getRows()).isEmpty();
    assertThat(session.takeLost()).isEmpty();
    assertThat(failures).isEmpty();
  }

  @Test
  void tellsOfAParkedTableTooForItMayComeBackBeforeThisPlace() {
    parked.add(T);
    map(5, "t");
    insert(5, columns(0), 1);
    assertThat(onlyLost().table()).isEqualTo(T);
  }

  @Test
  void stopsWhereNoTableIsParked() {
    parks = false;
    parked.add(new SourceTableId("d", "old"));
    map(4, "old");
    insert(4, columns(0), 1);
    assertThat(failures).as("parked in earlier days").isEmpty();
    map(5, "t");
    insert(5, columns(0), 1);
    assertThat(failures).singleElement().asString().contains("binlog_row_image=FULL");
    assertThat(session.fault()).isNotNull();
  }

  @Test
  void namesTheColumnOfADateThatNoCalendarHas() {
    map(5, "t");
    // As the reader does before the event comes.
    readers.noteImpossibleDate();
    WriteRowsEventData data = insert(5, columns(0, 1, 2), 2, IMPOSSIBLE, 3);
    assertThat(onlyLost().reason())
        .contains("row of d.t (at binlog.000007:1010)")
        .contains("in column born that no calendar has (Invalid date 'FEBRUARY 31')");
    assertThat(data.getRows()).isEmpty();
  }

  @Test
  void letsADateGoThatIsThereForTheLastTime() {
    map(5, "t");
    var delete = new DeleteRowsEventData();
    delete.setTableId(5);
    delete.setIncludedColumns(columns(0, 1, 2));
    delete.setRows(new ArrayList<>(List.<Serializable[]>of(new Serializable[] {2, IMPOSSIBLE, 3})));
    readers.noteImpossibleDate();
    event(EventType.EXT_DELETE_ROWS, delete);
    assertThat(session.takeLost()).isEmpty();
    assertThat(delete.getRows().get(0)).containsExactly(2, null, 3);
    var inKey = new DeleteRowsEventData();
    inKey.setTableId(5);
    inKey.setIncludedColumns(columns(0, 1, 2));
    inKey.setRows(
        new ArrayList<>(List.<Serializable[]>of(new Serializable[] {IMPOSSIBLE, null, 3})));
    readers.noteImpossibleDate();
    event(EventType.EXT_DELETE_ROWS, inKey);
    assertThat(onlyLost().reason()).contains("in column id ");
    assertThat(inKey.getRows()).isEmpty();
  }

  @Test
  void losesTheTablesOfAPartialUpdate() {
    map(5, "t");
    map(6, "not_t");
    event(EventType.PARTIAL_UPDATE_ROWS_EVENT, new RowsHead(6, true));
    assertThat(session.takeLost()).isEmpty();
    event(EventType.PARTIAL_UPDATE_ROWS_EVENT, new RowsHead(5, true));
    assertThat(onlyLost().reason()).contains("partial JSON update of d.t (at binlog.000007:1030)");
    // Inside a compressed transaction nobody reads the head.
    map(7, "a");
    map(8, "b");
    event(EventType.PARTIAL_UPDATE_ROWS_EVENT, null);
    assertThat(session.takeLost())
        .extracting(lost -> lost.table().table())
        .containsExactlyInAnyOrder("a", "b");
  }

  @Test
  void takesUnknownEventsForRowsWhereNothingElseCanCome() {
    map(5, "t");
    event(EventType.UNKNOWN, new RowsHead(5, false));
    event(EventType.UNKNOWN, new RowsHead(5, true));
    LostRows lost = onlyLost();
    assertThat(lost.reason()).contains("log_bin_compress").contains("in a change of d.t");
    assertThat(lost.behind().pos()).isEqualTo(at);
    // The statement has ended: this may be anything.
    event(EventType.UNKNOWN, new RowsHead(5, true));
    assertThat(failures).singleElement().asString().contains("type that is not known");
  }

  @Test
  void stopsAtAnUnknownEventBehindRowsThatCanBeRead() {
    map(5, "t");
    insert(5, columns(0, 1, 2), 1, 2, 3);
    event(EventType.UNKNOWN, new RowsHead(5, true));
    assertThat(failures).hasSize(1);
    assertThat(session.takeLost()).isEmpty();
  }

  @Test
  void losesATableWhoseDefinitionIsWrong() {
    columnsKnown = 4;
    map(5, "t");
    WriteRowsEventData rows = insert(5, columns(0, 1, 2), 1, 2, 3);
    assertThat(rows.getRows()).isEmpty();
    LostRows lost = onlyLost();
    assertThat(lost.cause()).isEqualTo(LostRows.Cause.DEFINITION);
    assertThat(lost.reason()).contains("d.t can't be read right: its rows have 3 columns");
    columnsKnown = 3;
    map(5, "t");
    assertThat(insert(5, columns(0, 1, 2), 1, 2, 3).getRows()).hasSize(1);
    assertThat(session.takeLost()).isEmpty();
  }

  @Test
  void makesOfAReplacedTableADropAndACreate() {
    QueryEventData query = query("/* c */ CREATE OR REPLACE TABLE t (id INT COMMENT '/* k */')");
    assertThat(query.getSql())
        .isEqualTo("DROP TABLE IF EXISTS `d`.`t`; CREATE TABLE t (id INT COMMENT '/* k */')");
    assertThat(onlyLost().reason()).contains("CREATE OR REPLACE TABLE replaces").contains(":1010");
    assertThat(query("CREATE OR REPLACE TABLE `unknown_x`(id INT)").getSql())
        .isEqualTo("DROP TABLE IF EXISTS `d`.`unknown_x`; CREATE TABLE `unknown_x`(id INT)");
    assertThat(session.takeLost()).as("a new table").isEmpty();
    assertThat(query("CREATE TABLE z (id INT)").getSql()).isEqualTo("CREATE TABLE z (id INT)");
  }

  @Test
  void stopsAtAChangeLoggedAsAStatement() {
    query("UPDATE t SET v = v + 1");
    assertThat(failures)
        .singleElement()
        .asString()
        .contains("as a statement")
        .contains("binlog.000007");
  }
}
