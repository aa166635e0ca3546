/**
 * One pipeline from its config to its end: recovers, starts source, backfill and page, restarts
 * them after a fault that may pass, and says with which exit code it ended.
 */
@NullMarked
package io.sluice.replicator.daemon;

import org.jspecify.annotations.NullMarked;
