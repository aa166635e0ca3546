package io.sluice.replicator.daemon;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import sun.misc.Signal;
import sun.misc.SignalHandler;

/** SIGHUP, which a JVM would else end by. The JDK has no other door to it than this one. */
final class ReloadSignal {

  private static final Logger LOG = LoggerFactory.getLogger(ReloadSignal.class);

  private ReloadSignal() {}

  /** Runs the action, in a thread of its own, at each SIGHUP. */
  static void install(Runnable action) {
    try {
      SignalHandler before = Signal.handle(new Signal("HUP"), signal -> action.run());
      if (before.equals(SignalHandler.SIG_IGN)) {
        LOG.info("SIGHUP is ignored here, as under nohup: a changed config takes a start");
      }
    } catch (IllegalArgumentException e) {
      // Another operating system, or a JVM started with -Xrs.
      LOG.debug("SIGHUP can't be heard here", e);
    }
  }
}
