package io.sluice.lsm.manifest;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/** Unique names of new manifests and lists: one id for this instance, two counters. Thread safe. */
public final class ManifestNames {

  private final String id;
  private final AtomicInteger manifests = new AtomicInteger();
  private final AtomicInteger lists = new AtomicInteger();

  /**
   * @param ids a fresh id that no other writer of the table ever has
   */
  public ManifestNames(Supplier<String> ids) {
    this.id = ids.get();
  }

  String nextManifest() {
    return "manifest-" + id + "-" + manifests.getAndIncrement();
  }

  String nextList() {
    return "manifest-list-" + id + "-" + lists.getAndIncrement();
  }
}
