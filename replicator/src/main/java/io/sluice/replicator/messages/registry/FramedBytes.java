package io.sluice.replicator.messages.registry;

import io.sluice.replicator.messages.BadMessageException;
import io.sluice.replicator.messages.BadMessageException.Reason;
import io.sluice.replicator.messages.Message;
import io.sluice.replicator.messages.registry.RegistrySettings.IdLayout;
import io.sluice.replicator.messages.registry.SchemaId.Kind;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Finds which schema a key or value was written by and where its data begin. Headers come first:
 *
 * <pre>
 * __key_schema_id, __value_schema_id            00 and 4 bytes of an id, or 01 and 16 of a GUID
 * apicurio.{key,value}.globalId, .contentId     8 bytes (4 are taken, too)
 * </pre>
 *
 * <p>With one of these the bytes are data from the first; else they begin with 00 and an id of 4 or
 * 8 bytes ({@link IdLayout}), or with 01 and a GUID. All numbers are big-endian. Used again for the
 * next; one thread.
 */
public final class FramedBytes {

  /** Which of a message's two parts. */
  public enum Part {
    KEY("__key_schema_id", "apicurio.key."),
    VALUE("__value_schema_id", "apicurio.value.");

    private final String confluent;
    private final String globalId;
    private final String contentId;
    private final String encoding;

    Part(String confluent, String apicurio) {
      this.confluent = confluent;
      this.globalId = apicurio + "globalId";
      this.contentId = apicurio + "contentId";
      this.encoding = apicurio + "encoding";
    }

    String text() {
      return this == KEY ? "key" : "value";
    }
  }

  private static final int ID_BYTES = 5;
  private static final int GUID_BYTES = 17;

  private final IdLayout layout;
  private SchemaId id = SchemaId.number(0);
  private int start;

  public FramedBytes(IdLayout layout) {
    this.layout = layout;
  }

  /** The schema of what {@link #open} opened last. */
  public SchemaId id() {
    return id;
  }

  /** Where its data begin. */
  public int start() {
    return start;
  }

  /**
   * @param bytes the message's key or value
   * @throws BadMessageException MALFORMED: no id where one should be
   */
  public void open(Message message, Part part, byte[] bytes) throws BadMessageException {
    if (!fromHeaders(message.headers(), part)) {
      fromFront(part, bytes);
    }
  }

  private boolean fromHeaders(List<Message.Header> headers, Part part) throws BadMessageException {
    boolean found = false;
    for (int i = 0; i < headers.size(); i++) {
      Message.Header header = headers.get(i);
      byte[] value = header.value();
      String name = header.name();
      if (value == null) {
        continue;
      }
      if (name.equals(part.confluent)) {
        if (!readFront(value, ID_BYTES, Kind.NUMBER) || start != value.length) {
          throw malformed("header " + name + " holds neither an id nor a GUID");
        }
        found = true;
      } else if (name.equals(part.globalId) || name.equals(part.contentId)) {
        if (value.length != 8 && value.length != 4) {
          throw malformed("header " + name + " has " + value.length + " bytes, an id has 8 (or 4)");
        }
        boolean global = name.equals(part.globalId);
        // A content is what data are written by: the surer of the two if both are there.
        if (!found || !global) {
          use(
              global ? Kind.APICURIO_GLOBAL : Kind.APICURIO_CONTENT,
              0,
              bigEndian(value, 0, value.length));
        }
        found = true;
      } else if (name.equals(part.encoding) && !isBinary(value)) {
        throw malformed("header " + name + " says that the data are not Avro's binary form");
      }
    }
    if (found) {
      start = 0;
    }
    return found;
  }

  private void fromFront(Part part, byte[] bytes) throws BadMessageException {
    boolean confluent = layout == IdLayout.CONFLUENT;
    Kind kind =
        confluent
            ? Kind.NUMBER
            : layout == IdLayout.APICURIO_GLOBAL ? Kind.APICURIO_GLOBAL : Kind.APICURIO_CONTENT;
    int length = confluent ? ID_BYTES : 1 + Long.BYTES;
    if (!readFront(bytes, length, kind)) {
      String first = bytes.length == 0 ? "is empty" : "begins with byte " + (bytes[0] & 0xff);
      throw malformed(
          "the "
              + part.text()
              + " "
              + first
              + " and has "
              + bytes.length
              + " bytes; one that names its schema begins with 0 and an id of "
              + (length - 1)
              + " bytes");
    }
  }

  private boolean readFront(byte[] bytes, int length, Kind kind) {
    if (bytes.length >= length && bytes[0] == 0) {
      use(kind, 0, bigEndian(bytes, 1, length - 1));
      start = length;
      return true;
    }
    if (bytes.length >= GUID_BYTES && bytes[0] == 1) {
      use(Kind.GUID, bigEndian(bytes, 1, 8), bigEndian(bytes, 9, 8));
      start = GUID_BYTES;
      return true;
    }
    return false;
  }

  /** The same object as long as it is the same id. */
  private void use(Kind kind, long high, long low) {
    if (id.kind() != kind || id.high() != high || id.low() != low) {
      id = new SchemaId(kind, high, low);
    }
  }

  private static boolean isBinary(byte[] value) {
    return new String(value, StandardCharsets.ISO_8859_1).equalsIgnoreCase("BINARY");
  }

  private static long bigEndian(byte[] bytes, int at, int length) {
    // Ids are signed.
    long value = bytes[at];
    for (int i = at + 1; i < at + length; i++) {
      value = value << 8 | bytes[i] & 0xff;
    }
    return value;
  }

  private static BadMessageException malformed(String what) {
    return new BadMessageException(Reason.MALFORMED, what + ".");
  }
}
