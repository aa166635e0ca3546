package io.sluice.lsm.manifest;

import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.datafile.DataFileMeta;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What makes an ADD and a DELETE speak of the same file (format description section 4.3): level,
 * extra files, embedded index and external path belong to it. A file moved to another level is
 * another one under the same name.
 */
public final class FileIdentity {

  private final BinaryRow partition;
  private final int bucket;
  private final int level;
  private final String fileName;
  private final List<String> extraFiles;
  private final byte @Nullable [] embeddedIndex;
  private final @Nullable String externalPath;

  private FileIdentity(BinaryRow partition, int bucket, DataFileMeta file) {
    this.partition = partition;
    this.bucket = bucket;
    this.level = file.level();
    this.fileName = file.fileName();
    this.extraFiles = file.extraFiles();
    this.embeddedIndex = file.embeddedIndex();
    this.externalPath = file.externalPath();
  }

  public static FileIdentity of(ManifestEntry entry) {
    return new FileIdentity(entry.partition(), entry.bucket(), entry.file());
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof FileIdentity that
        && fileName.equals(that.fileName)
        && level == that.level
        && bucket == that.bucket
        && partition.equals(that.partition)
        && extraFiles.equals(that.extraFiles)
        && Arrays.equals(embeddedIndex, that.embeddedIndex)
        && Objects.equals(externalPath, that.externalPath);
  }

  @Override
  public int hashCode() {
    return (fileName.hashCode() * 31 + level) * 31 + bucket;
  }

  @Override
  public String toString() {
    return "bucket " + bucket + " " + fileName + " at level " + level;
  }
}
