package io.sluice.replicator.messages.json;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Names of fields, by their UTF-8 bytes, as Strings that are interned: equal names are the same
 * object. Bounded: once it is full, as only topics with ever new names make it, further names are
 * right, but slow.
 */
final class NameTable {

  /** One name, and what came behind it the last time. */
  static final class Entry {
    final byte[] utf8;
    final String name;
    final int hash;

    /** Likely the name behind this one: messages of a topic look alike. */
    Entry following = this;

    /** The object in which it was seen last, see {@link JsonInput}. */
    long seenIn;

    /** Whether the table gives this entry again for the name. */
    boolean kept;

    private Entry(byte[] utf8, int hash) {
      this.utf8 = utf8;
      this.hash = hash;
      this.name = new String(utf8, StandardCharsets.UTF_8).intern();
    }
  }

  private static final int ENTRIES_MAX = 100_000;

  private static final int LENGTH_MAX = 1_000;

  private Entry[] slots = new Entry[1024];
  private int size;

  /** What stands before the first name. */
  Entry start() {
    return new Entry(new byte[0], 0);
  }

  /** The entry of a name, new if need be. REQUIRES: valid UTF-8. */
  Entry entry(byte[] bytes, int from, int length) {
    int hash = 0;
    for (int i = from; i < from + length; i++) {
      hash = 31 * hash + bytes[i];
    }
    int slot = (hash ^ hash >>> 15) & slots.length - 1;
    while (slots[slot] != null) {
      Entry entry = slots[slot];
      if (entry.hash == hash && matches(entry, bytes, from, length)) {
        return entry;
      }
      slot = slot + 1 & slots.length - 1;
    }
    Entry added = new Entry(Arrays.copyOfRange(bytes, from, from + length), hash);
    if (length <= LENGTH_MAX && size < ENTRIES_MAX) {
      if (2 * size >= slots.length) {
        grow();
      }
      added.kept = true;
      insert(added);
    }
    return added;
  }

  private void insert(Entry added) {
    int slot = (added.hash ^ added.hash >>> 15) & slots.length - 1;
    while (slots[slot] != null) {
      slot = slot + 1 & slots.length - 1;
    }
    slots[slot] = added;
    size++;
  }

  private void grow() {
    Entry[] old = slots;
    slots = new Entry[2 * old.length];
    size = 0;
    for (Entry entry : old) {
      if (entry != null) {
        insert(entry);
      }
    }
  }

  private static boolean matches(Entry entry, byte[] bytes, int from, int length) {
    byte[] name = entry.utf8;
    if (name.length != length) {
      return false;
    }
    for (int i = 0; i < length; i++) {
      if (name[i] != bytes[from + i]) {
        return false;
      }
    }
    return true;
  }
}
