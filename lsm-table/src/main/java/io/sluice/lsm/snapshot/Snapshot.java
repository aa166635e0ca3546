package io.sluice.lsm.snapshot;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One {@code snapshot-N} file (format description section 3). State = base list + delta list.
 *
 * @param schemaId newest schema at commit time
 * @param totalRecordCount physical records in live files
 * @param properties free for applications; a following commit does not inherit them
 */
public record Snapshot(
    int version,
    long id,
    long schemaId,
    String baseManifestList,
    @Nullable Long baseManifestListSize,
    String deltaManifestList,
    @Nullable Long deltaManifestListSize,
    @Nullable String changelogManifestList,
    @Nullable Long changelogManifestListSize,
    @Nullable String indexManifest,
    String commitUser,
    long commitIdentifier,
    CommitKind commitKind,
    long timeMillis,
    long totalRecordCount,
    long deltaRecordCount,
    @Nullable Long changelogRecordCount,
    @Nullable Long watermark,
    @Nullable String statistics,
    Map<String, String> properties,
    @Nullable Long nextRowId) {

  public static final int CURRENT_VERSION = 3;
  public static final long FIRST_ID = 1;

  public Snapshot {
    properties = java.util.Collections.unmodifiableMap(new java.util.LinkedHashMap<>(properties));
  }
}
