package io.sluice.replicator.service;

import java.util.Map;
import java.util.TreeMap;

/** The stacks of all threads, as text: what a person needs to find why something hangs. */
final class ThreadStacks {

  private ThreadStacks() {}

  static String text() {
    Map<String, StackTraceElement[]> sorted = new TreeMap<>();
    Thread.getAllStackTraces()
        .forEach((thread, stack) -> sorted.put(thread.getName() + " " + thread.getState(), stack));
    StringBuilder text = new StringBuilder();
    sorted.forEach(
        (name, stack) -> {
          text.append(name).append('\n');
          for (StackTraceElement frame : stack) {
            text.append("    at ").append(frame).append('\n');
          }
        });
    return text.toString();
  }
}
