package io.sluice.lsm.merge;

import io.sluice.lsm.datafile.KeyValueReader;
import io.sluice.lsm.row.KeyValue;
import io.sluice.lsm.row.Row;
import io.sluice.lsm.row.RowKind;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Sorted inputs become one sorted output in which every key occurs once.
 *
 * <p>A tournament tree over the inputs' {@link KeyPrefix}es finds the smallest key; the inputs that
 * stand on it are found by walking down from the root as long as a subtree's winner has that key.
 * Since an input has a key at most once, all records of the key are then current in their inputs:
 * they are handed to the {@link MergeFunction} as they stand, and nothing is copied. Only the
 * inputs of the group move on, each with one walk to the root.
 *
 * <p>One thread. Owns its inputs: {@link #close} closes them.
 */
public final class KWayMerge implements KeyValueReader {

  private static final int NONE = -1;

  private final KeyValueReader[] inputs;
  private final MergeRules.Engine engine;
  private final KeyPrefix prefix;
  private final boolean decisive;

  /** The current row and key prefix of each input. */
  private final @Nullable Row[] rows;

  private final long[] prefixes;

  /** Node i has the children 2i and 2i+1; leaf l is node leafCount + l. Holds inputs or NONE. */
  private final int[] tree;

  private final int leafCount;

  private final KeyValue[] group;
  private final int[] groupInputs;
  private int groupCount;
  private boolean started;
  private @Nullable KeyValue current;

  public KWayMerge(List<? extends KeyValueReader> inputs, MergeRules.Engine engine) {
    this.inputs = inputs.toArray(new KeyValueReader[0]);
    this.engine = engine;
    this.prefix = engine.prefix();
    this.decisive = prefix.decisive();
    int count = this.inputs.length;
    this.rows = new Row[count];
    this.prefixes = new long[count];
    this.leafCount = Math.max(1, Integer.highestOneBit(Math.max(1, 2 * count - 1)));
    this.tree = new int[2 * leafCount];
    this.group = new KeyValue[count];
    this.groupInputs = new int[count];
  }

  @Override
  public boolean advance() throws IOException {
    if (!started) {
      start();
    } else {
      moveGroup();
    }
    while (true) {
      int winner = tree[1];
      if (winner == NONE) {
        current = null;
        return false;
      }
      groupCount = 0;
      collect(1, winner);
      current = groupCount == 1 ? inputs[winner] : mergeGroup();
      if (current != null) {
        return true;
      }
      moveGroup();
    }
  }

  private void start() throws IOException {
    started = true;
    java.util.Arrays.fill(tree, NONE);
    for (int i = 0; i < inputs.length; i++) {
      tree[leafCount + i] = moveInput(i) ? i : NONE;
    }
    for (int node = leafCount - 1; node >= 1; node--) {
      tree[node] = smaller(tree[2 * node], tree[2 * node + 1]);
    }
  }

  private void moveGroup() throws IOException {
    for (int i = 0; i < groupCount; i++) {
      int input = groupInputs[i];
      int node = leafCount + input;
      tree[node] = moveInput(input) ? input : NONE;
      for (node >>= 1; node >= 1; node >>= 1) {
        tree[node] = smaller(tree[2 * node], tree[2 * node + 1]);
      }
    }
  }

  private boolean moveInput(int input) throws IOException {
    KeyValueReader reader = inputs[input];
    if (!reader.advance()) {
      return false;
    }
    Row row = reader.row();
    rows[input] = row;
    prefixes[input] = prefix.of(row);
    return true;
  }

  private int smaller(int a, int b) {
    if (b == NONE) {
      return a;
    }
    if (a == NONE) {
      return b;
    }
    long prefixA = prefixes[a];
    long prefixB = prefixes[b];
    if (prefixA != prefixB) {
      return prefixA < prefixB ? a : b;
    }
    return decisive || compareRows(a, b) <= 0 ? a : b;
  }

  @SuppressWarnings("NullAway") // an input in the tree has a row
  private int compareRows(int a, int b) {
    return engine.keys().compare(rows[a], rows[b]);
  }

  /** Adds the inputs below a node that stand on the key of {@code winner}. */
  private void collect(int node, int winner) {
    int input = tree[node];
    if (input == NONE) {
      return;
    }
    if (input != winner) {
      if (prefixes[input] != prefixes[winner] || !decisive && compareRows(input, winner) != 0) {
        return;
      }
    }
    if (node >= leafCount) {
      group[groupCount] = inputs[input];
      groupInputs[groupCount] = input;
      groupCount++;
      return;
    }
    collect(2 * node, winner);
    collect(2 * node + 1, winner);
  }

  /** Sorts the group by age (groups are small) and merges it. */
  private @Nullable KeyValue mergeGroup() {
    for (int i = 1; i < groupCount; i++) {
      KeyValue record = group[i];
      int input = groupInputs[i];
      int at = i;
      while (at > 0 && engine.order().compare(group[at - 1], record) > 0) {
        group[at] = group[at - 1];
        groupInputs[at] = groupInputs[at - 1];
        at--;
      }
      group[at] = record;
      groupInputs[at] = input;
    }
    return engine.function().merge(group, groupCount);
  }

  private KeyValue current() {
    if (current == null) {
      throw new IllegalStateException("There is no current record");
    }
    return current;
  }

  @Override
  public long sequenceNumber() {
    return current().sequenceNumber();
  }

  @Override
  public RowKind kind() {
    return current().kind();
  }

  @Override
  public Row row() {
    return current().row();
  }

  @Override
  public void close() throws IOException {
    IOException failure = null;
    for (KeyValueReader input : inputs) {
      try {
        input.close();
      } catch (IOException e) {
        if (failure == null) {
          failure = e;
        } else {
          failure.addSuppressed(e);
        }
      }
    }
    if (failure != null) {
      throw failure;
    }
  }
}
