package io.sluice.lsm.write;

import org.jspecify.annotations.Nullable;

/**
 * Sorts record indices by key without boxing: by eight-byte prefix first (a radix sort, one pass
 * for each byte that differs at all), then stretches of equal prefixes by comparing records.
 * Stable.
 */
final class KeySort {

  private static final int INSERTION_MAX = 24;
  private static final int RADIX = 256;

  /** Compares two records by index. */
  @FunctionalInterface
  interface IndexComparator {
    int compare(int a, int b);
  }

  private KeySort() {}

  /**
   * Indices 0 to count-1 in order.
   *
   * @param prefixes of records by index; afterwards in sorted order
   * @param withinPrefix orders records of equal prefix
   */
  static int[] sort(long[] prefixes, int count, IndexComparator withinPrefix) {
    int[] order = new int[count];
    for (int i = 0; i < count; i++) {
      order[i] = i;
    }
    if (!ascending(prefixes, count)) {
      if (count <= INSERTION_MAX) {
        insertionSort(prefixes, order, count);
      } else {
        order = radixSort(prefixes, order, count);
      }
    }
    int[] spare = null;
    for (int from = 0; from < count; ) {
      int to = from + 1;
      while (to < count && prefixes[to] == prefixes[from]) {
        to++;
      }
      if (to - from > 1) {
        if (to - from > INSERTION_MAX && spare == null) {
          spare = new int[count];
        }
        mergeSort(order, from, to, spare, withinPrefix);
      }
      from = to;
    }
    return order;
  }

  private static boolean ascending(long[] values, int count) {
    for (int i = 1; i < count; i++) {
      if (values[i - 1] > values[i]) {
        return false;
      }
    }
    return true;
  }

  private static void insertionSort(long[] keys, int[] order, int count) {
    for (int i = 1; i < count; i++) {
      long key = keys[i];
      int index = order[i];
      int at = i;
      while (at > 0 && keys[at - 1] > key) {
        keys[at] = keys[at - 1];
        order[at] = order[at - 1];
        at--;
      }
      keys[at] = key;
      order[at] = index;
    }
  }

  private static int[] radixSort(long[] keys, int[] order, int count) {
    int[][] histograms = new int[Long.BYTES][RADIX];
    for (int i = 0; i < count; i++) {
      long key = keys[i] ^ Long.MIN_VALUE;
      for (int b = 0; b < Long.BYTES; b++) {
        histograms[b][(int) (key >>> (8 * b)) & 0xff]++;
      }
    }
    long[] fromKeys = keys;
    int[] fromOrder = order;
    long[] toKeys = new long[count];
    int[] toOrder = new int[count];
    for (int b = 0; b < Long.BYTES; b++) {
      int[] next = histograms[b];
      int shift = 8 * b;
      if (next[(int) ((fromKeys[0] ^ Long.MIN_VALUE) >>> shift) & 0xff] == count) {
        continue;
      }
      int sum = 0;
      for (int i = 0; i < RADIX; i++) {
        int here = next[i];
        next[i] = sum;
        sum += here;
      }
      for (int i = 0; i < count; i++) {
        long key = fromKeys[i];
        int at = next[(int) ((key ^ Long.MIN_VALUE) >>> shift) & 0xff]++;
        toKeys[at] = key;
        toOrder[at] = fromOrder[i];
      }
      long[] swapKeys = fromKeys;
      fromKeys = toKeys;
      toKeys = swapKeys;
      int[] swapOrder = fromOrder;
      fromOrder = toOrder;
      toOrder = swapOrder;
    }
    if (fromKeys != keys) {
      System.arraycopy(fromKeys, 0, keys, 0, count);
    }
    return fromOrder;
  }

  /** Records often come in order already: one look along saves the rest. */
  private static void mergeSort(
      int[] order, int from, int to, int @Nullable [] spare, IndexComparator comparator) {
    int sorted = from + 1;
    while (sorted < to && comparator.compare(order[sorted - 1], order[sorted]) <= 0) {
      sorted++;
    }
    if (sorted == to) {
      return;
    }
    if (to - from <= INSERTION_MAX || spare == null) {
      for (int i = sorted; i < to; i++) {
        int index = order[i];
        int at = i;
        while (at > from && comparator.compare(order[at - 1], index) > 0) {
          order[at] = order[at - 1];
          at--;
        }
        order[at] = index;
      }
      return;
    }
    int middle = (from + to) >>> 1;
    mergeSort(order, from, middle, spare, comparator);
    mergeSort(order, middle, to, spare, comparator);
    System.arraycopy(order, from, spare, from, middle - from);
    int left = from;
    int right = middle;
    int at = from;
    while (left < middle && right < to) {
      order[at++] =
          comparator.compare(spare[left], order[right]) <= 0 ? spare[left++] : order[right++];
    }
    System.arraycopy(spare, left, order, at, middle - left);
  }
}
