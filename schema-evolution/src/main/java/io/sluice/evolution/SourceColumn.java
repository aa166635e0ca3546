package io.sluice.evolution;

import io.sluice.lsm.schema.DataType;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One column as the source declares it.
 *
 * @param typeName upper case with its modifiers, e.g. {@code BIGINT UNSIGNED}, {@code DATETIME}
 * @param length declared length, precision or fraction digits (Debezium's {@code length}); null if
 *     none
 * @param scale of DECIMAL; null if none
 * @param charset of text columns; null if none
 * @param labels of ENUM and SET, unquoted, in order of definition; else empty
 * @param defaultExpression as the source tells it, for a generated column its expression; null if
 *     there is none or it is NULL. Not null means: rows that were there before the column was added
 *     may have a value in it
 * @param lakeType the lake column's type, where the source says nothing else or says it best
 *     (messages of a topic); null: it follows from what the source declares
 */
public record SourceColumn(
    String name,
    String typeName,
    @Nullable Integer length,
    @Nullable Integer scale,
    boolean nullable,
    @Nullable String charset,
    List<String> labels,
    @Nullable String defaultExpression,
    @Nullable DataType lakeType) {

  public SourceColumn {
    labels = List.copyOf(labels);
  }

  /** A column of a database. */
  public SourceColumn(
      String name,
      String typeName,
      @Nullable Integer length,
      @Nullable Integer scale,
      boolean nullable,
      @Nullable String charset,
      List<String> labels,
      @Nullable String defaultExpression) {
    this(name, typeName, length, scale, nullable, charset, labels, defaultExpression, null);
  }

  /** A column whose source tells the lake's type itself. */
  public static SourceColumn ofLake(String name, DataType type, boolean nullable) {
    DataType bare = type.withNullable(true);
    return new SourceColumn(
        name, bare.toString(), null, null, nullable, null, List.of(), null, bare);
  }

  /** The type as in a CREATE TABLE, e.g. {@code DECIMAL(10,3) UNSIGNED}. */
  public String typeText() {
    String inside;
    if (!labels.isEmpty()) {
      inside = "('" + String.join("','", labels) + "')";
    } else if (length == null) {
      inside = "";
    } else {
      inside = "(" + length + (scale == null ? "" : "," + scale) + ")";
    }
    int attributes = typeName.indexOf(" UNSIGNED");
    if (attributes < 0) {
      attributes = typeName.indexOf(" ZEROFILL");
    }
    int end = attributes < 0 ? typeName.length() : attributes;
    return typeName.substring(0, end) + inside + typeName.substring(end);
  }
}
