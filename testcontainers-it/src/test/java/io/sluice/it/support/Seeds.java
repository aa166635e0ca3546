package io.sluice.it.support;

/** Where random tests take their seed from: {@code -Dtest.seed=} replays one. */
public final class Seeds {
  private Seeds() {}

  /** Prints the seed that it returns. */
  public static long of(String test) {
    String given = System.getProperty("test.seed", "");
    long seed = given.isEmpty() ? System.nanoTime() & 0xFFFF_FFFFL : Long.parseLong(given);
    System.out.println(test + ": replay with -Dtest.seed=" + seed);
    return seed;
  }
}
