package io.sluice.lsm.merge;

import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.schema.TableSchema;
import java.util.Comparator;

/**
 * Orders trimmed primary keys in the form in which manifests hold them ({@code
 * DataFileMeta.minKey}): an arity header of 4 bytes, then a {@link BinaryRow}. Thread safe.
 */
public final class SerializedKeyComparator implements Comparator<byte[]> {

  private static final int HEADER_BYTES = 4;

  private final int arity;
  private final KeyComparator keys;

  public SerializedKeyComparator(TableSchema schema) {
    this.arity = schema.trimmedPrimaryKeys().size();
    this.keys = KeyComparator.ofKeys(schema);
  }

  @Override
  public synchronized int compare(byte[] a, byte[] b) {
    return keys.compare(view(a), view(b));
  }

  private BinaryRow view(byte[] key) {
    return new BinaryRow(arity, key, HEADER_BYTES, key.length - HEADER_BYTES);
  }
}
