package io.sluice.replicator.messages.avro;

import io.sluice.replicator.messages.BadMessageException;
import io.sluice.replicator.messages.BadMessageException.Reason;
import io.sluice.replicator.messages.Change;
import io.sluice.replicator.messages.ConnectOrigin;
import io.sluice.replicator.messages.MessageColumns;
import java.util.ArrayList;
import java.util.List;
import org.apache.avro.Schema;
import org.apache.avro.Schema.Field;
import org.apache.avro.Schema.Type;
import org.jspecify.annotations.Nullable;

/**
 * Reads Debezium's envelopes of one schema: {@code before}, {@code after}, {@code op}, and of
 * {@code source} the table and the commit's time. What else is in it is skipped. One thread.
 */
final class EnvelopeReader {

  private interface Step {
    void read(AvroInput in) throws BadMessageException;
  }

  private static final int NOT_THERE = -1;

  private final ConnectOrigin origin;
  private final RecordReader rows;
  private final List<Step> steps = new ArrayList<>();
  private final Change change;

  private final RepeatedText op = new RepeatedText();
  private final RepeatedText database = new RepeatedText();
  private final RepeatedText schema = new RepeatedText();
  private final RepeatedText table = new RepeatedText();
  private int beforeAt;
  private boolean hasAfter;
  private long millis;
  private long micros;

  private EnvelopeReader(Schema envelope, Schema row, Change change) {
    Field source = envelope.getField("source");
    this.origin =
        source == null
            ? ConnectOrigin.PLAIN
            : ConnectOrigin.ofSourceBlock(valueOf(source.schema()).getFullName());
    this.rows = RecordReader.compile(row, origin);
    this.change = change;
    for (Field field : envelope.getFields()) {
      Schema type = field.schema();
      Schema value = valueOf(type);
      steps.add(
          switch (field.name()) {
            case "before" ->
                optional(
                    type,
                    in -> {
                      beforeAt = in.position();
                      rows.read(in, change.fillBefore());
                    });
            case "after" ->
                optional(
                    type,
                    in -> {
                      hasAfter = true;
                      rows.read(in, change.row());
                    });
            case "op" -> value.getType() == Type.STRING ? optional(type, op::read) : skip(type);
            case "source" ->
                value.getType() == Type.RECORD ? optional(type, source(value)) : skip(type);
            default -> skip(type);
          });
    }
  }

  /**
   * @return null if messages of this schema change no rows: heartbeats, transactions, DDL
   * @throws BadMessageException it is no envelope
   */
  static @Nullable EnvelopeReader compile(Schema schema, Change change) throws BadMessageException {
    String name = schema.getType() == Type.RECORD ? schema.getFullName() : "";
    if (name.equals("io.debezium.connector.common.Heartbeat")
        || name.equals("io.debezium.connector.common.TransactionMetadataValue")
        || name.startsWith("io.debezium.connector.") && name.endsWith(".SchemaChangeValue")) {
      return null;
    }
    Field op = schema.getType() == Type.RECORD ? schema.getField("op") : null;
    Field after = op == null ? null : schema.getField("after");
    if (after == null) {
      throw new BadMessageException(
          Reason.INCOMPLETE,
          "schema "
              + (name.isEmpty() ? schema.getType().getName() : name)
              + " is no envelope of Debezium's (it has no op and after); rows without one are read"
              + " by format avro.");
    }
    Schema row = valueOf(after.schema());
    Field before = schema.getField("before");
    if (row.getType() != Type.RECORD || before != null && !valueOf(before.schema()).equals(row)) {
      throw new BadMessageException(
          Reason.INCOMPLETE,
          "envelope " + name + ": before and after are not records of one schema.");
    }
    return new EnvelopeReader(schema, row, change);
  }

  ConnectOrigin origin() {
    return origin;
  }

  MessageColumns columns() {
    return rows.columns();
  }

  /** The type in a union with null. */
  private static Schema valueOf(Schema schema) {
    if (schema.getType() == Type.UNION && schema.getTypes().size() == 2) {
      List<Schema> branches = schema.getTypes();
      if (branches.get(0).getType() == Type.NULL) {
        return branches.get(1);
      }
      if (branches.get(1).getType() == Type.NULL) {
        return branches.get(0);
      }
    }
    return schema;
  }

