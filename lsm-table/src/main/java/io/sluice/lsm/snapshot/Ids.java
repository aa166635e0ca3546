package io.sluice.lsm.snapshot;

/** Numbers in file names. */
final class Ids {

  private Ids() {}

  /** The number behind the prefix, or -1 if the name is another's. */
  static long parse(String name, String prefix) {
    int digits = name.length() - prefix.length();
    if (digits < 1 || digits > 18 || !name.startsWith(prefix)) {
      return -1;
    }
    long id = 0;
    for (int i = prefix.length(); i < name.length(); i++) {
      char c = name.charAt(i);
      if (c < '0' || c > '9') {
        return -1;
      }
      id = id * 10 + (c - '0');
    }
    return id;
  }
}
