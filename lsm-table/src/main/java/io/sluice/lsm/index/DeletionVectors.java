package io.sluice.lsm.index;

import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.error.CorruptTableException;
import io.sluice.lsm.io.FileIO;
import io.sluice.lsm.io.TablePaths;
import io.sluice.lsm.manifest.IndexEntry;
import io.sluice.lsm.manifest.IndexEntry.Range;
import io.sluice.lsm.manifest.ManifestStore;
import java.io.EOFException;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The deletion vectors of a snapshot: where each stands, read when asked for. Thread safe.
 *
 * <p>In tables with deletion vectors a key has, above level 0, at most one row that is not marked
 * here; rows that are marked were replaced or deleted.
 */
public final class DeletionVectors {

  /** Of a snapshot without any. */
  public static final DeletionVectors NONE =
      new DeletionVectors((path, at) -> new byte[0], Map.of());

  private static final int INT_BYTES = 4;

  /** Of files in the folders of data no two have one name, but a bucket is asked for its own. */
  private record Key(BinaryRow partition, int bucket, String dataFile) {}

  private record Place(String path, Range range) {}

  @FunctionalInterface
  private interface Bytes {
    byte[] read(String path, Range at) throws IOException;
  }

  private final Bytes bytes;
  private final Map<Key, Place> places;

  private DeletionVectors(Bytes bytes, Map<Key, Place> places) {
    this.bytes = bytes;
    this.places = places;
  }

  /**
   * Those that a snapshot's index manifest names.
   *
   * @param indexManifest may be null: there are none
   * @throws CorruptTableException if a data file has two
   */
  public static DeletionVectors of(
      FileIO fileIO, TablePaths paths, ManifestStore manifests, @Nullable String indexManifest)
      throws IOException {
    if (indexManifest == null) {
      return NONE;
    }
    Map<Key, Place> places = new HashMap<>();
    for (IndexEntry entry : manifests.indexes().read(indexManifest)) {
      if (!entry.type().equals(IndexEntry.DELETION_VECTORS)) {
        continue;
      }
      String external = entry.externalPath();
      String path = external == null ? paths.index(entry.fileName()) : external;
      for (Range range : entry.ranges()) {
        Key key = new Key(entry.partition(), entry.bucket(), range.dataFile());
        if (places.put(key, new Place(path, range)) != null) {
          throw new CorruptTableException(
              paths.manifest(indexManifest)
                  + " names two deletion vectors for the data file "
                  + range.dataFile()
                  + ". Keep the files and compare the last commits of its writers.");
        }
      }
    }
    return places.isEmpty()
        ? NONE
        : new DeletionVectors((path, at) -> read(fileIO, path, at), Map.copyOf(places));
  }

  public boolean isEmpty() {
    return places.isEmpty();
  }

  /**
   * The vector of a data file; null if no row of it is deleted.
   *
   * @param rowCount of the data file
   * @throws CorruptTableException if the vector is damaged or does not fit the file
   */
  public @Nullable DeletionVector find(
      BinaryRow partition, int bucket, String dataFile, long rowCount) throws IOException {
    Place place = places.get(new Key(partition, bucket, dataFile));
    if (place == null) {
      return null;
    }
    try {
      DeletionVector vector = DeletionVector.parse(bytes.read(place.path(), place.range()));
      Long cardinality = place.range().cardinality();
      if (cardinality != null && cardinality != vector.cardinality()) {
        throw new IOException(
            "it deletes " + vector.cardinality() + " rows, the manifest says " + cardinality);
      }
      if (vector.last() >= rowCount) {
        throw new IOException("it deletes row " + vector.last() + " of " + rowCount);
      }
      return vector;
    } catch (EOFException | java.io.FileNotFoundException e) {
      throw e;
    } catch (IOException e) {
      throw damaged(place, e);
    }
  }

  /** The data files that have a vector, of one bucket. */
  public List<String> dataFiles(BinaryRow partition, int bucket) {
    return places.keySet().stream()
        .filter(key -> key.bucket() == bucket && key.partition().equals(partition))
        .map(Key::dataFile)
        .sorted()
        .toList();
  }

  private static CorruptTableException damaged(Place place, IOException cause) {
    return new CorruptTableException(
        "The deletion vector of "
            + place.range().dataFile()
            + " at byte "
            + place.range().offset()
            + " of "
            + place.path()
            + " can't be used: "
            + cause.getMessage()
            + ". Without it rows that were deleted would come back; restore the file from a copy.",
        cause);
  }

  private static byte[] read(FileIO fileIO, String path, Range at) throws IOException {
    Place place = new Place(path, at);
    try (FileIO.RandomReader file = fileIO.open(path)) {
      byte[] head = new byte[INT_BYTES];
      long left = file.length() - at.offset();
      if (at.offset() < 0 || at.length() < 0 || left < 3 * INT_BYTES) {
        throw damaged(place, new IOException("the file has only " + file.length() + " bytes"));
      }
      file.readFully(at.offset(), head, 0, INT_BYTES);
      long size = java.nio.ByteBuffer.wrap(head).getInt();
      // The manifest counts the size field and the checksum in one of the two forms.
      if (size != at.length() && size + 2 * INT_BYTES != at.length()) {
        throw damaged(
            place,
            new IOException("its size says " + size + ", the manifest " + at.length() + " bytes"));
      }
      if (size < 0 || size + 2 * INT_BYTES > left) {
        throw damaged(place, new IOException("the file ends within it"));
      }
      byte[] content = new byte[(int) size + 2 * INT_BYTES];
      file.readFully(at.offset(), content, 0, content.length);
      return content;
    }
  }
}
