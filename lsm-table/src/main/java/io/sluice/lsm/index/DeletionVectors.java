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
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The deletion vectors of a snapshot: where each stands, read when asked for. Thread safe.
 *
 * <p>In tables with deletion vectors a key has, above level 0, at most one row that is not marked
 * here; rows that are marked were replaced or deleted.
 *
 * <p>An index file is a byte for the version, 1, and then one vector after the other. It names
 * neither its table nor the data files: that a vector is the right one is told by what the index
 * manifest says of it alone, which is held against the file wholly: length of the file and of the
 * vector, and rows deleted. An index file of another snapshot that agrees in these is taken for the
 * right one.
 */
public final class DeletionVectors {

  /** Of a snapshot without any. */
  public static final DeletionVectors NONE = new DeletionVectors(place -> new byte[0], Map.of());

  private static final int INT_BYTES = 4;
  private static final int VERSION = 1;
  private static final int VERSION_BYTES = 1;

  /** Of files in the folders of data no two have one name, but a bucket is asked for its own. */
  private record Key(BinaryRow partition, int bucket, String dataFile) {}

  /**
   * @param fileSize bytes that the index file has by its manifest
   */
  private record Place(String path, long fileSize, Range range) {}

  @FunctionalInterface
  private interface Bytes {
    byte[] read(Place place) throws IOException;
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
   * @throws CorruptTableException if a data file has two, or vectors lack or don't stand apart from
   *     each other
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
      requireApart(paths.manifest(indexManifest), entry);
      for (Range range : entry.ranges()) {
        Key key = new Key(entry.partition(), entry.bucket(), range.dataFile());
        if (places.put(key, new Place(path, entry.fileSize(), range)) != null) {
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
        : new DeletionVectors(place -> read(fileIO, place), Map.copyOf(places));
  }

  /** All of a file's vectors are told of, and each has its own bytes. */
  private static void requireApart(String manifest, IndexEntry entry) {
    String wrong = null;
    if (entry.ranges().size() != entry.rowCount()) {
      wrong = "it tells of " + entry.ranges().size() + " of " + entry.rowCount();
    }
    List<Range> sorted = new ArrayList<>(entry.ranges());
    sorted.sort(Comparator.comparingInt(Range::offset));
    long end = VERSION_BYTES;
    for (Range range : sorted) {
      if (range.offset() < end || range.length() < 0) {
        wrong = "the one at byte " + range.offset() + " begins before byte " + end;
      }
      end = (long) range.offset() + range.length();
    }
    if (end > entry.fileSize()) {
      wrong = "they end at byte " + end + " of " + entry.fileSize();
    }
    if (wrong != null) {
      throw new CorruptTableException(
          "What "
              + manifest
              + " tells of the deletion vectors in "
              + entry.fileName()
              + " is damaged: "
              + wrong
              + ". Without them rows that were deleted would come back; restore it from a copy.");
    }
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
      DeletionVector vector = DeletionVector.parse(bytes.read(place));
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

  private static byte[] read(FileIO fileIO, Place place) throws IOException {
    Range at = place.range();
    try (FileIO.RandomReader file = fileIO.open(place.path())) {
      if (file.length() != place.fileSize()) {
        throw damaged(
            place,
            new IOException(
                "the file has " + file.length() + " bytes, the manifest says " + place.fileSize()));
      }
      long left = file.length() - at.offset();
      if (left < 3 * INT_BYTES) {
        throw damaged(place, new IOException("the file ends within it"));
      }
      // The version stands before the first: no read of its own.
      int before = at.offset() == VERSION_BYTES ? VERSION_BYTES : 0;
      byte[] head = new byte[before + INT_BYTES];
      file.readFully(at.offset() - before, head, 0, head.length);
      if (before > 0 && head[0] != VERSION) {
        throw damaged(place, new IOException("the file has the version " + head[0]));
      }
      long size = ByteBuffer.wrap(head).getInt(before);
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
