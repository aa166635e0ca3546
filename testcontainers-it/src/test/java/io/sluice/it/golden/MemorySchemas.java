package io.sluice.it.golden;

import io.apicurio.registry.resolver.SchemaLookupResult;
import io.apicurio.registry.resolver.SchemaParser;
import io.apicurio.registry.resolver.SchemaResolver;
import io.apicurio.registry.resolver.data.Record;
import io.apicurio.registry.resolver.strategy.ArtifactReference;
import io.apicurio.registry.resolver.strategy.ArtifactReferenceResolverStrategy;
import io.apicurio.registry.rest.client.RegistryClient;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.avro.Schema;
import org.jspecify.annotations.Nullable;

/** Where Apicurio's converter registers its schemas: here, instead of a registry. */
public final class MemorySchemas implements SchemaResolver<Schema, Object> {

  /** Schemas by their id, which is their place and 1. The converter makes its resolver itself. */
  private static final List<String> TEXTS = new ArrayList<>();

  private @Nullable SchemaParser<Schema, Object> parser;

  /** Called by Apicurio's serializer. */
  public MemorySchemas() {}

  static synchronized void forget() {
    TEXTS.clear();
  }

  static synchronized List<String> texts() {
    return List.copyOf(TEXTS);
  }

  private static synchronized long id(String text) {
    int known = TEXTS.indexOf(text);
    if (known < 0) {
      TEXTS.add(text);
      known = TEXTS.size() - 1;
    }
    return known + 1L;
  }

  @Override
  public void configure(Map<String, ?> settings, SchemaParser<Schema, Object> schemaParser) {
    parser = schemaParser;
  }

  @Override
  public SchemaLookupResult<Schema> resolveSchema(Record<Object> record) {
    var schema = getSchemaParser().getSchemaFromData(record);
    long id = id(schema.getParsedSchema().toString());
    // Two ids that differ, so that taking one for the other shows.
    return SchemaLookupResult.<Schema>builder()
        .parsedSchema(schema)
        .globalId(id)
        .contentId(id + 1_000)
        .groupId("default")
        .artifactId(schema.getParsedSchema().getFullName())
        .version("1")
        .build();
  }

  @Override
  public SchemaParser<Schema, Object> getSchemaParser() {
    if (parser == null) {
      throw new IllegalStateException("Not configured");
    }
    return parser;
  }

  @Override
  public SchemaLookupResult<Schema> resolveSchemaByArtifactReference(ArtifactReference reference) {
    throw new UnsupportedOperationException("Only for readers");
  }

  @Override
  public void setClient(@Nullable RegistryClient client) {
    // There is none.
  }

  @Override
  public void setArtifactResolverStrategy(
      ArtifactReferenceResolverStrategy<Schema, Object> strategy) {
    // Names of artifacts are in no message.
  }

  @Override
  public void reset() {
    // Nothing is cached.
  }

  @Override
  public void close() {
    // Nothing is open.
  }
}
