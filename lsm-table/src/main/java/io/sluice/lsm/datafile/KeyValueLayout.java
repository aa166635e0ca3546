package io.sluice.lsm.datafile;

import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.DataTypes;
import io.sluice.lsm.schema.TableOptions;
import io.sluice.lsm.schema.TableSchema;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Names, ids and order of the columns of a data file. Of a primary-key table (format description
 * section 7.1): {@code _KEY_*} of the trimmed primary key, {@code _SEQUENCE_NUMBER}, {@code
 * _VALUE_KIND}, then the table's columns. Of an append table (section 15): the table's columns.
 */
public final class KeyValueLayout {

  public static final String KEY_PREFIX = "_KEY_";
  public static final String SEQUENCE_NUMBER = "_SEQUENCE_NUMBER";
  public static final String VALUE_KIND = "_VALUE_KIND";

  /** Added to a column's id for its {@code _KEY_} twin. */
  public static final int KEY_ID_START = Integer.MAX_VALUE / 2;

  public static final int SEQUENCE_NUMBER_ID = Integer.MAX_VALUE - 1;
  public static final int VALUE_KIND_ID = Integer.MAX_VALUE - 2;

  private final List<DataField> fields = new ArrayList<>();
  private final int[] keys;
  private final int keyColumns;
  private final boolean append;

  /**
   * @param thin true leaves the {@code _KEY_} columns out (option data-file.thin-mode)
   */
  private KeyValueLayout(TableSchema schema, boolean thin) {
    append = schema.primaryKeys().isEmpty();
    keys = schema.rowType().positions(schema.trimmedPrimaryKeys());
    keyColumns = thin ? 0 : keys.length;
    for (int i = 0; i < keyColumns; i++) {
      DataField field = schema.rowType().field(keys[i]);
      fields.add(
          new DataField(
              field.id() + KEY_ID_START,
              KEY_PREFIX + field.name(),
              field.type().withNullable(false)));
    }
    if (!append) {
      fields.add(
          new DataField(SEQUENCE_NUMBER_ID, SEQUENCE_NUMBER, DataTypes.BIGINT.withNullable(false)));
      fields.add(new DataField(VALUE_KIND_ID, VALUE_KIND, DataTypes.TINYINT.withNullable(false)));
    }
    for (int i = 0; i < schema.rowType().size(); i++) {
      DataField field = schema.rowType().field(i);
      int column = i;
      boolean stays = append || Arrays.stream(keys).anyMatch(key -> key == column);
      fields.add(stays ? field : orNull(field));
    }
  }

  /** A retraction may lack all but the key, whatever the table demands of other records. */
  private static DataField orNull(DataField field) {
    return field.type().nullable() ? field : field.withType(field.type().withNullable(true));
  }

  /** As the schema's options want it. */
  public static KeyValueLayout of(TableSchema schema) {
    return TableOptions.of(schema).dataFiles().thinMode() ? thin(schema) : full(schema);
  }

  /** With the {@code _KEY_} columns. */
  public static KeyValueLayout full(TableSchema schema) {
    return new KeyValueLayout(schema, false);
  }

  /** Without them. */
  public static KeyValueLayout thin(TableSchema schema) {
    return new KeyValueLayout(schema, true);
  }

  /** Whether records have neither a number nor a kind: those of a table without a key. */
  public boolean append() {
    return append;
  }

  /** All columns of a file, in its order. */
  public List<DataField> fields() {
    return fields;
  }

  /** Positions of the trimmed primary key's columns among the table's columns. */
  public int[] keyPositions() {
    return keys.clone();
  }

  /** How many {@code _KEY_} columns come first. */
  public int keyColumns() {
    return keyColumns;
  }

  public int sequenceNumberPosition() {
    return keyColumns;
  }

  public int valueKindPosition() {
    return keyColumns + 1;
  }

  /** Where the table's columns begin. */
  public int firstValuePosition() {
    return append ? 0 : keyColumns + 2;
  }
}
