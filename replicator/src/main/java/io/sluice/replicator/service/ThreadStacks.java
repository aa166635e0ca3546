package io.sluice.replicator.service;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The stacks of all threads, as text: what a person needs to find why something hangs. */
final class ThreadStacks {

  private ThreadStacks() {}

  /** One text a thread, by name: a log's line has its limits. */
  static List<String> all() {
    Map<String, StackTraceElement[]> sorted = new TreeMap<>();
    Thread.getAllStackTraces()
        .forEach((thread, stack) -> sorted.put(thread.getName() + " " + thread.getState(), stack));
    List<String> result = new ArrayList<>();
    sorted.forEach(
        (name, stack) -> {
          StringBuilder text = new StringBuilder(name);
          for (StackTraceElement frame : stack) {
            text.append("\n    at ").append(frame);
          }
          result.add(text.toString());
        });
    return result;
  }
}
