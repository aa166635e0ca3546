package io.sluice.replicator.messages.registry;

import java.util.UUID;

/**
 * What a message calls its schema.
 *
 * @param high of a {@link Kind#GUID} its upper half, else 0
 * @param low the number, or a GUID's lower half
 */
public record SchemaId(Kind kind, long high, long low) {

  /** Whose numbers they are. */
  public enum Kind {
    /** A number of Confluent's interface. */
    NUMBER,
    /** A GUID of Confluent's interface. */
    GUID,
    /** Apicurio's number of an artifact's version. */
    APICURIO_GLOBAL,
    /** Apicurio's number of a content. */
    APICURIO_CONTENT
  }

  public static SchemaId number(int id) {
    return new SchemaId(Kind.NUMBER, 0, id);
  }

  @Override
  public String toString() {
    return switch (kind) {
      case NUMBER -> Long.toString(low);
      case GUID -> new UUID(high, low).toString();
      case APICURIO_GLOBAL -> "globalId " + low;
      case APICURIO_CONTENT -> "contentId " + low;
    };
  }
}
