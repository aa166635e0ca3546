package io.sluice.evolution;

import io.sluice.evolution.MappedType.Refused;
import io.sluice.lsm.schema.DataType;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What may be a key, and which redefinitions of a column leave every stored value as it was. */
final class ColumnRules {

  /** Integer kinds that share a lake type, by range: each holds all that stand before it. */
  private static final List<List<SourceKind>> INTEGER_CHAINS =
      List.of(
          List.of(SourceKind.SMALLINT_UNSIGNED, SourceKind.MEDIUMINT_UNSIGNED, SourceKind.INT),
          List.of(SourceKind.SMALLINT_UNSIGNED, SourceKind.MEDIUMINT, SourceKind.INT),
          List.of(SourceKind.TINYINT_UNSIGNED, SourceKind.SMALLINT),
          List.of(SourceKind.INT_UNSIGNED, SourceKind.BIGINT),
          List.of(SourceKind.TINYINT_ONE, SourceKind.TINYINT),
          List.of(SourceKind.TINYINT, SourceKind.TINYINT_ONE));

  /** Bytes that the TEXT and BLOB types hold. */
  private static final Map<String, Long> CAPACITY =
      Map.of(
          "TINYTEXT", 255L,
          "TINYBLOB", 255L,
          "TEXT", 65_535L,
          "BLOB", 65_535L,
          "MEDIUMTEXT", 16_777_215L,
          "LONG VARCHAR", 16_777_215L,
          "MEDIUMBLOB", 16_777_215L,
          "LONG VARBINARY", 16_777_215L,
          "LONGTEXT", 4_294_967_295L,
          "LONGBLOB", 4_294_967_295L);

  private static final Set<String> RESERVED_COLUMNS =
      Set.of("_SEQUENCE_NUMBER", "_VALUE_KIND", "_LEVEL", "_ROW_ID");

  private static final String RENAME =
      "Rename the column, or exclude the table with source.exclude.";

  private ColumnRules() {}

  /** {@link TypeMapping#map}; names that can't be, and what can't be a key, are refused. */
  static MappedType map(TypeMapping mapping, SourceColumn column, boolean key) {
    if (column.name().startsWith("_KEY_") || RESERVED_COLUMNS.contains(column.name())) {
      return new Refused("the name is reserved by the table format.", RENAME);
    }
    if (column.name().indexOf('`') >= 0) {
      // Tried with Paimon 1.4.2: of a table that it wrote itself it reads NULL there.
      return new Refused(
          "Paimon's readers give NULL for a column whose name holds a backtick.", RENAME);
    }
    DataType told = column.lakeType();
    if (told != null) {
      return key ? keyOf(column, told) : new MappedType.Lake(told);
    }
    SourceKind kind = SourceKind.of(column);
    if (key && (kind == SourceKind.FLOAT || kind == SourceKind.DOUBLE)) {
      return new Refused(
          "type " + column.typeName() + " can't be a key: its values have no exact identity.",
          "Make it a DECIMAL at the source, or exclude the table with source.exclude.");
    }
    return mapping.map(column);
  }

  private static MappedType keyOf(SourceColumn column, DataType type) {
    return switch (type.root()) {
      case FLOAT, DOUBLE ->
          new Refused(
              "type " + type + " can't be a key: its values have no exact identity.",
              "Declare the column as DECIMAL, BIGINT or STRING.");
      case ARRAY, MAP, MULTISET, ROW, VARIANT ->
          new Refused("type " + type.root() + " can't be a key.", "Choose columns of plain types.");
      case BOOLEAN,
          TINYINT,
          SMALLINT,
          INT,
          BIGINT,
          DECIMAL,
          CHAR,
          VARCHAR,
          BINARY,
          VARBINARY,
          DATE,
          TIME,
          TIMESTAMP,
          TIMESTAMP_LTZ ->
          new MappedType.Lake(type);
    };
  }

  /**
   * Whether the source, asked for a row again after the redefinition, gives for every old row what
   * it gave before. The log doesn't say which rows an ALTER rewrote, so anything else is refused.
   */
  static boolean keepsValues(SourceColumn before, SourceColumn now) {
    if (before.equals(now)) {
      return true;
    }
    if (before.nullable() && !now.nullable()) {
      // In a lenient sql_mode NULL becomes 0 or '' without a word in the log.
      return false;
    }
    SourceKind from = SourceKind.of(before);
    SourceKind to = SourceKind.of(now);
    if (from != to) {
      return INTEGER_CHAINS.stream()
          .anyMatch(chain -> chain.contains(from) && chain.indexOf(from) < chain.indexOf(to));
    }
    return switch (from) {
      case TINYINT_ONE,
          TINYINT,
          TINYINT_UNSIGNED,
          SMALLINT,
          SMALLINT_UNSIGNED,
          MEDIUMINT,
          MEDIUMINT_UNSIGNED,
          INT,
          INT_UNSIGNED,
          BIGINT,
          BIGINT_UNSIGNED,
          YEAR,
          BIT_ONE,
          DATE,
          JSON ->
          true;
      case BITS, CHAR -> length(before, 1) <= length(now, 1) && keepsCharset(before, now);
      case DECIMAL -> length(before, 10) == length(now, 10) && scale(before) == scale(now);
      case FLOAT, DOUBLE -> length(before, -1) == length(now, -1) && scale(before) == scale(now);
      case DATETIME, TIMESTAMP, TIME -> length(before, 0) == length(now, 0);
      case BINARY -> length(before, 1) == length(now, 1);
      case TEXT, BLOB -> holdsAll(before, now) && keepsCharset(before, now);
      case ENUM, SET -> startsWith(now.labels(), before.labels()) && keepsCharset(before, now);
      case GEOMETRY, VECTOR, UUID, INET, UNKNOWN -> false;
    };
  }

  private static boolean keepsCharset(SourceColumn before, SourceColumn now) {
    String to = now.charset();
    return to == null || to.equals(before.charset()) || to.equalsIgnoreCase("utf8mb4");
  }

  private static boolean holdsAll(SourceColumn before, SourceColumn now) {
    Long bytesBefore = capacity(before);
    Long bytesNow = capacity(now);
    if (bytesBefore != null) {
      return bytesNow != null && bytesBefore <= bytesNow;
    }
    // VARCHAR(n) counts characters, of at most 4 bytes; the TEXT types count bytes.
    long declared = length(before, 0);
    return bytesNow == null ? declared <= length(now, 0) : declared * 4 <= bytesNow;
  }

  /** Bytes that a TEXT or BLOB type holds; null for those with a declared length. */
  private static @Nullable Long capacity(SourceColumn column) {
    return CAPACITY.get(column.typeName().toUpperCase(Locale.ROOT));
  }

  private static boolean startsWith(List<String> all, List<String> first) {
    return all.size() >= first.size() && all.subList(0, first.size()).equals(first);
  }

  private static int length(SourceColumn column, int otherwise) {
    Integer length = column.length();
    return length == null ? otherwise : length;
  }

  private static int scale(SourceColumn column) {
    Integer scale = column.scale();
    return scale == null ? 0 : scale;
  }
}
