package io.sluice.lsm.manifest;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.lsm.testing.MemoryFileIO;
import java.io.IOException;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.apache.avro.generic.IndexedRecord;
import org.junit.jupiter.api.Test;

class AvroFilesTest {

  /** Avro prepares things by schema object and never lets go of them. */
  @Test
  void readsFilesOfOneSchemaWithOneSchemaObject() throws IOException {
    Schema schema = SchemaBuilder.record("r").fields().requiredLong("number").endRecord();
    MemoryFileIO storage = new MemoryFileIO();
    Set<Schema> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    for (int i = 0; i < 10; i++) {
      String path = "/manifest/file-" + i;
      AvroFiles.Builder<Long> file =
          new AvroFiles.Builder<>(
              schema, AvroFiles.codec("zstd"), path, (value, out) -> out.writeLong(value));
      file.add((long) i);
      AvroFiles.store(storage, List.of(new AvroFiles.NewFile(path, file.finish())));
      AvroFiles.read(storage, path, null, IndexedRecord::getSchema).forEach(seen::add);
    }
    assertThat(seen).hasSize(1);
  }
}
