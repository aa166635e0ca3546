package io.sluice.replicator.sources.debezium;

import com.github.shyiko.mysql.binlog.event.TableMapEventData;
import com.github.shyiko.mysql.binlog.event.TableMapEventMetadata;
import com.github.shyiko.mysql.binlog.event.TableMapEventMetadata.DefaultCharset;
import com.github.shyiko.mysql.binlog.event.deserialization.ColumnType;
import io.debezium.relational.Column;
import io.debezium.relational.Table;
import io.sluice.evolution.SourceTableId;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Compares what the server logs of a table's columns before its rows (the metadata of a TABLE_MAP
 * event) with the definition that Debezium has made of the DDL, by which it reads those rows: the
 * character set of each text column, and the columns' names where the server logs them ({@code
 * binlog_row_metadata=FULL}). MySQL logs the character sets always, MariaDB unless {@code
 * binlog_row_metadata=NO_LOG}, which is its default. One thread.
 */
final class LoggedColumns {

  private static final int BINARY = 63;

  /** The server gives new numbers as often as it opens tables anew. */
  private static final int FITTING_MAX = 10_000;

  /** Of MariaDB, for columns with the attribute COMPRESSED. */
  private static final int BLOB_COMPRESSED = 140;

  private static final int VARCHAR_COMPRESSED = 141;

  private final Function<Integer, @Nullable String> characterSetOfCollation;
  private final Function<String, @Nullable String> encodingOfCharacterSet;

  /** Numbers of tables that fit; the server gives a table a new one with each definition. */
  private final Set<Long> fitting = new HashSet<>();

  /**
   * @param characterSetOfCollation by the server's number of a collation; null: not known
   * @param encodingOfCharacterSet Java's name of what Debezium decodes a character set with
   */
  LoggedColumns(
      Function<Integer, @Nullable String> characterSetOfCollation,
      Function<String, @Nullable String> encodingOfCharacterSet) {
    this.characterSetOfCollation = characterSetOfCollation;
    this.encodingOfCharacterSet = encodingOfCharacterSet;
  }

  /** By table, or database with an empty table. */
  private final Map<SourceTableId, String> collationsAlone = new HashMap<>();

  /**
   * A statement named a collation without its character set: from now on text of the table is right
   * only if the server logs its character set, or if the collation belongs to the one assumed.
   *
   * @param table empty in its table: of the whole database
   */
  void collationAlone(SourceTableId table, String collation) {
    collationsAlone.put(table, collation);
  }

  /** Whether the definition behind this number was found to fit before. */
  boolean isKnown(long tableNumber) {
    return fitting.contains(tableNumber);
  }

  /**
   * What doesn't fit; null if all does, as far as the server tells.
   *
   * @param definition as Debezium knows the table now
   */
  @Nullable String mismatch(TableMapEventData logged, Table definition) {
    TableMapEventMetadata metadata = logged.getEventMetadata();
    List<Column> columns = definition.columns();
    if (columns.size() != logged.getColumnTypes().length) {
      return "its rows have "
          + logged.getColumnTypes().length
          + " columns at the server, "
          + columns.size()
          + " by the statements that were read";
    }
    if (metadata == null) {
      return unknownText(logged, columns);
    }
    String problem = names(metadata.getColumnNames(), columns);
    if (problem == null) {
      problem = characterSets(logged, metadata, columns);
    }
    if (problem == null) {
      if (fitting.size() >= FITTING_MAX) {
        fitting.clear();
      }
      fitting.add(logged.getTableId());
    }
    return problem;
  }

  private @Nullable String unknownText(TableMapEventData logged, List<Column> columns) {
    String collation =
        collationsAlone.getOrDefault(
            new SourceTableId(logged.getDatabase(), logged.getTable()),
            collationsAlone.get(new SourceTableId(logged.getDatabase(), "")));
    for (int i = 0; collation != null && i < columns.size(); i++) {
      Column column = columns.get(i);
      if (isCharacterType(logged.getColumnTypes()[i] & 0xff, logged.getColumnMetadata()[i])
          && !isBytes(column)
          && !Collations.belongTo(collation, column.charsetName())) {
        return "text of column "
            + column.name()
            + " is logged without its character set (binlog_row_metadata=NO_LOG) and would be read"
            + " as "
            + column.charsetName()
            + ", though a statement named collation "
            + collation;
      }
    }
    return null;
  }

