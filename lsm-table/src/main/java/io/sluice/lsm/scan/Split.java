package io.sluice.lsm.scan;

import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.datafile.DataFileMeta;
import java.util.List;

/**
 * What a scan reads of one bucket.
 *
 * @param files live files that may hold rows asked for
 */
public record Split(BinaryRow partition, int bucket, int totalBuckets, List<DataFileMeta> files) {

  public Split {
    files = List.copyOf(files);
  }
}
