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
 * inputs of the group move on, each with one walk to the root; and an input that stood alone, and
 * whose next prefix is still below those of all others, has won without any walk.
 *
 * <p>One thread. Owns its inputs: {@link #close} closes them.
 */
public final class KWayMerge implements KeyValueReader {

  private static final int NONE = -1;

  private final KeyValueReader[] inputs;
  private final MergeRules.Engine engine;
  private final KeyPrefix prefix;
  private final boolean decisive;
  private final boolean newestStands;

  /** The current row and key prefix of each input. */
  private final @Nullable Row[] rows;

  private final long[] prefixes;

  /** Node i has the children 2i and 2i+1; leaf l is node leafCount + l. Holds inputs or NONE. */
  private final int[] tree;

  private final int leafCount;

  private final KeyValue[] group;
  private final int[] groupInputs;
  private int groupCount;

  /** Smallest prefix of the inputs beside the current group, if that is one input. */
  private long nextPrefix;

  /** Whether there are such inputs. */
  private boolean hasNext;

  private boolean started;
  private @Nullable KeyValue current;

  public KWayMerge(List<? extends KeyValueReader> inputs, MergeRules.Engine engine) {
    this.inputs = inputs.toArray(new KeyValueReader[0]);
    this.engine = engine;
    this.prefix = engine.prefix();
    this.decisive = prefix.decisive();
    this.newestStands = engine.function().newestStands();
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
    } else if (groupCount == 1 && winsAgain(groupInputs[0])) {
      return true;
    } else if (groupCount > 1) {
      moveGroup();
    }
    while (true) {
      int winner = tree[1];
      if (winner == NONE) {
        current = null;
        return false;
      }
      findGroup(winner);
      current = groupCount == 1 ? inputs[winner] : mergeGroup();
      if (current != null) {
        return true;
      }
      moveGroup();
    }
  }

  /**
   * Moves the one input of the group on. True if it wins again, so that the tree, the group and
   * {@link #current} stay as they are; else the tree is brought up to date.
   */
  private boolean winsAgain(int input) throws IOException {
    boolean more = moveInput(input);
    if (more && (!hasNext || prefixes[input] < nextPrefix)) {
      return true;
    }
    walkUp(input, more);
    return false;
  }

  /** The inputs that stand on the winner's key: itself and those beside its way to the root. */
  private void findGroup(int winner) {
    group[0] = inputs[winner];
    groupInputs[0] = winner;
    groupCount = 1;
    hasNext = false;
    long prefixOfWinner = prefixes[winner];
    for (int node = leafCount + winner; node > 1; node >>= 1) {
      int input = tree[node ^ 1];
      if (input == NONE) {
        continue;
      }
      long prefixOfInput = prefixes[input];
      if (prefixOfInput == prefixOfWinner) {
        collect(node ^ 1, winner);
      }
      nextPrefix = hasNext ? Math.min(nextPrefix, prefixOfInput) : prefixOfInput;
      hasNext = true;
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
      walkUp(input, moveInput(input));
    }
  }

  private void walkUp(int input, boolean more) {
    int node = leafCount + input;
    tree[node] = more ? input : NONE;
    for (node >>= 1; node >= 1; node >>= 1) {
      tree[node] = smaller(tree[2 * node], tree[2 * node + 1]);
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

  /** The newest of the group. */
  private KeyValue newest() {
    int newest = 0;
    for (int i = 1; i < groupCount; i++) {
      if (isAfter(i, group[newest], groupInputs[newest])) {
        newest = i;
      }
    }
    return group[newest];
  }

  /** Sorts the group by age, equal ones by input (groups are small), and merges it. */
  private @Nullable KeyValue mergeGroup() {
    if (newestStands) {
      return newest();
    }
    for (int i = 1; i < groupCount; i++) {
      KeyValue record = group[i];
      int input = groupInputs[i];
      int at = i;
      while (at > 0 && isAfter(at - 1, record, input)) {
        group[at] = group[at - 1];
        groupInputs[at] = groupInputs[at - 1];
        at--;
      }
      group[at] = record;
      groupInputs[at] = input;
    }
    return engine.function().merge(group, groupCount);
  }

  private boolean isAfter(int inGroup, KeyValue record, int input) {
    int order = engine.order().compare(group[inGroup], record);
    return order > 0 || order == 0 && groupInputs[inGroup] > input;
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
