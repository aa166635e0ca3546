package io.sluice.lsm.manifest;

import io.sluice.lsm.binary.BinaryRow;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One index file of a table (format description section 4.5).
 *
 * @param type {@link #DELETION_VECTORS}, {@link #HASH}, or one that this engine does not know
 * @param fileName in the folder {@code index}
 * @param fileSize bytes
 * @param rowCount deletion vectors, or hashes, in the file
 * @param ranges where the deletion vectors of data files stand; empty for other types
 * @param externalPath full path of a file outside of the table's folder
 */
public record IndexEntry(
    BinaryRow partition,
    int bucket,
    String type,
    String fileName,
    long fileSize,
    long rowCount,
    List<Range> ranges,
    @Nullable String externalPath) {

  public static final String DELETION_VECTORS = "DELETION_VECTORS";
  public static final String HASH = "HASH";

  public IndexEntry {
    ranges = List.copyOf(ranges);
  }

  /**
   * A deletion vector within an index file.
   *
   * @param offset bytes from the start of the file
   * @param length as the format counts it: without size and checksum in the 32-bit form
   * @param cardinality rows deleted; null in old files
   */
  public record Range(String dataFile, int offset, int length, @Nullable Long cardinality) {}
}
