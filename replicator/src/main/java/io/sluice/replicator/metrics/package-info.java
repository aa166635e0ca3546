/**
 * What the daemon knows of itself at one moment, and the same as Prometheus metrics. One registry
 * per daemon: no static state, many daemons may run in one JVM. May import {@code sinks}, {@code
 * schema-evolution} and {@code values}.
 */
@NullMarked
package io.sluice.replicator.metrics;

import org.jspecify.annotations.NullMarked;
