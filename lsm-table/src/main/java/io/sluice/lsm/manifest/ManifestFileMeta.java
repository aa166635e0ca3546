package io.sluice.lsm.manifest;

import io.sluice.lsm.binary.ColumnStats;
import org.jspecify.annotations.Nullable;

/** What a manifest list says of one manifest (format description section 4.1). */
public record ManifestFileMeta(
    String fileName,
    long fileSize,
    long addedFiles,
    long deletedFiles,
    ColumnStats partitionStats,
    long schemaId,
    @Nullable Integer minBucket,
    @Nullable Integer maxBucket,
    @Nullable Integer minLevel,
    @Nullable Integer maxLevel,
    @Nullable Long minRowId,
    @Nullable Long maxRowId) {}
