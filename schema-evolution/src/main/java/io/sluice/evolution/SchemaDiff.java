package io.sluice.evolution;

import io.sluice.evolution.SchemaChange.AddedColumn;
import io.sluice.evolution.SchemaChange.Evolve;
import io.sluice.evolution.SchemaChange.None;
import io.sluice.evolution.SchemaChange.Refused;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.DataType;
import io.sluice.lsm.schema.RowType;
import io.sluice.lsm.schema.TableSchema;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** A changed source table to what its lake table must become. Pure. */
public final class SchemaDiff {

  private static final String REMEDY =
      " This version follows added columns only. Undo the change at the source, or exclude the"
          + " table with source.exclude to go on without it.";

  private static final String AFRESH =
      " Move the lake table's folder away and ask for the copy again: it is made anew then.";

  private SchemaDiff() {}

  /**
   * Compares a source table's new definition with its former one and with the lake table.
   *
   * <p>Columns are matched by name and may stand in another order; an added one goes to the end of
   * the lake's columns wherever the source has it. A redefinition that keeps the lake's type and
   * every stored value (a longer VARCHAR, another default) is no change. Applying a change twice is
   * no change the second time.
   *
   * @param before the definition that the lake table was last made to fit; null if it isn't known,
   *     then the lake's types alone decide
   * @param current the lake table's newest schema
   * @param timeMillis epoch milliseconds, the new schema's time of creation
   */
  public static SchemaChange diff(
      @Nullable SourceTable before,
      SourceTable now,
      TableSchema current,
      boolean tinyIntOneAsBoolean,
      long timeMillis) {
    String table = "Table " + now.id();
    if (!Set.copyOf(now.primaryKey()).equals(Set.copyOf(current.primaryKeys()))) {
      return new Refused(
          table
              + ": the primary key is "
              + now.primaryKey()
              + ", in the lake it is "
              + current.primaryKeys()
              + "."
              + REMEDY);
    }
    Map<String, SourceColumn> columns = byName(now);
    Map<String, SourceColumn> columnsBefore = before == null ? Map.of() : byName(before);
    Set<String> gone = new TreeSet<>();
    for (DataField field : current.rowType().fields()) {
      boolean ofTheSource = before == null || columnsBefore.containsKey(field.name());
      if (ofTheSource && !columns.containsKey(field.name())) {
        gone.add(field.name());
      }
    }
    if (!gone.isEmpty()) {
      return new Refused(
          table + ": column " + String.join(", ", gone) + " was dropped or renamed." + REMEDY);
    }
    TypeMapping mapping = new TypeMapping(tinyIntOneAsBoolean);
    List<DataField> fields = new ArrayList<>(current.rowType().fields());
    List<AddedColumn> added = new ArrayList<>();
    int highestId = current.highestFieldId();
    for (SourceColumn column : now.columns()) {
      boolean key = now.primaryKey().contains(column.name());
      MappedType mapped = ColumnRules.map(mapping, column, key);
      if (mapped instanceof MappedType.Refused refused) {
        return new Refused(
            table + ", column " + column.name() + ": " + refused.reason() + " " + refused.remedy());
      }
      DataType type = ((MappedType.Lake) mapped).type().withNullable(!key);
      int position = current.rowType().position(column.name());
      if (position < 0) {
        fields.add(new DataField(++highestId, column.name(), type));
        boolean oldRowsHaveValue = !column.nullable() || column.defaultExpression() != null;
        added.add(new AddedColumn(column.name(), oldRowsHaveValue));
        continue;
      }
      String fault =
          redefined(
              columnsBefore.get(column.name()), column, current.rowType().type(position), type);
      if (fault != null) {
        return new Refused(table + ", column " + column.name() + ": " + fault + REMEDY);
      }
    }
    if (added.isEmpty()) {
      return new None();
    }
    return new Evolve(
        new TableSchema(
            current.id() + 1,
            new RowType(fields),
            highestId,
            current.partitionKeys(),
            current.primaryKeys(),
            current.options(),
            current.comment(),
            timeMillis),
        added);
  }

  /**
   * The same for a table whose rows are all copied again: columns that the source has no more go,
   * and a column of another type makes room for a new one of the same name, which holds nothing
   * until its rows are copied.
   *
   * @return refused: another primary key, another type of a key column, a column that the lake has
   *     no type for
   */
  public static SchemaChange forNewCopy(
      SourceTable now, TableSchema current, boolean tinyIntOneAsBoolean, long timeMillis) {
    String table = "Table " + now.id();
    if (!Set.copyOf(now.primaryKey()).equals(Set.copyOf(current.primaryKeys()))) {
      return new Refused(
          table
              + ": the primary key is "
              + now.primaryKey()
              + ", in the lake it is "
              + current.primaryKeys()
              + ", and a lake table's key can't be changed."
              + AFRESH);
    }
    TypeMapping mapping = new TypeMapping(tinyIntOneAsBoolean);
    Map<String, DataType> types = new LinkedHashMap<>();
    for (SourceColumn column : now.columns()) {
      boolean key = now.primaryKey().contains(column.name());
      MappedType mapped = ColumnRules.map(mapping, column, key);
      if (mapped instanceof MappedType.Refused refused) {
        return new Refused(
            table + ", column " + column.name() + ": " + refused.reason() + " " + refused.remedy());
      }
      types.put(column.name(), ((MappedType.Lake) mapped).type().withNullable(!key));
    }
    List<DataField> fields = new ArrayList<>();
    for (DataField field : current.rowType().fields()) {
      DataType type = types.get(field.name());
      if (type != null && type.withNullable(true).equals(field.type().withNullable(true))) {
        fields.add(field);
        types.remove(field.name());
      } else if (now.primaryKey().contains(field.name())) {
        return new Refused(
            table
                + ", column "
                + field.name()
                + ": it is "
                + type
                + ", the lake has "
                + field.type()
                + ", and the type of a key column can't be changed."
                + AFRESH);
      }
    }
    if (types.isEmpty() && fields.size() == current.rowType().size()) {
      return new None();
    }
    int highestId = current.highestFieldId();
    List<AddedColumn> added = new ArrayList<>();
    for (Map.Entry<String, DataType> column : types.entrySet()) {
      fields.add(new DataField(++highestId, column.getKey(), column.getValue()));
      added.add(new AddedColumn(column.getKey(), true));
    }
    return new Evolve(
        new TableSchema(
            current.id() + 1,
            new RowType(fields),
            highestId,
            current.partitionKeys(),
            current.primaryKeys(),
            current.options(),
            current.comment(),
            timeMillis),
        added);
  }