  private static @Nullable String names(@Nullable List<String> logged, List<Column> columns) {
    if (logged == null || logged.size() != columns.size()) {
      return null;
    }
    for (int i = 0; i < columns.size(); i++) {
      if (!logged.get(i).equalsIgnoreCase(columns.get(i).name())) {
        return "column "
            + (i + 1)
            + " is "
            + logged.get(i)
            + " at the server, "
            + columns.get(i).name()
            + " by the statements that were read";
      }
    }
    return null;
  }

  private @Nullable String characterSets(
      TableMapEventData logged, TableMapEventMetadata metadata, List<Column> columns) {
    byte[] types = logged.getColumnTypes();
    int index = 0;
    for (int i = 0; i < types.length; i++) {
      if (!isCharacterType(types[i] & 0xff, logged.getColumnMetadata()[i])) {
        continue;
      }
      Integer collation = collation(metadata, index++);
      String problem = collation == null ? null : characterSet(collation, columns.get(i));
      if (problem != null) {
        return problem;
      }
    }
    return null;
  }

  /** Byte columns are among them, with collation {@code binary}; ENUM and SET are not. */
  private static boolean isCharacterType(int type, int metadata) {
    if (type == BLOB_COMPRESSED || type == VARCHAR_COMPRESSED) {
      return true;
    }
    ColumnType known = ColumnType.byCode(type);
    if (known == ColumnType.STRING) {
      int real = metadata >> 8;
      return real != ColumnType.ENUM.getCode() && real != ColumnType.SET.getCode();
    }
    return known == ColumnType.VARCHAR
        || known == ColumnType.VAR_STRING
        || known == ColumnType.BLOB;
  }

  /**
   * @param index among the character columns
   */
  private static @Nullable Integer collation(TableMapEventMetadata metadata, int index) {
    DefaultCharset common = metadata.getDefaultCharset();
    if (common != null) {
      Map<Integer, Integer> others = common.getCharsetCollations();
      Integer own = others == null ? null : others.get(index);
      return own == null ? Integer.valueOf(common.getDefaultCharsetCollation()) : own;
    }
    List<Integer> each = metadata.getColumnCharsets();
    return each == null || index >= each.size() ? null : each.get(index);
  }

  private @Nullable String characterSet(int collation, Column column) {
    if (isBytes(column)) {
      return collation == BINARY
          ? null
          : "column " + column.name() + " has text at the server, not bytes";
    }
    String atServer = collation == BINARY ? "binary" : characterSetOfCollation.apply(collation);
    String assumed = column.charsetName() == null ? "utf8mb4" : column.charsetName();
    if (atServer == null || decodesAlike(atServer, assumed)) {
      return null;
    }
    return "text of column "
        + column.name()
        + " is logged in character set "
        + atServer
        + ", and would be read as "
        + assumed;
  }

  private static boolean isBytes(Column column) {
    String type = column.typeName().toUpperCase(Locale.ROOT);
    return type.contains("BINARY") || type.contains("BLOB");
  }

  private boolean decodesAlike(String atServer, String assumed) {
    String logged = encodingOfCharacterSet.apply(atServer);
    String read = encodingOfCharacterSet.apply(assumed);
    if (atServer.equalsIgnoreCase(assumed) || (logged != null && logged.equals(read))) {
      return true;
    }
    // A subset of all that isn't in wider units.
    return atServer.equalsIgnoreCase("ascii")
        && read != null
        && !read.startsWith("UTF-16")
        && !read.startsWith("UTF-32")
        && !read.startsWith("UnicodeBig");
  }
}
