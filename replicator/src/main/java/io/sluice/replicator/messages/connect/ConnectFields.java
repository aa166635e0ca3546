package io.sluice.replicator.messages.connect;

import io.sluice.replicator.messages.BadMessageException;
import io.sluice.replicator.messages.FieldRow;
import io.sluice.replicator.messages.MessageColumns;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The fields of a row as one Connect schema declares them. Immutable. */
public final class ConnectFields {

  private final ConnectField[] fields;
  private final String[] names;
  private final Map<String, ConnectField> byName = new HashMap<>();
  private final MessageColumns columns;

  public ConnectFields(List<ConnectField> fields) {
    this.fields = fields.toArray(ConnectField[]::new);
    this.names = fields.stream().map(each -> each.column().name()).toArray(String[]::new);
    this.columns = new MessageColumns(fields.stream().map(ConnectField::column).toList());
    for (ConnectField field : fields) {
      byName.put(field.column().name(), field);
    }
  }

  /** What they are as columns; the same object for the life of this one. */
  public MessageColumns columns() {
    return columns;
  }

  /**
   * Turns the values of a row, as they were read, into what they stand for. Fields that the schema
   * doesn't know stay as they are.
   *
   * @throws BadMessageException a value is not what its type allows
   */
  public void convert(FieldRow row) throws BadMessageException {
    for (int i = 0; i < row.size(); i++) {
      String name = row.name(i);
      // A row has its schema's order; names are the same objects for the most part.
      ConnectField field = i < names.length && same(names[i], name) ? fields[i] : find(name);
      if (field != null) {
        field.convert(row, i);
      }
    }
  }

  @SuppressWarnings({"ReferenceEquality", "StringEquality"})
  private static boolean same(String one, String other) {
    return one == other || one.equals(other);
  }

  private @Nullable ConnectField find(String name) {
    return byName.get(name);
  }
}
