package io.sluice.replicator.sources.debezium;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.shyiko.mysql.binlog.event.TableMapEventData;
import com.github.shyiko.mysql.binlog.event.TableMapEventMetadata;
import com.github.shyiko.mysql.binlog.event.TableMapEventMetadata.DefaultCharset;
import com.github.shyiko.mysql.binlog.event.deserialization.ColumnType;
import io.debezium.relational.Column;
import io.debezium.relational.Table;
import io.debezium.relational.TableId;
import io.sluice.evolution.SourceTableId;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class LoggedColumnsTest {

  private static final int LATIN1 = 8;
  private static final int UTF8MB4 = 255;
  private static final int UTF8MB3 = 33;
  private static final int ASCII = 11;
  private static final int BINARY = 63;

  private final LoggedColumns columns =
      new LoggedColumns(
          Map.of(
                  LATIN1, "latin1", UTF8MB4, "utf8mb4", UTF8MB3, "utf8mb3", ASCII, "ascii", BINARY,
                  "binary")
              ::get,
          Map.of("latin1", "Cp1252", "utf8mb4", "UTF-8", "utf8mb3", "UTF-8", "ascii", "US-ASCII")
              ::get);

  /** An INT, an ENUM, then the text columns a, b, ... in these character sets. */
  private static Table table(String type, @Nullable String... characterSets) {
    var editor = Table.editor().tableId(new TableId("d", null, "t"));
    editor.addColumn(Column.editor().name("id").type("INT").create());
    editor.addColumn(Column.editor().name("kind").type("ENUM").charsetName("latin1").create());
    for (int i = 0; i < characterSets.length; i++) {
      editor.addColumn(
          Column.editor()
              .name(String.valueOf((char) ('a' + i)))
              .type(type)
              .charsetName(characterSets[i])
              .create());
    }
    return editor.create();
  }

  private static TableMapEventData logged(int texts, @Nullable TableMapEventMetadata metadata) {
    var data = new TableMapEventData();
    data.setTableId(7);
    data.setDatabase("d");
    data.setTable("t");
    byte[] types = new byte[2 + texts];
    int[] sizes = new int[types.length];
    types[0] = (byte) ColumnType.LONG.getCode();
    types[1] = (byte) ColumnType.STRING.getCode();
    sizes[1] = ColumnType.ENUM.getCode() << 8 | 1;
    for (int i = 2; i < types.length; i++) {
      types[i] = (byte) (i % 2 == 0 ? ColumnType.VARCHAR : ColumnType.BLOB).getCode();
    }
    data.setColumnTypes(types);
    data.setColumnMetadata(sizes);
    data.setEventMetadata(metadata);
    return data;
  }

  private static TableMapEventMetadata common(int collation, Map<Integer, Integer> others) {
    var charset = new DefaultCharset();
    charset.setDefaultCharsetCollation(collation);
    charset.setCharsetCollations(others.isEmpty() ? null : others);
    var metadata = new TableMapEventMetadata();
    metadata.setDefaultCharset(charset);
    return metadata;
  }

  @Test
  void findsTextThatWouldBeReadInAnotherCharacterSet() {
    assertThat(
            columns.mismatch(
                logged(2, common(LATIN1, Map.of())), table("VARCHAR", "latin1", "utf8mb4")))
        .contains("column b")
        .contains("character set latin1")
        .contains("read as utf8mb4");
    assertThat(columns.isKnown(7)).isFalse();
  }

  @Test
  void countsCharacterColumnsOnly() {
    TableMapEventMetadata metadata = common(LATIN1, Map.of(1, UTF8MB4));
    assertThat(columns.mismatch(logged(2, metadata), table("VARCHAR", "latin1", "utf8mb4")))
        .isNull();
    assertThat(columns.isKnown(7)).isTrue();
  }

  @Test
  void readsCharacterSetsOfEachColumn() {
    var metadata = new TableMapEventMetadata();
    metadata.setColumnCharsets(List.of(UTF8MB3, LATIN1));
    assertThat(columns.mismatch(logged(2, metadata), table("TEXT", "utf8mb4", "latin1"))).isNull();
    assertThat(columns.mismatch(logged(2, metadata), table("TEXT", "utf8mb4", "utf8mb4")))
        .contains("column b");
  }

  @Test
  void takesUtf8ForTextWithoutCharacterSetAsDebeziumDoes() {
    assertThat(columns.mismatch(logged(1, common(UTF8MB3, Map.of())), table("TEXT", (String) null)))
        .isNull();
    assertThat(columns.mismatch(logged(1, common(LATIN1, Map.of())), table("TEXT", (String) null)))
        .isNotNull();
  }

  @Test
  void letsAsciiBeReadAsWhatContainsIt() {
    assertThat(columns.mismatch(logged(1, common(ASCII, Map.of())), table("TEXT", "latin1")))
        .isNull();
  }

  @Test
  void knowsBytesFromText() {
    assertThat(
            columns.mismatch(
                logged(1, common(BINARY, Map.of())), table("VARBINARY", (String) null)))
        .isNull();
    assertThat(columns.mismatch(logged(1, common(BINARY, Map.of())), table("VARCHAR", "utf8mb4")))
        .contains("character set binary");
    assertThat(columns.mismatch(logged(1, common(UTF8MB4, Map.of())), table("BLOB", (String) null)))
        .contains("not bytes");
  }

  @Test
  void findsColumnsInAnotherOrder() {
    var metadata = new TableMapEventMetadata();
    metadata.setColumnNames(List.of("id", "KIND", "b", "a"));
    assertThat(columns.mismatch(logged(2, metadata), table("TEXT", "utf8mb4", "utf8mb4")))
        .contains("column 3 is b at the server, a by");
  }

  @Test
  void wantsCharacterSetsLoggedOnceAStatementNeedsIt() {
    assertThat(columns.mismatch(logged(1, null), table("TEXT", "latin1"))).isNull();
    columns.collationAlone(new SourceTableId("d", "t"), "utf8mb4_bin");
    assertThat(columns.mismatch(logged(1, null), table("TEXT", "latin1")))
        .contains("column a")
        .contains("read as latin1");
    assertThat(columns.mismatch(logged(1, null), table("TEXT", "utf8mb4"))).isNull();
    assertThat(columns.mismatch(logged(1, null), table("BLOB", (String) null))).isNull();
    assertThat(columns.mismatch(logged(1, common(LATIN1, Map.of())), table("TEXT", "latin1")))
        .isNull();
  }

  @Test
  void wantsThemOfAllTablesOfADatabase() {
    columns.collationAlone(new SourceTableId("other", ""), "utf8mb4_bin");
    assertThat(columns.mismatch(logged(1, null), table("TEXT", "latin1"))).isNull();
    columns.collationAlone(new SourceTableId("d", ""), "utf8mb4_bin");
    assertThat(columns.mismatch(logged(1, null), table("TEXT", "latin1"))).isNotNull();
  }

  @Test
  void saysNothingOfWhatTheServerDoesNotLog() {
    assertThat(columns.mismatch(logged(1, new TableMapEventMetadata()), table("TEXT", "latin1")))
        .isNull();
    assertThat(columns.mismatch(logged(1, common(999, Map.of())), table("TEXT", "latin1")))
        .isNull();
    assertThat(columns.mismatch(logged(3, common(LATIN1, Map.of())), table("TEXT", "utf8mb4")))
        .contains("5 columns at the server, 3 by");
  }
}
