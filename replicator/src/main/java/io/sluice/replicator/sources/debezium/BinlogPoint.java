package io.sluice.replicator.sources.debezium;

/**
 * A place in one server's binlog. Means nothing on another server.
 *
 * @param file as the server names it: base name and a growing number
 * @param pos bytes from the file's start
 */
record BinlogPoint(String file, long pos) implements Comparable<BinlogPoint> {

  /**
   * For "what begins here is over": a server whose binlog, always between transactions, has reached
   * this has passed the whole transaction that begins at {@code pos}.
   */
  BinlogPoint justBehind() {
    return new BinlogPoint(file, pos + 1);
  }

  @Override
  public String toString() {
    return file + ":" + pos;
  }

  /** By the file's number (the number of digits may grow), then by position. */
  @Override
  public int compareTo(BinlogPoint that) {
    int byFile = Long.compare(number(file), number(that.file));
    return byFile != 0 ? byFile : Long.compare(pos, that.pos);
  }

  private static long number(String file) {
    int dot = file.lastIndexOf('.');
    try {
      return Long.parseLong(file.substring(dot + 1));
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("Not the name of a binlog file: '" + file + "'", e);
    }
  }
}
