package io.sluice.sinks;

import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Whose epochs a process may go on from. A start reads who owns the pipeline <em>before</em> it
 * asks anybody's leave; from then on it may follow that incarnation and its own earlier ones, and
 * nobody else: a process that slept while another took over, or whose run failed meanwhile, must
 * not take the pipeline back. Thread safe.
 */
public final class Succession {

  private final boolean anybody;
  private final @Nullable String predecessor;
  private final boolean insisting;
  private final Set<String> own = ConcurrentHashMap.newKeySet();

  private Succession(boolean anybody, @Nullable String predecessor, boolean insisting) {
    this.anybody = anybody;
    this.predecessor = predecessor;
    this.insisting = insisting;
  }

  /** Goes on from whoever is there: for a process that starts once and knows that it is alone. */
  public static Succession ofAnybody() {
    return new Succession(true, null, false);
  }

  /**
   * @param predecessor incarnation of the newest epoch when this process began; empty: none
   * @param insisting whether to try again when the predecessor, who then is alive, wins the number
   */
  public static Succession of(Optional<String> predecessor, boolean insisting) {
    return new Succession(false, predecessor.orElse(null), insisting);
  }

  /** Notes an incarnation of this process's own, before it is used. */
  public void add(String incarnation) {
    own.add(incarnation);
  }

  /** Whether the pipeline may be gone on with from an epoch of this incarnation; empty: none. */
  public boolean admits(Optional<String> incarnation) {
    // Without any epoch there is nobody to take it from; what that means is for recovery to say.
    return anybody
        || incarnation.isEmpty()
        || incarnation.get().equals(predecessor)
        || own.contains(incarnation.get());
  }

  /** Whether to try again after this incarnation has won the number that was wanted. */
  public boolean insistsAgainst(String incarnation) {
    return anybody || own.contains(incarnation) || insisting && incarnation.equals(predecessor);
  }
}
