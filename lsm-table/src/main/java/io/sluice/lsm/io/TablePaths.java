package io.sluice.lsm.io;

import org.jspecify.annotations.Nullable;

/**
 * Every file and folder name of a table (format description section 1), made in one place. A branch
 * has schemas, snapshots, tags, changelogs and consumers of its own and shares all other files.
 *
 * @param root folder of the table, without a slash at its end
 * @param branch null for the table itself
 */
public record TablePaths(String root, @Nullable String branch) {

  /** Of the table itself. */
  public TablePaths(String root) {
    this(root, null);
  }

  /** Of one of its branches. */
  public TablePaths branch(String name) {
    return new TablePaths(root, name);
  }

  /** What holds the folders that a branch has for itself. */
  private String own() {
    return branch == null ? root : root + "/branch/branch-" + branch;
  }

  public String schemaFolder() {
    return own() + "/schema";
  }

  public String schema(long id) {
    return schemaFolder() + "/schema-" + id;
  }

  public String snapshotFolder() {
    return own() + "/snapshot";
  }

  public String snapshot(long id) {
    return snapshotFolder() + "/snapshot-" + id;
  }

  public String latestHint() {
    return snapshotFolder() + "/LATEST";
  }

  public String earliestHint() {
    return snapshotFolder() + "/EARLIEST";
  }

  public String manifestFolder() {
    return root + "/manifest";
  }

  public String manifest(String name) {
    return manifestFolder() + "/" + name;
  }

  public String consumerFolder() {
    return own() + "/consumer";
  }

  public String consumer(String id) {
    return consumerFolder() + "/consumer-" + id;
  }

  public String tagFolder() {
    return own() + "/tag";
  }

  public String tag(String name) {
    return tagFolder() + "/tag-" + name;
  }

  /** Of the whole table: a branch has no branches. */
  public String branchFolder() {
    return root + "/branch";
  }

  public String changelogFolder() {
    return own() + "/changelog";
  }

  public String indexFolder() {
    return root + "/index";
  }

  public String index(String name) {
    return indexFolder() + "/" + name;
  }

  public String statisticsFolder() {
    return root + "/statistics";
  }

  public String statistics(String name) {
    return statisticsFolder() + "/" + name;
  }

  /**
   * @param partitionPath {@code k1=v1/k2=v2}, or empty for an unpartitioned table
   */
  public String bucketFolder(String partitionPath, int bucket) {
    String name = bucket == -2 ? "bucket-postpone" : "bucket-" + bucket;
    return partitionPath.isEmpty() ? root + "/" + name : root + "/" + partitionPath + "/" + name;
  }
}
