package io.sluice.lsm.testing;

import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.binary.BinaryRowWriter;
import io.sluice.lsm.binary.ColumnStats;
import io.sluice.lsm.commit.CommitMessage;
import io.sluice.lsm.datafile.DataFileMeta;
import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.DataTypes;
import io.sluice.lsm.schema.RowType;
import io.sluice.lsm.schema.TableSchema;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Descriptions of data files that need not exist, for tests of what is done with descriptions. */
public final class TestFiles {

  private TestFiles() {}

  /** Copies a folder with all that is in it. */
  public static void copy(Path from, Path to) throws IOException {
    List<Path> all;
    try (Stream<Path> paths = Files.walk(from)) {
      all = paths.toList();
    }
    for (Path path : all) {
      Path target = to.resolve(from.relativize(path).toString());
      if (Files.isDirectory(path)) {
        Files.createDirectories(target);
      } else {
        Files.copy(path, target);
      }
    }
  }

  /** A table {@code (id INT NOT NULL, v STRING)}, primary key id, ORC, 2 buckets. */
  public static TableSchema schema(Map<String, String> moreOptions) {
    Map<String, String> options = new LinkedHashMap<>();
    options.put("bucket", "2");
    options.put("file.format", "orc");
    options.putAll(moreOptions);
    return new TableSchema(
        0,
        new RowType(
            List.of(
                new DataField(0, "id", DataTypes.INT.withNullable(false)),
                new DataField(1, "v", DataTypes.STRING))),
        1,
        List.of(),
        List.of("id"),
        options,
        null,
        1_768_485_600_000L);
  }

  /** The same, partitioned by {@code p STRING NOT NULL}. */
  public static TableSchema partitionedSchema(Map<String, String> moreOptions) {
    TableSchema plain = schema(moreOptions);
    return new TableSchema(
        0,
        new RowType(
            List.of(
                new DataField(0, "p", DataTypes.STRING.withNullable(false)),
                new DataField(1, "id", DataTypes.INT.withNullable(false)),
                new DataField(2, "v", DataTypes.STRING))),
        2,
        List.of("p"),
        List.of("p", "id"),
        plain.options(),
        null,
        plain.timeMillis());
  }

  /** A row of one INT, as keys of {@link #schema} are. */
  public static BinaryRow key(int id) {
    BinaryRowWriter writer = new BinaryRowWriter(1);
    writer.reset();
    writer.writeInt(0, id);
    return writer.finish(RowKind.INSERT).copy();
  }

  /** A row of one STRING, as partitions of {@link #partitionedSchema} are. */
  public static BinaryRow partition(String value) {
    BinaryRowWriter writer = new BinaryRowWriter(1);
    writer.reset();
    writer.writeString(0, value);
    return writer.finish(RowKind.INSERT).copy();
  }

  /** A file with keys from {@code min} to {@code max}, one row each. */
  public static DataFileMeta file(String name, int level, int min, int max) {
    BinaryRow minKey = key(min);
    BinaryRow maxKey = key(max);
    ColumnStats stats = new ColumnStats(minKey.serialize(), maxKey.serialize(), List.of(0L));
    return new DataFileMeta(
        name,
        1000 + max - min,
        max - min + 1L,
        minKey.serialize(),
        maxKey.serialize(),
        stats,
        ColumnStats.EMPTY,
        min,
        max,
        0,
        level,
        List.of(),
        1_768_485_600_000L,
        0L,
        null,
        level == 0 ? DataFileMeta.SOURCE_FLUSH : DataFileMeta.SOURCE_COMPACTION,
        List.of(),
        null,
        null,
        null);
  }

  public static CommitMessage append(int bucket, DataFileMeta... files) {
    return append(BinaryRow.EMPTY, bucket, files);
  }

  public static CommitMessage append(BinaryRow partition, int bucket, DataFileMeta... files) {
    return new CommitMessage(partition, bucket, 2, List.of(files), List.of(), List.of());
  }

  public static CommitMessage compact(
      int bucket, List<DataFileMeta> before, List<DataFileMeta> after) {
    return new CommitMessage(BinaryRow.EMPTY, bucket, 2, List.of(), before, after);
  }
}
