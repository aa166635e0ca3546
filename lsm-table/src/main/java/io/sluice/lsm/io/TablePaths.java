package io.sluice.lsm.io;

/**
 * Every file and folder name of a table (format description section 1), made in one place.
 *
 * @param root folder of the table, without a slash at its end
 */
public record TablePaths(String root) {

  public String schemaFolder() {
    return root + "/schema";
  }

  public String schema(long id) {
    return schemaFolder() + "/schema-" + id;
  }

  public String snapshotFolder() {
    return root + "/snapshot";
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
    return root + "/consumer";
  }

  public String consumer(String id) {
    return consumerFolder() + "/consumer-" + id;
  }

  public String tagFolder() {
    return root + "/tag";
  }

  public String branchFolder() {
    return root + "/branch";
  }

  public String changelogFolder() {
    return root + "/changelog";
  }

  public String index(String name) {
    return root + "/index/" + name;
  }

  public String statistics(String name) {
    return root + "/statistics/" + name;
  }

  /**
   * @param partitionPath {@code k1=v1/k2=v2}, or empty for an unpartitioned table
   */
  public String bucketFolder(String partitionPath, int bucket) {
    String name = bucket == -2 ? "bucket-postpone" : "bucket-" + bucket;
    return partitionPath.isEmpty() ? root + "/" + name : root + "/" + partitionPath + "/" + name;
  }
}