  private static Step optional(Schema schema, Step value) {
    if (schema.getType() != Type.UNION) {
      return value;
    }
    int nulls = schema.getTypes().get(0).getType() == Type.NULL ? 0 : 1;
    return in -> {
      if (in.readIndex(2, "a union") != nulls) {
        value.read(in);
      }
    };
  }

  private static Step skip(Schema schema) {
    return in -> AvroValues.skip(schema, in, 1);
  }

  private Step source(Schema source) {
    List<Step> fields = new ArrayList<>();
    for (Field field : source.getFields()) {
      Schema type = field.schema();
      boolean text = valueOf(type).getType() == Type.STRING;
      boolean number = valueOf(type).getType() == Type.LONG;
      String name = field.name();
      if (text && name.equals("db")) {
        fields.add(optional(type, database::read));
      } else if (text && name.equals("schema")) {
        fields.add(optional(type, schema::read));
      } else if (text && name.equals("table")) {
        fields.add(optional(type, table::read));
      } else if (number && name.equals("ts_us")) {
        fields.add(optional(type, in -> micros = in.readLong()));
      } else if (number && name.equals("ts_ms")) {
        fields.add(optional(type, in -> millis = in.readLong()));
      } else {
        fields.add(skip(type));
      }
    }
    return in -> {
      for (Step field : fields) {
        field.read(in);
      }
    };
  }

  /**
   * Reads one envelope to its end into the change.
   *
   * @return its op
   * @throws BadMessageException MALFORMED: no such bytes; INCOMPLETE: a part is missing that its op
   *     needs
   */
  Op read(AvroInput in) throws BadMessageException {
    op.clear();
    database.clear();
    schema.clear();
    table.clear();
    beforeAt = NOT_THERE;
    hasAfter = false;
    millis = 0;
    micros = 0;
    change.reset(Change.Kind.UPSERT);
    for (Step step : steps) {
      step.read(in);
    }
    in.requireEnd();
    Op read = Op.of(op.text());
    if (read == Op.UPSERT && !hasAfter) {
      throw new BadMessageException(
          Reason.INCOMPLETE,
          "op " + op.text() + " without the row that it leaves (after is null).");
    }
    if ("u".equals(op.text())) {
      change.markUpdate();
    }
    if (read == Op.DELETE || read == Op.TRUNCATE) {
      change.reset(read == Op.DELETE ? Change.Kind.DELETE : Change.Kind.TRUNCATE);
    }
    if (read == Op.DELETE && beforeAt != NOT_THERE) {
      in.goTo(beforeAt);
      rows.read(in, change.row());
    }
    change.setColumns(rows.columns());
    change.setTable(schema.text() != null ? schema.text() : database.text(), table.text());
    change.setSourceTimeMicros(sourceTime());
    return read;
  }

  /** What is no time is none. */
  private long sourceTime() {
    if (micros > 0) {
      return micros;
    }
    return millis > 0 && millis <= Long.MAX_VALUE / 1_000 ? millis * 1_000 : 0;
  }

  /** Whether the envelope that was read last has the former row. */
  boolean hasBefore() {
    return beforeAt != NOT_THERE;
  }

  /** What an envelope's {@code op} does. */
  enum Op {
    UPSERT,
    DELETE,
    TRUNCATE,
    /** A message of the application's, in the log but in no table. */
    NOTHING;

    static Op of(@Nullable String text) throws BadMessageException {
      if (text == null) {
        throw new BadMessageException(Reason.INCOMPLETE, "the envelope has no op.");
      }
      return switch (text) {
        case "c", "r", "u" -> UPSERT;
        case "d" -> DELETE;
        case "t" -> TRUNCATE;
        case "m" -> NOTHING;
        default ->
            throw new BadMessageException(
                Reason.INCOMPLETE,
                "op \""
                    + text.substring(0, Math.min(text.length(), 20))
                    + "\" is none of c, r, u, d, t and m.");
      };
    }
  }
}
