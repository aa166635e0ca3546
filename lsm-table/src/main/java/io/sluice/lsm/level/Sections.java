package io.sluice.lsm.level;

import io.sluice.lsm.datafile.DataFileMeta;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/**
 * Parts files into sections: stretches of the key space that no file leaves. Records of one key are
 * in one section, so sections are merged one after the other and together give rows in key order.
 * Within a section the files form as few sorted runs as possible.
 */
public final class Sections {

  private Sections() {}

  /**
   * One section.
   *
   * @param runs each a list of files with ascending, disjoint key ranges
   */
  public record Section(List<List<DataFileMeta>> runs) {
    public Section {
      runs = List.copyOf(runs);
    }

    public int fileCount() {
      return runs.stream().mapToInt(List::size).sum();
    }

    /** Records before they are merged. */
    public long rowCount() {
      return runs.stream().flatMap(List::stream).mapToLong(DataFileMeta::rowCount).sum();
    }
  }

  /** Sections in ascending order of keys. */
  public static List<Section> of(Comparator<byte[]> keyOrder, Collection<DataFileMeta> files) {
    List<DataFileMeta> sorted = new ArrayList<>(files);
    sorted.sort(
        Comparator.comparing(DataFileMeta::minKey, keyOrder)
            .thenComparing(DataFileMeta::maxKey, keyOrder));
    List<Section> sections = new ArrayList<>();
    List<DataFileMeta> section = new ArrayList<>();
    byte[] reach = new byte[0];
    for (DataFileMeta file : sorted) {
      if (!section.isEmpty() && keyOrder.compare(file.minKey(), reach) > 0) {
        sections.add(new Section(runsOf(keyOrder, section)));
        section = new ArrayList<>();
      }
      if (section.isEmpty() || keyOrder.compare(file.maxKey(), reach) > 0) {
        reach = file.maxKey();
      }
      section.add(file);
    }
    if (!section.isEmpty()) {
      sections.add(new Section(runsOf(keyOrder, section)));
    }
    return sections;
  }

  /** Greedy: each file goes behind the run that ends first, if it starts beyond that end. */
  private static List<List<DataFileMeta>> runsOf(
      Comparator<byte[]> keyOrder, List<DataFileMeta> sortedByMinKey) {
    PriorityQueue<List<DataFileMeta>> byEnd =
        new PriorityQueue<>(
            Comparator.comparing((List<DataFileMeta> run) -> last(run).maxKey(), keyOrder));
    for (DataFileMeta file : sortedByMinKey) {
      List<DataFileMeta> run = byEnd.peek();
      if (run != null && keyOrder.compare(last(run).maxKey(), file.minKey()) < 0) {
        byEnd.remove();
      } else {
        run = new ArrayList<>();
      }
      run.add(file);
      byEnd.add(run);
    }
    return byEnd.stream().map(List::copyOf).toList();
  }

  private static DataFileMeta last(List<DataFileMeta> run) {
    return run.get(run.size() - 1);
  }
}
