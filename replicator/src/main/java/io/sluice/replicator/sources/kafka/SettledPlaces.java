package io.sluice.replicator.sources.kafka;

import io.sluice.evolution.SourceTableId;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongPredicate;
import org.apache.kafka.common.TopicPartition;

/**
 * Messages that are dead letters: who reads them once more passes over them. Eight bytes each. Not
 * thread safe.
 */
final class SettledPlaces {

  /** What the rows of letters say of one partition, or of it for one table. */
  private record Key(String topic, int partition, String table) {}

  private static final String ALL = "";

  private final Map<Key, Offsets> places = new HashMap<>();
  private final Map<Key, Offsets> replayed = new HashMap<>();

  /** Numbers, in order when they are asked for. */
  private static final class Offsets {
    private long[] numbers = new long[4];
    private int count;
    private boolean sorted = true;

    void add(long number) {
      if (count == numbers.length) {
        numbers = Arrays.copyOf(numbers, 2 * count);
      }
      sorted &= count == 0 || numbers[count - 1] <= number;
      numbers[count++] = number;
    }

    private int search(long number) {
      if (!sorted) {
        Arrays.sort(numbers, 0, count);
        sorted = true;
      }
      return Arrays.binarySearch(numbers, 0, count, number);
    }

    boolean has(long number) {
      return search(number) >= 0;
    }

    boolean hasBetween(long from, long end) {
      int at = search(from);
      int next = at >= 0 ? at : -at - 1;
      return next < count && numbers[next] < end;
    }
  }

  private static Key key(String topic, Letters.Place place) {
    return new Key(topic, place.partition(), place.table() == null ? ALL : place.table());
  }

  void add(String topic, Letters.Place place) {
    places.computeIfAbsent(key(topic, place), each -> new Offsets()).add(place.offset());
  }

  /** It was taken in after all. */
  void addReplayed(String topic, Letters.Place place) {
    replayed
        .computeIfAbsent(new Key(topic, place.partition(), ALL), each -> new Offsets())
        .add(place.offset());
  }

  void addAll(SettledPlaces other) {
    other.places.forEach(
        (key, offsets) -> {
          Offsets ours = places.computeIfAbsent(key, each -> new Offsets());
          for (int i = 0; i < offsets.count; i++) {
            ours.add(offsets.numbers[i]);
          }
        });
    other.replayed.forEach(
        (key, offsets) -> {
          Offsets ours = replayed.computeIfAbsent(key, each -> new Offsets());
          for (int i = 0; i < offsets.count; i++) {
            ours.add(offsets.numbers[i]);
          }
        });
  }

  /** Which offsets of a partition are letters, of all or of this table, as far as is known now. */
  LongPredicate of(SourceTableId table, TopicPartition partition) {
    Offsets ofAll = places.get(new Key(partition.topic(), partition.partition(), ALL));
    Offsets ofTable =
        places.get(new Key(partition.topic(), partition.partition(), table.toString()));
    if (ofAll == null && ofTable == null) {
      return offset -> false;
    }
    return offset -> ofAll != null && ofAll.has(offset) || ofTable != null && ofTable.has(offset);
  }

  /** Whether a letter of these offsets was taken in after all. */
  boolean hasReplayed(TopicPartition partition, long from, long end) {
    Offsets some = replayed.get(new Key(partition.topic(), partition.partition(), ALL));
    return some != null && some.hasBetween(from, end);
  }
}
