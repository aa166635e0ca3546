package io.sluice.replicator.messages;

import java.util.List;

/**
 * The columns that a message's own schema declares (a schema block, a schema of the registry, types
 * beside the values). A format gives the same object again as long as the schema is the same, so
 * that it can be told by identity.
 */
public final class MessageColumns {

  private final List<MessageColumn> columns;

  public MessageColumns(List<MessageColumn> columns) {
    this.columns = List.copyOf(columns);
  }

  /** In the schema's order. */
  public List<MessageColumn> columns() {
    return columns;
  }
}
