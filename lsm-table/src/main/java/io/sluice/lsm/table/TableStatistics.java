package io.sluice.lsm.table;

/**
 * What the live files of one snapshot hold, by their metadata.
 *
 * @param files data files
 * @param bytes of all data files
 * @param records physical ones: several versions of a row and deletes count each
 * @param buckets that hold files, over all partitions
 * @param partitions that hold files
 * @param sortedRunsMax of the worst bucket
 * @param maxSequenceNumber largest of any record; -1 without files
 */
public record TableStatistics(
    long files,
    long bytes,
    long records,
    int buckets,
    int partitions,
    int sortedRunsMax,
    long maxSequenceNumber) {}