  /**
   * The same for a table that is gathered from messages ({@link TableKind#GATHERED}): columns that
   * are in no message any more stay, types become wider by {@link TypeLattice}, and old rows have
   * nothing in an added column. Options that say how columns merge ({@code fields...}) follow the
   * wanted ones; all others stay as the table was made.
   *
   * @param options the wanted table options
   * @return refused: another primary key, a key column of another type, a type that can't become
   *     the wanted one without changing values
   */
  public static SchemaChange gathered(
      SourceTable now, TableSchema current, Map<String, String> options, long timeMillis) {
    String table = "Table " + now.id();
    if (!Set.copyOf(now.primaryKey()).equals(Set.copyOf(current.primaryKeys()))) {
      return new Refused(
          table
              + ": its key is "
              + now.primaryKey()
              + ", in the lake it is "
              + current.primaryKeys()
              + ", and a lake table's key can't be changed. Set primary-key to the lake's, or send"
              + " the rows to another table with a rule in tables.rules (into).");
    }
    TypeMapping mapping = new TypeMapping(false);
    List<DataField> fields = new ArrayList<>(current.rowType().fields());
    List<AddedColumn> added = new ArrayList<>();
    List<String> widened = new ArrayList<>();
    int highestId = current.highestFieldId();
    for (SourceColumn column : now.columns()) {
      boolean key = now.primaryKey().contains(column.name());
      MappedType mapped = ColumnRules.map(mapping, column, key);
      if (mapped instanceof MappedType.Refused refused) {
        return new Refused(
            table + ", column " + column.name() + ": " + refused.reason() + " " + refused.remedy());
      }
      DataType wanted = ((MappedType.Lake) mapped).type().withNullable(true);
      int position = current.rowType().position(column.name());
      if (position < 0) {
        int id = ++highestId;
        NestedIds nested = new NestedIds(id);
        fields.add(new DataField(id, column.name(), nested.renumbered(wanted)));
        highestId = nested.highest();
        added.add(new AddedColumn(column.name(), false));
        continue;
      }
      DataField field = current.rowType().field(position);
      DataType lake = field.type().withNullable(true);
      DataType joined = TypeLattice.join(lake, wanted);
      if (joined == null || key && !joined.equals(lake)) {
        return new Refused(
            table
                + ", column "
                + column.name()
                + ": it would have to be "
                + wanted
                + " too, and the lake has "
                + lake
                + (joined == null
                    ? "; no type holds the values of both."
                    : ". A key column's type can't be changed.")
                + " Declare the column's type with columns in tables.rules, or correct the"
                + " messages.");
      }
      if (!joined.equals(lake)) {
        DataType type = joined.withNullable(field.type().nullable());
        fields.set(position, new DataField(field.id(), field.name(), type));
        widened.add(column.name());
      }
    }
    Map<String, String> merged = new LinkedHashMap<>(current.options());
    for (Map.Entry<String, String> option : options.entrySet()) {
      String fault = MergingOptions.follow(merged, option.getKey(), option.getValue());
      if (fault != null) {
        return new Refused(table + ": " + fault);
      }
    }
    if (added.isEmpty() && widened.isEmpty() && merged.equals(current.options())) {
      return new None();
    }
    return new Evolve(
        new TableSchema(
            current.id() + 1,
            new RowType(fields),
            highestId,
            current.partitionKeys(),
            current.primaryKeys(),
            merged,
            current.comment(),
            timeMillis),
        added,
        widened);
  }

  /** What is wrong with a column that the lake has already; null if nothing is. */
  private static @Nullable String redefined(
      @Nullable SourceColumn before, SourceColumn now, DataType lake, DataType mapped) {
    if (!lake.withNullable(true).equals(mapped.withNullable(true))) {
      return "it is "
          + describe(now)
          + (before == null ? "" : ", it was " + describe(before))
          + "; that is "
          + mapped.withNullable(true)
          + " in the lake, the lake has "
          + lake.withNullable(true)
          + ".";
    }
    if (before != null && !ColumnRules.keepsValues(before, now)) {
      return "it was "
          + describe(before)
          + " and is now "
          + describe(now)
          + "; that may have changed values of rows which the lake has.";
    }
    return null;
  }

  /** A column's type as in a CREATE TABLE, e.g. {@code DECIMAL(10,3) NOT NULL}. */
  static String describe(SourceColumn column) {
    StringBuilder text = new StringBuilder(column.typeText());
    if (column.charset() != null) {
      text.append(" CHARACTER SET ").append(column.charset());
    }
    return text.append(column.nullable() ? "" : " NOT NULL").toString();
  }

  private static Map<String, SourceColumn> byName(SourceTable table) {
    Map<String, SourceColumn> result = new LinkedHashMap<>();
    table.columns().forEach(column -> result.put(column.name(), column));
    return result;
  }
}
