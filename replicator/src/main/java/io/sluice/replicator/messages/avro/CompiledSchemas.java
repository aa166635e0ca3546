package io.sluice.replicator.messages.avro;

import io.sluice.replicator.messages.BadMessageException;
import io.sluice.replicator.messages.BadMessageException.Reason;
import io.sluice.replicator.messages.registry.RegisteredSchema;
import io.sluice.replicator.messages.registry.SchemaId;
import io.sluice.replicator.messages.registry.SchemaRegistry;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.avro.AvroRuntimeException;
import org.apache.avro.NameValidator;
import org.apache.avro.Schema;
import org.jspecify.annotations.Nullable;

/**
 * What was made of each schema, the same object as long as it is kept: as many as the registry's
 * settings say. One thread.
 */
final class CompiledSchemas<T> {

  /** Makes something of a schema, once. */
  interface Compiler<T> {

    /**
     * @throws BadMessageException messages by this schema can't be read
     */
    T compile(Schema schema) throws BadMessageException;
  }

  private final SchemaRegistry registry;
  private final Compiler<T> compiler;
  private final Map<SchemaId, T> compiled = new LinkedHashMap<>(16, 0.75f, true);
  private @Nullable SchemaId lastId;
  private @Nullable T last;

  CompiledSchemas(SchemaRegistry registry, Compiler<T> compiler) {
    this.registry = registry;
    this.compiler = compiler;
  }

  /**
   * @throws BadMessageException there is no such schema, or none that can be read
   * @throws io.sluice.replicator.messages.registry.RegistryUnavailableException nobody knows
   */
  T get(SchemaId id) throws BadMessageException {
    T known = last;
    if (known != null && id.equals(lastId)) {
      return known;
    }
    known = compiled.get(id);
    if (known == null) {
      known = compiler.compile(parse(registry.schema(id)));
      compiled.put(id, known);
      if (compiled.size() > registry.settings().schemasMax()) {
        compiled.remove(compiled.keySet().iterator().next());
      }
    }
    lastId = id;
    last = known;
    return known;
  }

  private static Schema parse(RegisteredSchema registered) throws BadMessageException {
    if (!registered.type().equals("AVRO")) {
      throw new BadMessageException(
          Reason.MALFORMED,
          "schema " + registered.id() + " is of type " + registered.type() + ", not AVRO.");
    }
    // Data don't depend on names being legal or on defaults: whoever wrote them could use the
    // schema.
    var parser = new Schema.Parser(NameValidator.NO_VALIDATION).setValidateDefaults(false);
    try {
      registered.references().forEach(parser::parse);
      return parser.parse(registered.text());
    } catch (AvroRuntimeException e) {
      throw new BadMessageException(
          Reason.MALFORMED,
          "schema " + registered.id() + " of the registry is no Avro schema: " + e.getMessage(),
          e);
    }
  }
}
