package io.sluice.replicator.messages.json;

import io.sluice.replicator.messages.BadMessageException;
import io.sluice.replicator.messages.BadMessageException.Reason;
import io.sluice.replicator.messages.Change;
import io.sluice.replicator.messages.ConnectOrigin;
import io.sluice.replicator.messages.Message;
import io.sluice.replicator.messages.MessageFormat;
import java.util.List;

/**
 * Plain JSON: an object is a row as it is now, an array of objects is several. Where the message's
 * key is an object, too, its fields are the row's key, and the row has them also where the value
 * lacks them. The value {@code null} and one of no bytes say nothing.
 */
public final class JsonFormat implements MessageFormat {

  private final Tombstones tombstones;
  private final JsonInput input = new JsonInput();
  private final KeyFields key = new KeyFields(ConnectOrigin.PLAIN);
  private final Change change = new Change();

  /**
   * @param tombstones what a message with a key and without a value says; DELETE needs keys that
   *     are objects
   */
  public JsonFormat(Tombstones tombstones) {
    this.tombstones = tombstones;
  }

  @Override
  public void read(Message message, Changes changes) throws BadMessageException {
    byte[] value = message.value();
    if (value == null) {
      tombstone(message, key, tombstones, change, changes);
      return;
    }
    if (value.length == 0) {
      return;
    }
    List<String> primaryKey = key.read(message);
    input.open(value, 0, value.length);
    switch (input.kind()) {
      case OBJECT -> {
        readRow(primaryKey);
        input.end();
        changes.change(change);
      }
      case ARRAY -> {
        input.beginArray();
        for (int i = 0; input.nextElement(); i++) {
          if (input.kind() != JsonInput.Kind.OBJECT) {
            throw new BadMessageException(
                Reason.MALFORMED,
                "Element "
                    + i
                    + " of the array is "
                    + input.kind()
                    + ", where a row is an OBJECT.");
          }
          readRow(primaryKey);
          changes.change(change);
        }
        input.end();
      }
      case NULL -> {
        input.readNull();
        input.end();
        tombstone(message, key, tombstones, change, changes);
      }
      case BOOLEAN, NUMBER, TEXT ->
          throw new BadMessageException(
              Reason.MALFORMED,
              "The value is " + input.kind() + ", where a row is an OBJECT or an ARRAY of them.");
    }
  }

  private void readRow(List<String> primaryKey) throws BadMessageException {
    change.reset(Change.Kind.UPSERT);
    input.addObjectTo(change.row());
    key.addMissingTo(change.row());
    change.setPrimaryKey(primaryKey);
  }

  /** A message without a value, or with a JSON null. */
  static void tombstone(
      Message message, KeyFields key, Tombstones tombstones, Change change, Changes changes)
      throws BadMessageException {
    if (tombstones == Tombstones.SKIP) {
      return;
    }
    List<String> primaryKey = key.read(message);
    if (primaryKey.isEmpty()) {
      throw new BadMessageException(
          Reason.INCOMPLETE,
          "A message without a value deletes the row of its key (tombstones = delete), and its key"
              + " is no JSON object that names the key's fields.");
    }
    change.reset(Change.Kind.DELETE);
    key.convert();
    key.addMissingTo(change.row());
    change.setPrimaryKey(primaryKey);
    changes.change(change);
  }
}
